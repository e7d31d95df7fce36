// SPDX-License-Identifier: Apache-2.0
// What charts with a row for each encoding share: names above the rows, bounds across them.
import * as Plot from "@observablehq/plot";
import {select} from "d3";

import {shorten} from "./format";

// On a narrow page the names stand above their lines.
export function drawNames(drawing: SVGSVGElement & Plot.Plot, items: {key: string; name: string}[]): void {
  const y = drawing.scale("y")!;
  const layer = select(drawing)
    .append("g")
    .attr("class", "names")
    .attr("fill", "currentColor")
    .attr("font-size", 12)
    .attr("text-anchor", "start")
    .attr("stroke", "var(--paper)")
    .attr("stroke-width", 4)
    .attr("paint-order", "stroke");
  for (const item of items) {
    layer
      .append("text")
      .attr("x", 2)
      .attr("y", (y.apply(item.key) as number) - 10)
      .text(shorten(item.name, 38))
      .append("title")
      .text(item.key);
  }
}

export interface Bound {
  x: number;
  name: string;
  kind: string;
  before?: boolean; // its name stands to the left of its line
}

// How high above the frame each reaches. A name to the right of its line stands above all lines that
// are further right, a name to the left above those that are further left.
function levels(rules: Bound[]): Map<Bound, number> {
  const left = rules.filter(({before}) => before).sort((a, b) => a.x - b.x);
  const right = rules.filter(({before}) => !before).sort((a, b) => b.x - a.x);
  return new Map([...left, ...right].map((rule, k) => [rule, k]));
}

// Lines with names beside them, so that nothing meets; what must cross a line hides it.
export function boundMarks(rules: Bound[]): Plot.Markish[] {
  const found = levels(rules);
  const top = (rule: Bound): number => 8 + 14 * found.get(rule)!;
  const lines = rules.map((rule) =>
    Plot.ruleX([rule], {
      x: "x",
      className: "bounds",
      stroke: "var(--mark)",
      strokeWidth: 1.5,
      strokeDasharray: "5 3",
      insetTop: -top(rule) - 6,
    }),
  );
  const names = rules.map((rule) =>
    Plot.text([rule], {
      x: "x",
      text: "name",
      frameAnchor: "top",
      textAnchor: rule.before ? "end" : "start",
      dx: rule.before ? -5 : 5,
      dy: -top(rule) - 4,
      fill: "var(--mark)",
      stroke: "var(--paper)",
      strokeWidth: 4,
      fontWeight: 600,
      className: "bound-names",
    }),
  );
  return [...lines, ...names];
}
