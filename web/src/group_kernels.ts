// SPDX-License-Identifier: Apache-2.0
// Kernels of the encodings of one family against the lag, on one axis.
import * as Plot from "@observablehq/plot";
import {max} from "d3";

import {choose} from "./dom";
import {figure, plot, tag, tip, type Figure} from "./figure";
import {exists, num, shorten} from "./format";
import {look, type Look} from "./lines";
import type {GroupRow} from "./report";

interface Point {
  encoding: string;
  lag: number;
  value: number; // as reported
  shown: number; // on the axis
}

type Scale = "common" | "own";

function pointsOf(row: GroupRow, scale: Scale): Point[] {
  const values = row.kernel ?? [];
  const unit = scale === "own" ? max(values, (v) => (exists(v) ? Math.abs(v) : 0)) || 1 : 1;
  return values.flatMap((value, lag) =>
    exists(value) ? [{encoding: row.encoding, lag, value, shown: value / unit}] : [],
  );
}

// Places of labels of `size` pixels near `wanted` (rising), apart from one another, above `bottom`.
function spread(wanted: number[], size: number, bottom: number): number[] {
  const placed: number[] = [];
  for (const y of wanted) placed.push(Math.max(y, (placed.at(-1) ?? -Infinity) + size));
  for (let k = placed.length - 1, limit = bottom; k >= 0; --k, limit -= size)
    placed[k] = Math.min(placed[k]!, limit);
  return placed;
}

const labelSize = 15;

// The name of each line at its end.
function drawLabels(drawing: SVGSVGElement & Plot.Plot, lines: Line[], most: number, bottom: number): void {
  const x = drawing.scale("x")!,
    y = drawing.scale("y")!;
  const ends = lines
    .map((line) => ({line, end: line.points.at(-1)!}))
    .sort((a, b) => b.end.shown - a.end.shown);
  const places = spread(
    ends.map(({end}) => y.apply(end.shown) as number),
    labelSize,
    bottom,
  );
  const layer = document.createElementNS("http://www.w3.org/2000/svg", "g");
  layer.setAttribute("class", "line-names");
  layer.setAttribute("text-anchor", "start");
  layer.setAttribute("stroke", "none");
  ends.forEach(({line, end}, k) => {
    const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
    const at = {x: (x.apply(end.lag) as number) + 8, y: places[k]!, dy: "0.32em", fill: line.color};
    for (const [name, value] of Object.entries(at)) text.setAttribute(name, String(value));
    if (line.chosen) text.setAttribute("font-weight", "700");
    text.textContent = shorten(line.encoding, most);
    layer.append(text);
  });
  drawing.append(layer);
}

interface Line extends Look {
  encoding: string;
  points: Point[];
  chosen: boolean;
}

function linesOf(rows: GroupRow[], chosen: GroupRow, scale: Scale): Line[] {
  return rows
    .map((row) => ({row, points: pointsOf(row, scale)}))
    .filter(({points}) => points.length > 0)
    .map(({row, points}, k) => ({
      encoding: row.encoding,
      points,
      ...look(k),
      chosen: row === chosen,
    }));
}

const nothing = "None of these has a kernel that is a function of the lag.";

function drawKernels(lines: Line[], scale: Scale, width: number): SVGSVGElement {
  const points = lines.flatMap((line) => line.points);
  if (points.length === 0)
    return plot({
      width,
      height: 70,
      marks: [Plot.text([nothing], {frameAnchor: "left", lineWidth: width / 12})],
    });
  const narrow = width < 620;
  const most = narrow ? 11 : 22; // letters of a label
  const longest = Math.max(...lines.map((line) => Math.min(line.encoding.length, most)));
  const height = Math.max(narrow ? 260 : 320, 90 + labelSize * lines.length);
  const color = new Map(lines.map((line) => [line.encoding, line.color]));
  const drawing = plot({
    width,
    height,
    marginLeft: 58,
    marginRight: 20 + 7.2 * longest,
    marginTop: 26,
    marginBottom: 36,
    x: {label: "lag s \u2212 t \u2192", ticks: width / 90, labelAnchor: "center"},
    y: {
      label: scale === "own" ? "\u2191 over its largest" : "\u2191 kernel or bias",
      grid: true,
      ticks: 5,
      nice: true,
      tickFormat: (v: number) => num(v, 3),
    },
    marks: [
      Plot.ruleY([0], {stroke: "var(--ink-soft)", strokeOpacity: 0.5}),
      ...lines.map((line) =>
        Plot.lineY(line.points, {
          x: "lag",
          y: "shown",
          stroke: line.color,
          strokeDasharray: line.dash,
          strokeWidth: line.chosen ? 2.6 : 1.4,
        }),
      ),
      Plot.dot(points, {
        x: "lag",
        y: "shown",
        r: narrow ? 1.2 : 2,
        fill: (p: Point) => color.get(p.encoding),
        className: "lag-values",
      }),
      tip(
        points,
        Plot.pointer({
          x: "lag",
          y: "shown",
          title: (p: Point) => `${p.encoding}\nlag ${p.lag}: ${num(p.value)}`,
        }),
      ),
    ],
  });
  tag(drawing, "lag-values", points, (p) => ({...p}));
  drawLabels(drawing, lines, most, height - 36);
  return drawing;
}

// `shown` gives the rows of the chosen place and the chosen one of them.
export function kernelChart(shown: () => {place: string; rows: GroupRow[]; chosen: GroupRow}): Figure {
  let scale: Scale = "common";
  const chart = figure({
    id: "family-chart",
    title: "Kernels",
    controls: [
      choose<Scale>(
        "family-scale",
        "Scale",
        [
          {value: "common", text: "As they are"},
          {value: "own", text: "Each over its largest"},
        ],
        scale,
        (value) => {
          scale = value;
          chart.redraw();
        },
      ),
    ],
    label: () => {
      const {place, rows} = shown();
      return `Kernel or bias against the lag, of the encodings in "${place}": ${rows.map((row) => row.encoding).join(", ")}.`;
    },
    draw: (width) => {
      const {rows, chosen} = shown();
      return drawKernels(linesOf(rows, chosen, scale), scale, width);
    },
    caption: [
      "The bias where an encoding is a bias, else the expected logit of one random unit vector as query and key. The thick line is the chosen encoding.",
    ],
  });
  return chart;
}
