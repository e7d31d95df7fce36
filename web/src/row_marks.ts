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

// Names of the bounds beside their lines. The line and the name of the left one reach higher,
// so that nothing meets.
export function boundMarks(rules: Bound[]): Plot.Markish[] {
  return rules.flatMap((rule, k) => {
    const level = rules.filter((other, j) => other.x > rule.x || (other.x === rule.x && j < k)).length;
    const top = 8 + 14 * level;
    return [
      Plot.ruleX([rule], {
        x: "x",
        className: "bounds",
        stroke: "var(--mark)",
        strokeWidth: 1.5,
        strokeDasharray: "5 3",
        insetTop: -top - 6,
      }),
      Plot.text([rule], {
        x: "x",
        text: "name",
        frameAnchor: "top",
        textAnchor: rule.before ? "end" : "start",
        dx: rule.before ? -5 : 5,
        dy: -top - 4,
        fill: "var(--mark)",
        fontWeight: 600,
        className: "bound-names",
      }),
    ];
  });
}
