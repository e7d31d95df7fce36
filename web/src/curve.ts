// SPDX-License-Identifier: Apache-2.0
// The positions as points in the plane: the first two MDS coordinates.
import * as Plot from "@observablehq/plot";
import {extent, interpolateViridis} from "d3";

import {choose, section} from "./dom";
import {figure, plot, tag} from "./figure";
import {num} from "./format";
import type {Report} from "./report";

interface Point {
  x: number;
  y: number;
  position: number;
}

type Kind = "plain" | "corrected";

function span(values: number[]): number {
  const [low = 0, high = 0] = extent(values);
  return high - low || 1;
}

function draw(report: Report, kind: Kind, width: number): SVGSVGElement {
  const points: Point[] = report.embedding[kind].map(([x, y], k) => ({x, y, position: report.embedding.positions[k] ?? k}));
  const ends = points.filter((_, k) => k === 0 || k === points.length - 1 || (points.length > 12 && k === Math.floor(points.length / 4)));
  // Equal units on both axes; a flat curve still gets some height.
  const inner = width - 70;
  const height = Math.max(220, Math.min(480, (inner * span(points.map((p) => p.y))) / span(points.map((p) => p.x)) + 70));
  const drawing = plot({
    width, height, marginLeft: 52, marginRight: 18, marginTop: 22, marginBottom: 38, aspectRatio: null,
    x: {label: "first coordinate \u2192", grid: true, nice: true, ticks: width / 110, inset: 8},
    y: {label: "\u2191 second coordinate", grid: true, nice: true, ticks: height / 60, inset: 8},
    color: {type: "linear", domain: [0, Math.max(1, report.positions - 1)], interpolate: interpolateViridis},
    marks: [
      Plot.line(points, {x: "x", y: "y", stroke: "var(--ink-soft)", strokeOpacity: 0.5, strokeWidth: 1}),
      Plot.dot(points, {x: "x", y: "y", fill: "position", stroke: "var(--paper)", strokeWidth: 0.5, r: points.length > 60 ? 3.2 : 4.5, className: "places",
                        ariaLabel: (p: Point) => `position ${p.position}: ${num(p.x)}, ${num(p.y)}`}),
      Plot.text(ends, {x: "x", y: "y", text: (p: Point) => String(p.position), dy: -11, fontWeight: 600, stroke: "var(--paper)", fill: "currentColor"}),
      Plot.tip(points, Plot.pointer({x: "x", y: "y", title: (p: Point) => `position ${p.position}\n(${num(p.x)}, ${num(p.y)})`})),
    ],
  });
  tag(drawing, "places", points, (p) => ({position: p.position, x: p.x, y: p.y}));
  return drawing;
}

export function curve(report: Report): HTMLElement {
  let kind: Kind = "corrected";
  const chart = figure({
    id: "curve-chart", title: "The curve of positions",
    controls: [choose<Kind>("embedding", "Distances", [{value: "corrected", text: "Corrected"}, {value: "plain", text: "Plain"}],
                            kind, (value) => { kind = value; chart.redraw(); })],
    label: () => `Positions 0 to ${report.positions - 1} as points in the plane, joined in order, from the ${kind} distances.`,
    draw: (width) => draw(report, kind, width),
    caption: [`Colour runs from position 0 (dark) to ${report.positions - 1} (bright). Two coordinates only: what the other dimensions hold is not seen.`],
  });
  return section("curve", "What the positions look like",
    "Positions with similar words lie close together. A curve is structure; a cloud is noise.", chart.root);
}
