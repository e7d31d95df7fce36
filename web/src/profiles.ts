// SPDX-License-Identifier: Apache-2.0
// What encodings do beyond the training length: measures of the chosen ones against the position, and
// where each leaves its range of training.
import {el, section} from "./dom";
import {whole} from "./format";
import {noteLink, noteName} from "./notes";
import {picker} from "./picker";
import {profileCharts, type Shown} from "./profile_charts";
import {departureTable} from "./profile_table";
import type {EncodingProfile, ProfileRow, Profiles, Report} from "./report";

const first = ["sinusoidal", "rope", "alibi", "wavelet", "legendre", "learned"];
const nameOf = ({encoding}: EncodingProfile): string => encoding.split("(")[0]!;

// One of each kind that most readers know; else the first few.
function firstChoice(drawn: EncodingProfile[]): EncodingProfile[] {
  const known = first.flatMap((name) => drawn.find((profile) => nameOf(profile) === name) ?? []);
  return known.length > 1 ? known : drawn.slice(0, first.length);
}

function reasons(id: string, title: string, profiles: EncodingProfile[]): HTMLElement | null {
  if (profiles.length === 0) return null;
  return el(
    "details",
    {id},
    el("summary", {}, `${title} (${profiles.length})`),
    el(
      "ul",
      {class: "plain"},
      ...profiles.map(({encoding, reason}) =>
        el("li", {}, el("b", {}, encoding), `: ${reason ?? "no positions"}`),
      ),
    ),
  );
}

function promise(report: Report): HTMLElement {
  const cited = report.claims?.find(({id}) => id === "T12");
  const name = noteName(cited?.note);
  return el(
    "p",
    {id: "no-promise"},
    "Nothing here promises that a trained model generalises: these are properties of vectors and weights, and by ",
    cited && name ? noteLink(name, "T12") : "T12",
    " (arXiv:2603.02238) no bound on length generalisation can be computed for transformers in general.",
  );
}

function rowsByEncoding({rows}: Profiles): Map<string, ProfileRow[]> {
  const all = new Map<string, ProfileRow[]>();
  for (const row of rows ?? []) all.set(row.encoding, [...(all.get(row.encoding) ?? []), row]);
  return all;
}

export function profiles(report: Report): HTMLElement | null {
  const found = report.profiles;
  if (!found || found.encodings.length === 0) return null;
  const rows = rowsByEncoding(found);
  const drawn = found.encodings.filter(({encoding}) => rows.has(encoding));
  const {root: chips, slots} = picker(drawn, firstChoice(drawn), () => charts.redraw());
  const shown = (): Shown[] =>
    drawn.flatMap((profile) => {
      const slot = slots.get(profile.encoding);
      return slot === undefined ? [] : [{profile, rows: rows.get(profile.encoding)!, slot}];
    });
  const beyond = ({encoding}: EncodingProfile): boolean =>
    rows.get(encoding)!.some((row) => row.position >= found.train);
  const charts = profileCharts(found, shown);
  return section(
    "profiles",
    "Beyond the training length",
    `Each encoding made for N = ${whole(found.train)} positions, followed to ${whole(found.to)} ` +
      `(dimension ${whole(found.dim)}, ${whole(found.heads)} heads). The broken line marks the end of training; choose encodings to compare.`,
    promise(report),
    chips,
    charts.root,
    el("h3", {class: "departures-title"}, "First departure from training"),
    el(
      "p",
      {class: "small"},
      "The first position at which a measure leaves the range it had on 0 to N \u2212 1. An encoding that ends with training cannot leave it. Choose a heading to sort; a cell's title gives the range.",
    ),
    departureTable(drawn, new Set(drawn.filter((profile) => !beyond(profile)))),
    reasons(
      "profiles-ended",
      "Encodings that end early",
      drawn.filter(({reason}) => reason),
    ),
    reasons(
      "profiles-missing",
      "Encodings without a profile",
      found.encodings.filter(({encoding}) => !rows.has(encoding)),
    ),
  );
}
