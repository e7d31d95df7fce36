// SPDX-License-Identifier: Apache-2.0
// The positions as points in the plane: the first two MDS coordinates.
import * as Plot from "@observablehq/plot";
import {extent, interpolateViridis} from "d3";

import {choose, section} from "./dom";
import {figure, plot, tag, tip} from "./figure";
import {num} from "./format";
import type {Report} from "./report";

interface Point {
  x: number;
  y: number;
  position: number;
}

type Kind = "plain" | "corrected";

const left = 52,
  right = 18,
  top = 22,
  bottom = 38;
const least = 150,
  most = 420; // pixels of height

interface Frame {
  x: [number, number];
  y: [number, number];
  height: number;
}

// Domains with equal units on both axes that hold all points and some air.
function frameOf(points: Point[], width: number): Frame {
  const [x0 = 0, x1 = 1] = extent(points, (p) => p.x);
  const [y0 = 0, y1 = 1] = extent(points, (p) => p.y);
  const wide = 1.08 * (x1 - x0 || y1 - y0 || 1),
    high = 1.16 * (y1 - y0);
  const inner = width - left - right;
  const unit = Math.min(inner / wide, high > 0 ? most / high : Infinity);
  const height = Math.max(least, unit * high);
  const around = (a: number, b: number, pixels: number): [number, number] => [
    (a + b) / 2 - pixels / unit / 2,
    (a + b) / 2 + pixels / unit / 2,
  ];
  return {x: around(x0, x1, inner), y: around(y0, y1, height), height: height + top + bottom};
}

function draw(report: Report, kind: Kind, width: number): SVGSVGElement {
  const points: Point[] = report.embedding[kind].map(([x, y], k) => ({
    x,
    y,
    position: report.embedding.positions[k] ?? k,
  }));
  const ends = points.filter(
    (_, k) =>
      k === 0 || k === points.length - 1 || (points.length > 12 && k === Math.floor(points.length / 4)),
  );
  const {x, y, height} = frameOf(points, width);
  const drawing = plot({
    width,
    height,
    marginLeft: left,
    marginRight: right,
    marginTop: top,
    marginBottom: bottom,
    x: {label: "first coordinate \u2192", grid: true, domain: x, ticks: width / 110},
    y: {label: "\u2191 second coordinate", grid: true, domain: y, ticks: height / 60},
    color: {type: "linear", domain: [0, Math.max(1, report.positions - 1)], interpolate: interpolateViridis},
    marks: [
      Plot.line(points, {x: "x", y: "y", stroke: "var(--ink-soft)", strokeOpacity: 0.5, strokeWidth: 1}),
      Plot.dot(points, {
        x: "x",
        y: "y",
        fill: "position",
        stroke: "var(--ink-soft)",
        strokeWidth: 0.4,
        r: points.length > 60 ? 3.2 : 4.5,
        className: "places",
        ariaLabel: (p: Point) => `position ${p.position}: ${num(p.x)}, ${num(p.y)}`,
      }),
      Plot.text(ends, {
        x: "x",
        y: "y",
        text: (p: Point) => String(p.position),
        dy: -11,
        fontWeight: 600,
        stroke: "var(--paper)",
        fill: "currentColor",
      }),
      tip(
        points,
        Plot.pointer({
          x: "x",
          y: "y",
          title: (p: Point) => `position ${p.position}\n(${num(p.x)}, ${num(p.y)})`,
        }),
      ),
    ],
  });
  tag(drawing, "places", points, (p) => ({position: p.position, x: p.x, y: p.y}));
  return drawing;
}

export function curve(report: Report): HTMLElement {
  let kind: Kind = "corrected";
  const chart = figure({
    id: "curve-chart",
    title: "The curve of positions",
    controls: [
      choose<Kind>(
        "embedding",
        "Distances",
        [
          {value: "corrected", text: "Corrected"},
          {value: "plain", text: "Plain"},
        ],
        kind,
        (value) => {
          kind = value;
          chart.redraw();
        },
      ),
    ],
    label: () =>
      `Positions 0 to ${report.positions - 1} as points in the plane, joined in order, from the ${kind} distances.`,
    draw: (width) => draw(report, kind, width),
    caption: [
      `Colour runs from position 0 (dark) to ${report.positions - 1} (bright). Both axes have the same unit. Two coordinates only: what the other dimensions hold is not seen.`,
    ],
  });
  return section(
    "curve",
    "What the positions look like",
    "Positions with similar words lie close together. A curve is structure; a cloud is noise.",
    chart.root,
  );
}
