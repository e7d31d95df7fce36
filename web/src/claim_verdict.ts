// SPDX-License-Identifier: Apache-2.0
// The verdicts on claims: five kinds, and what could not run. Words first; sign and colour only help.
import {el} from "./dom";
import type {Claim} from "./report";

export interface Kind {
  id: string;
  name: string; // how the verdict begins
  one: string; // "1 holds"
  many: string;
  sign: string;
}

export const kinds: Kind[] = [
  {id: "holds", name: "holds", one: "holds", many: "hold", sign: "\u2713"},
  {
    id: "conditional",
    name: "holds under listed conditions",
    one: "holds under listed conditions",
    many: "hold under listed conditions",
    sign: "(\u2713)",
  },
  {id: "violated", name: "violated", one: "is violated", many: "are violated", sign: "\u2717"},
  {id: "vacuous", name: "vacuous here", one: "is vacuous here", many: "are vacuous here", sign: "\u2205"},
  {id: "untestable", name: "not testable", one: "is not testable", many: "are not testable", sign: "?"},
  {id: "failed", name: "could not run", one: "could not run", many: "could not run", sign: "!"},
];

function kindOfText(verdict: string): Kind {
  const found = kinds.filter((kind) => verdict.startsWith(kind.name));
  return found.at(-1) ?? kinds[4]!; // "holds" begins both kinds of holding
}

export function kindOf(claim: Claim): Kind {
  return claim.error ? kinds[5]! : kindOfText(claim.verdict);
}

function badge(kind: Kind, text: string, title: string): HTMLElement {
  return el(
    "span",
    {class: `badge ${kind.id}`, title},
    el("span", {class: "sign", "aria-hidden": "true"}, kind.sign),
    " ",
    text,
  );
}

export function claimBadge(claim: Claim): HTMLElement {
  const kind = kindOf(claim);
  return badge(kind, kind.name, claim.error ?? claim.verdict);
}

export function findingBadge(verdict: string): HTMLElement {
  const kind = kindOfText(verdict);
  return badge(kind, kind.name, verdict);
}
