// SPDX-License-Identifier: Apache-2.0
// Every encoding under every rule, from best to worst, with what the data cannot tell apart.
import * as Plot from "@observablehq/plot";
import {scaleLinear, select as d3select} from "d3";

import {choose, el, section} from "./dom";
import {figure, logAxis, plot, tag, tip} from "./figure";
import {exists, interval, shorten, stress} from "./format";
import {rowKey, rowName, type Interval, type Report, type Row} from "./report";
import {boundMarks, drawNames, type Bound} from "./row_marks";
import {colorScale, ruleLegend, ruleOf, symbolScale} from "./rules";

type Kind = "corrected" | "scaled" | "raw";
interface Item {
  key: string;
  name: string;
  row: Row;
  rule: string;
  value: number; // as reported
  shown: number; // on the axis: zeros of a logarithmic axis stand at its left end, far values at its right
  low: number;
  high: number;
}

const kinds: {value: Kind; text: string}[] = [
  {value: "corrected", text: "Corrected"},
  {value: "scaled", text: "Scaled"},
  {value: "raw", text: "Raw (log)"},
];

function valueOf(row: Row, kind: Kind): [unknown, Interval] {
  if (kind === "corrected") return [row.stress_corrected, row.interval];
  return kind === "scaled" ? [row.stress_scaled, row.interval_scaled] : [row.stress_raw, row.interval_raw];
}

function itemsOf(rows: Row[], kind: Kind): Item[] {
  const items: Item[] = [];
  for (const row of rows) {
    const [value, range] = valueOf(row, kind);
    if (row.error || !exists(value)) continue;
    items.push({
      key: rowKey(row),
      name: rowName(row),
      row,
      rule: ruleOf(row),
      value,
      shown: value,
      low: range?.[0] ?? value,
      high: range?.[1] ?? value,
    });
  }
  // The report's own order is the order of the corrected stress.
  if (kind !== "corrected") items.sort((a, b) => a.value - b.value);
  if (kind === "raw") {
    const least = Math.min(...items.map((item) => item.value).filter((value) => value > 0));
    for (const item of items) {
      item.shown = Math.max(item.value, least / 2);
      item.low = Math.max(item.low, least / 2);
      item.high = Math.max(item.high, item.low);
    }
  }
  return items;
}

const farTimes = 1.8; // a value beyond this many times the reach of all nearer rows is far,
const farShare = 0.25; // if no more rows than this share are

const reach = (items: Item[], rules: Bound[]): number =>
  Math.max(0, ...items.flatMap((item) => [item.value, item.high]), ...rules.map((rule) => rule.x));

// The rows that would crowd all others: none, or those from the first wide gap on.
function farthest(items: Item[], rules: Bound[]): Item[] {
  const sorted = [...items].sort((a, b) => a.value - b.value);
  const first = sorted.findIndex(
    ({value}, k) =>
      k >= (1 - farShare) * items.length && value > farTimes * (reach(sorted.slice(0, k), rules) || Infinity),
  );
  return first < 0 ? [] : sorted.slice(first);
}

// The linear axis over all rows but the far ones, which move to its end with their intervals.
function fit(items: Item[], rules: Bound[]): [number, number] {
  const far = farthest(items, rules);
  const near = items.filter((item) => !far.includes(item));
  const low = Math.min(0, ...near.map((item) => item.low));
  const [, high] = scaleLinear()
    .domain([0, reach(near, rules) || 1])
    .nice()
    .domain() as [number, number];
  for (const item of far) {
    item.shown = high;
    item.low = Math.min(item.low, high);
    item.high = high;
  }
  return [low, high];
}

// Runs of neighbours with one group number: [first, last] indices.
function runs(items: Item[]): [number, number][] {
  const found: [number, number][] = [];
  items.forEach((item, k) => {
    const last = found.at(-1);
    if (last && exists(item.row.group) && items[last[0]]!.row.group === item.row.group) last[1] = k;
    else found.push([k, k]);
  });
  return found.filter(([first, last]) => last > first);
}

function tipOf({row}: Item): string {
  const lines = [
    row.title ? `${row.title}` : row.encoding,
    `${row.encoding}, ${row.geometry}`,
    `corrected ${stress(row.stress_corrected)} ${interval(row.interval)}`,
    `scaled ${stress(row.stress_scaled)}, raw ${stress(row.stress_raw)}, null ${stress(row.stress_null)}`,
  ];
  if (row.difference) {
    lines.push(
      `${stress(row.difference.estimate)} ${interval(row.difference.interval)} against ${row.difference.to}`,
    );
  }
  return lines.join("\n");
}

function drawBrackets(drawing: SVGSVGElement & Plot.Plot, items: Item[], right: number): void {
  const y = drawing.scale("y")!;
  const layer = d3select(drawing)
    .append("g")
    .attr("class", "brackets")
    .attr("fill", "none")
    .attr("stroke", "var(--ink-soft)");
  for (const [first, last] of runs(items)) {
    const top = (y.apply(items[first]!.key) as number) - 8;
    const bottom = (y.apply(items[last]!.key) as number) + 8;
    layer
      .append("path")
      .attr("d", `M${right - 5},${top}h5V${bottom}h-5`)
      .attr("data-first", items[first]!.key)
      .attr("data-last", items[last]!.key)
      .append("title")
      .text("The data cannot tell these rows apart");
  }
}

function bounds(report: Report, kind: Kind): Bound[] {
  const {target} = report;
  if (kind === "raw") return [];
  const floor = kind === "corrected" ? target.stationary_floor : target.stationary_floor_plain;
  const found = [{x: floor, name: "floor", kind: "floor"}];
  if (kind === "corrected") found.push({x: target.ceiling, name: "ceiling", kind: "ceiling"});
  return found.filter((bound): bound is Bound => exists(bound.x));
}

// Beyond the end of the axis. (At its beginning stand zeros of a logarithmic one.)
const isFar = (item: Item): boolean => item.value > item.shown;

function itemMarks(items: Item[], kind: Kind, right: number): Plot.Markish[] {
  const text = items.map((item) => stress(item.value));
  return [
    Plot.ruleY(items, {
      y: "key",
      x1: "low",
      x2: "high",
      className: "intervals",
      stroke: "rule",
      strokeWidth: 2,
      strokeOpacity: 0.55,
    }),
    Plot.dot(items, {
      x: "shown",
      y: "key",
      className: "dots",
      symbol: "rule",
      stroke: "rule",
      strokeWidth: 1.8,
      r: 4.5,
      fill: "rule",
      ariaLabel: (item: Item) => `${item.key}: ${kind} stress ${stress(item.value)}`,
    }),
    Plot.text(items.filter(isFar), {
      x: "shown",
      y: "key",
      text: () => "\u2192",
      dx: 15,
      className: "far",
    }),
    Plot.text(items, {
      y: "key",
      text: (_item, k) => text[k as number]!,
      frameAnchor: "right",
      dx: right - 18,
      textAnchor: "end",
      className: "values",
      fontVariant: "tabular-nums",
    }),
    tip(items, Plot.pointerY({x: "shown", y: "key", title: tipOf, maxRadius: 60})),
  ];
}

// Puts the data onto the marks; what stands at the end of the axis is hollow.
function tagMarks(drawing: SVGSVGElement, items: Item[], rules: Bound[]): void {
  tag(drawing, "dots", items, (item) => ({key: item.key, value: item.value, shown: item.shown}));
  tag(drawing, "intervals", items, (item) => ({key: item.key, low: item.low, high: item.high}));
  tag(drawing, "bounds", rules, (bound) => ({bound: bound.kind, value: bound.x}));
  tag(drawing, "far", items.filter(isFar), (item) => ({key: item.key}));
  drawing
    .querySelectorAll("g.dots > *")
    .forEach((dot, k) => isFar(items[k]!) && dot.setAttribute("fill", "var(--paper)"));
  drawing.querySelectorAll('g[aria-label="y-axis tick label"] text').forEach((label, k) => {
    const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
    title.textContent = items[k]?.key ?? "";
    label.append(title);
  });
}

function draw(items: Item[], rules: Bound[], kind: Kind, width: number): SVGSVGElement {
  const narrow = width < 620;
  const longest = Math.max(8, ...items.map((item) => Math.min(item.name.length, 34)));
  const left = narrow ? 4 : Math.min(250, 16 + 7 * longest);
  const right = 86;
  const names = new Map(items.map((item) => [item.key, shorten(item.name, 34)]));
  const label = `${kind} stress \u2192 worse`;
  const raw = kind === "raw";
  const drawing = plot({
    width,
    height: 70 + items.length * (narrow ? 36 : 24),
    marginLeft: left,
    marginRight: right,
    marginTop: 44,
    marginBottom: 34,
    x: raw
      ? {type: "log", axis: null}
      : {grid: true, label, labelAnchor: "right", domain: fit(items, rules), ticks: narrow ? 4 : 8},
    y: {
      type: "point",
      domain: items.map((item) => item.key),
      padding: narrow ? 0.7 : 0.5,
      axis: narrow ? null : "left",
      label: null,
      tickSize: 0,
      tickFormat: (key: string) => names.get(key) ?? key,
    },
    color: colorScale,
    symbol: symbolScale,
    marks: [
      ...(raw
        ? logAxis(
            "x",
            items.flatMap((item) => [item.low, item.high]),
            {label, labelAnchor: "right"},
          )
        : []),
      ...boundMarks(rules),
      ...itemMarks(items, kind, right),
    ],
  });
  tagMarks(drawing, items, rules);
  if (kind === "corrected") drawBrackets(drawing, items, width - 6);
  if (narrow) drawNames(drawing, items);
  return drawing;
}

function notScored(report: Report): HTMLElement | null {
  const failed = report.rows.filter((row) => row.error);
  if (failed.length + report.needs_values.length === 0) return null;
  const list = el("ul", {class: "plain", id: "not-scored"});
  for (const row of failed)
    list.append(el("li", {class: "failed"}, el("code", {}, rowKey(row)), ` failed: ${row.error}`));
  for (const {encoding, reason} of report.needs_values) {
    list.append(el("li", {class: "needs"}, el("code", {}, encoding), ` needs values: ${reason}`));
  }
  return el(
    "details",
    {open: failed.length > 0},
    el("summary", {}, `Not scored: ${failed.length + report.needs_values.length}`),
    list,
  );
}

export function ranking(report: Report): HTMLElement {
  let kind: Kind = "corrected";
  const note = el("span", {});
  const explain = (): void => {
    note.textContent =
      kind === "corrected"
        ? "Lines are 95 % intervals (jackknife over 64 blocks). A bracket joins rows that the data cannot tell apart from the first of them."
        : kind === "scaled"
          ? "Against the plain distances, noise included: codes without structure can win here."
          : "Raw stress compares units as well as shapes; the axis is logarithmic.";
    if (kind !== "raw" && farthest(itemsOf(report.rows, kind), bounds(report, kind)).length > 0)
      note.textContent += " An arrow: farther than the axis reaches, the number is beside it.";
  };
  const chart = figure({
    id: "ranking-chart",
    title: "Stress of each encoding",
    controls: [
      choose("stress", "Stress", kinds, kind, (value) => {
        kind = value;
        explain();
        chart.redraw();
      }),
    ],
    label: () =>
      `Dot plot of ${kind} stress, one row per encoding and rule, best first. The table below holds the same numbers.`,
    draw: (width) => draw(itemsOf(report.rows, kind), bounds(report, kind), kind, width),
    caption: [note],
  });
  explain();
  return section(
    "ranking",
    "Which encoding fits",
    "Smaller is better. Stress is the share of the distances between positions that an encoding does not explain, after the best scale.",
    ruleLegend(new Set(report.rows.filter((row) => !row.error).map(ruleOf))),
    chart.root,
    notScored(report),
  );
}
