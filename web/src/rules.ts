// SPDX-License-Identifier: Apache-2.0
// How the rules (rows, kernel, line, brownian) and the controls look: a shape and a colour each.
import {
  symbol,
  symbolCircle,
  symbolDiamond2,
  symbolSquare2,
  symbolTimes,
  symbolTriangle2,
  type SymbolType,
} from "d3";

import {el} from "./dom";
import type {Row} from "./report";

export const rules = ["rows", "kernel", "line", "brownian", "control"];
const shapes: SymbolType[] = [symbolCircle, symbolSquare2, symbolTriangle2, symbolDiamond2, symbolTimes];
const meanings = [
  "rows of a table",
  "kernel of queries and keys",
  "bias read as a distance",
  "bias read as a squared distance",
  "no encoding, for comparison",
];

export const colorScale = {
  type: "ordinal" as const,
  domain: rules,
  range: rules.map((rule) => `var(--rule-${rule})`),
};
export const symbolScale = {type: "ordinal" as const, domain: rules, range: shapes};

export function ruleOf(row: Row): string {
  return row.control ? "control" : row.geometry;
}

export function ruleLegend(used: Set<string>): HTMLElement {
  const list = el("ul", {class: "legend", "aria-label": "Rules"});
  rules.forEach((rule, k) => {
    if (!used.has(rule)) return;
    const icon = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    icon.setAttribute("viewBox", "-7 -7 14 14");
    icon.setAttribute("aria-hidden", "true");
    icon.setAttribute("class", `mark mark-${rule}`);
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", symbol(shapes[k]!, 40)() ?? "");
    icon.append(path);
    list.append(el("li", {}, icon, el("b", {}, rule), ` ${meanings[k]}`));
  });
  return list;
}
