// SPDX-License-Identifier: Apache-2.0
// Several lines on one pair of axes: linear, logarithmic, or linear near zero and logarithmic beyond.
import * as Plot from "@observablehq/plot";

import {axisMarks, logAxis, plot, tag, tip} from "./figure";
import {exists, num, shorten} from "./format";
import type {Num} from "./report";

const colors = ["rows", "kernel", "line", "brownian", "control"].map((rule) => `var(--rule-${rule})`);
const dashes = ["none", "6 3", "2 2"];

export interface Look {
  color: string;
  dash: string;
}

// The k-th line of a drawing; after fifteen they come again.
export function look(k: number): Look {
  return {
    color: colors[k % colors.length]!,
    dash: dashes[Math.floor(k / colors.length) % dashes.length]!,
  };
}

interface Point {
  name: string;
  x: number;
  y: number; // NaN: the line has a gap
  note?: string; // below the numbers under the pointer
}

export interface Span {
  x: number;
  low: number;
  high: number;
}

export interface Line extends Look {
  name: string;
  points: Point[];
  band?: Span[]; // behind the line
}

export interface Axis {
  label: string;
  scale: "linear" | "log" | "symlog";
  unit?: number; // of a symlog axis: linear up to about here
  floor?: number; // of a logarithmic axis: nothing below is drawn
}

export interface Chart {
  width: number;
  lines: Line[];
  x: Axis;
  y: Axis;
  rule?: {x: number; text: string};
  legend: boolean;
}

export const drawable = (value: Num, axis: Axis): boolean =>
  exists(value) && (axis.scale !== "log" || value >= (axis.floor ?? Number.MIN_VALUE));

// What an axis cannot show is a gap.
export function lineOf(name: string, k: number, xs: Num[], ys: Num[], x: Axis, y: Axis): Line {
  const points = xs.flatMap((value, i) =>
    drawable(value, x) ? [{name, x: value!, y: drawable(ys[i], y) ? ys[i]! : NaN}] : [],
  );
  return {name, points, ...look(k)};
}

// How many finite values the axes cannot show.
export function hidden(xs: Num[], ys: Num[], x: Axis, y: Axis): number {
  return xs.filter(
    (value, i) => exists(value) && exists(ys[i]) && !(drawable(value, x) && drawable(ys[i], y)),
  ).length;
}

function symlogTicks(values: number[], unit: number): number[] {
  const far = Math.max(unit, ...values.map(Math.abs));
  const decades = Math.log10(far / unit);
  const steps = decades < 1.3 ? [1, 2, 5] : [1];
  const stride = Math.max(1, Math.ceil(decades / 4));
  const ticks = [0];
  for (let power = 0; power <= decades; power += stride)
    ticks.push(...steps.flatMap((step) => [step * unit * 10 ** power, -step * unit * 10 ** power]));
  const low = Math.min(0, ...values),
    high = Math.max(0, ...values);
  return ticks.filter((tick) => tick >= low && tick <= high);
}

function scaleOf(side: "x" | "y", axis: Axis, values: number[], width: number) {
  const label = side === "x" ? `${axis.label} \u2192` : null; // that of y stands below the legend
  const options = {label, labelAnchor: "center" as const};
  if (axis.scale === "linear") {
    const ticks = side === "x" ? width / 90 : 5;
    return {
      scale: {...options, ticks, grid: true, nice: side === "y", tickFormat: (v: number) => num(v, 4)},
      marks: [],
    };
  }
  if (axis.scale === "log")
    return {scale: {type: "log" as const, axis: null, label}, marks: logAxis(side, values, options)};
  const unit = axis.unit ?? 1;
  return {
    scale: {type: "symlog" as const, constant: unit, axis: null, label},
    marks: axisMarks(side, symlogTicks(values, unit), options),
  };
}

const svgNode = (tag: string, attributes: Record<string, string | number>): SVGElement => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  return node;
};

// A stroke as the line has it, in a legend of the page.
export function swatch({color, dash}: Look): SVGElement {
  const drawing = svgNode("svg", {viewBox: "0 0 22 8", class: "stroke", "aria-hidden": "true"});
  drawing.append(svgNode("path", {d: "M0 4H22", stroke: color, "stroke-dasharray": dash, "stroke-width": 2}));
  return drawing;
}

interface Entry {
  line: Line;
  x: number;
  row: number;
}

const legendRow = 17;

function legendOf(lines: Line[], width: number): Entry[] {
  const entries: Entry[] = [];
  let x = 0,
    row = 0;
  for (const line of lines) {
    const size = 46 + 6.6 * Math.min(line.name.length, letters(width));
    if (x > 0 && x + size > width) [x, row] = [0, row + 1];
    entries.push({line, x, row});
    x += size;
  }
  return entries;
}

const letters = (width: number): number => Math.floor((width - 60) / 7);

function drawLegend(drawing: SVGSVGElement, entries: Entry[], width: number): void {
  const layer = svgNode("g", {class: "line-names", "text-anchor": "start"});
  for (const {line, x, row} of entries) {
    const y = 8 + row * legendRow;
    const text = svgNode("text", {x: x + 28, y, dy: "0.32em", fill: "currentColor"});
    text.textContent = shorten(line.name, letters(width));
    layer.append(
      svgNode("path", {
        d: `M${x} ${y}h22`,
        stroke: line.color,
        "stroke-dasharray": line.dash,
        "stroke-width": 2,
      }),
      text,
    );
  }
  drawing.append(layer);
}

function strokes(line: Line): Plot.Markish {
  return Plot.lineY(line.points, {
    x: "x",
    y: "y",
    stroke: line.color,
    strokeDasharray: line.dash,
    strokeWidth: 1.7,
    className: "line",
  });
}

function bandMark(line: Line): Plot.Markish[] {
  if (!line.band) return [];
  const options = {x: "x", y1: "low", y2: "high", fill: line.color, fillOpacity: 0.16, className: "band"};
  return [Plot.areaY(line.band, options)];
}

const left = 58; // of the frame
const mostDots = 64; // of a line: more would hide it

function ruleMarks({x, text}: NonNullable<Chart["rule"]>): Plot.Markish[] {
  return [
    Plot.ruleX([x], {stroke: "var(--ink-soft)", strokeDasharray: "4 3", className: "train"}),
    Plot.text([text], {x, frameAnchor: "top", textAnchor: "start", lineAnchor: "bottom", dx: 3, dy: -4}),
  ];
}

// Points carry their numbers as data-*.
export function drawLines({width, lines, x, y, rule, legend}: Chart): SVGSVGElement {
  const points = lines.flatMap((line) => line.points.filter((point) => exists(point.y)));
  if (points.length === 0)
    return plot({width, height: 60, marks: [Plot.text(["Nothing to draw."], {frameAnchor: "left"})]});
  const dotted = lines
    .filter((line) => line.points.length <= mostDots)
    .flatMap((line) => line.points.filter((point) => exists(point.y)));
  const color = new Map(lines.map((line) => [line.name, line.color]));
  const entries = legend ? legendOf(lines, width) : [];
  const top = 36 + (entries.length > 0 ? 8 + legendRow * (entries.at(-1)!.row + 1) : 0);
  const heights = [
    ...points.map((point) => point.y),
    ...lines.flatMap((line) => (line.band ?? []).flatMap(({low, high}) => [low, high])),
  ];
  const acrossValues = points.map((point) => point.x);
  const across = scaleOf("x", x, acrossValues, width),
    up = scaleOf("y", y, heights, width);
  const drawing = plot({
    width,
    height: top + (width < 620 ? 210 : 270),
    marginLeft: left,
    marginRight: 20,
    marginTop: top,
    marginBottom: 38,
    x: across.scale,
    y: up.scale,
    marks: [
      ...across.marks,
      ...up.marks,
      Plot.text([`\u2191 ${y.label}`], {frameAnchor: "top-left", textAnchor: "start", dx: 2 - left, dy: -25}),
      ...(rule ? ruleMarks(rule) : []),
      ...lines.flatMap(bandMark),
      ...lines.map(strokes),
      Plot.dot(dotted, {
        x: "x",
        y: "y",
        r: 1.8,
        fill: (point: Point) => color.get(point.name),
        className: "line-points",
      }),
      tip(
        points,
        Plot.pointer({
          x: "x",
          y: "y",
          title: ({name, note, ...point}: Point) =>
            `${name}\n${x.label} ${num(point.x)}: ${num(point.y)}${note ? `\n${note}` : ""}`,
        }),
      ),
    ],
  });
  tag(drawing, "line-points", dotted, (point) => ({name: point.name, at: point.x, value: point.y}));
  drawLegend(drawing, entries, width);
  return drawing;
}
