// SPDX-License-Identifier: Apache-2.0
// Claims of the literature, each computed: how many hold, and a list that can be filtered.
import {claimCard} from "./claim_card";
import {kindOf, kinds, type Kind} from "./claim_verdict";
import {el, section, select} from "./dom";
import type {Claim, Report} from "./report";

const everything = "all";

function summary(claims: Claim[]): string {
  const counts = kinds.map((kind) => ({
    kind,
    count: claims.filter((claim) => kindOf(claim) === kind).length,
  }));
  const parts = counts
    .filter(({count}) => count > 0)
    .map(({kind, count}) => `${count} ${count === 1 ? kind.one : kind.many}`);
  return `${claims.length} ${claims.length === 1 ? "claim" : "claims"}: ${parts.join(", ")}.`;
}

// Who claims it: the source up to its first comma.
const author = (claim: Claim): string => claim.source.split(",")[0]!;

export function claims(report: Report): HTMLElement | null {
  const all = report.claims ?? [];
  if (all.length === 0) return null;
  const cards = all.map((claim) => ({claim, card: claimCard(claim)}));
  const count = el("span", {class: "small", "aria-live": "polite"});
  let verdict = everything,
    source = everything;
  const show = (): void => {
    for (const {claim, card} of cards) {
      const kept =
        (verdict === everything || kindOf(claim).name === verdict) &&
        (source === everything || author(claim) === source);
      card.hidden = !kept;
    }
    count.textContent = `${cards.filter(({card}) => !card.hidden).length} of ${all.length} claims`;
  };
  const found = new Set<Kind>(all.map(kindOf));
  const verdicts = kinds.filter((kind) => found.has(kind)).map((kind) => kind.name);
  const sources = [...new Set(all.map(author))].sort();
  show();
  return section(
    "claims",
    "Claims of the literature",
    "Each claim was restated so that it can be computed, with all its conditions, and then computed. Nothing counts as true because it was published; a bound above what is trivially so is called vacuous. Below each source stands its claim as published, in our words.",
    el("p", {class: "sentence", id: "claims-summary"}, summary(all)),
    el(
      "div",
      {class: "controls"},
      select("claim-verdict", "Verdict", [everything, ...verdicts], everything, (value) => {
        verdict = value;
        show();
      }),
      select("claim-source", "Source", [everything, ...sources], everything, (value) => {
        source = value;
        show();
      }),
      count,
    ),
    el("div", {class: "claims"}, ...cards.map(({card}) => card)),
  );
}
