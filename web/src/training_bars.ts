// SPDX-License-Identifier: Apache-2.0
// The metric of every encoding at one test length, with intervals and the baselines as lines.
import * as Plot from "@observablehq/plot";

import {choose, el} from "./dom";
import {figure, logAxis, plot, tag, tip, type Figure} from "./figure";
import {interval, num, shorten} from "./format";
import {boundMarks, drawNames, type Bound} from "./row_marks";
import {baselinesAt, homeLength, summariesAt, type Training} from "./training_data";

type Scale = "linear" | "log";

interface Bar {
  key: string;
  name: string;
  value: number;
  low: number;
  high: number;
  note: string;
}

const wide = 20; // values whose ratio is above this need a logarithmic axis

function barsAt(training: Training, length: number): Bar[] {
  return summariesAt(training, length).map(({encoding, mean, ci, sd, median, q1, q3, seeds}) => ({
    key: encoding,
    name: encoding,
    value: mean,
    low: ci?.[0] ?? mean,
    high: ci?.[1] ?? mean,
    note: [
      encoding,
      `mean ${num(mean)} ${interval(ci, num)}, sd ${num(sd)}`,
      `median ${num(median)}, quartiles ${num(q1)} to ${num(q3)}`,
      `${seeds} ${seeds === 1 ? "seed" : "seeds"}`,
    ].join("\n"),
  }));
}

const valuesOf = (bars: Bar[], rules: Bound[]): number[] => [
  ...bars.map(({value}) => value),
  ...rules.map(({x}) => x),
];

// A logarithmic axis has no place for 0 and below: it ends at half of the least value, or at the least
// end of an interval that is above a tenth of it.
function floorOf(bars: Bar[], rules: Bound[]): number {
  const positive = valuesOf(bars, rules).filter((value) => value > 0);
  if (positive.length === 0) return 1e-12;
  const least = Math.min(...positive);
  return Math.min(least / 2, ...bars.map(({low}) => low).filter((low) => low >= least / 10));
}

// Those whose interval does not end within a logarithmic axis.
const cutOf = (bars: Bar[], rules: Bound[]): Bar[] => bars.filter(({low}) => low < floorOf(bars, rules));

function firstScale(training: Training): Scale {
  const values = training.options.test_lengths.flatMap((length) =>
    valuesOf(barsAt(training, length), rulesAt(training, length)),
  );
  const least = Math.min(...values);
  return least > 0 && Math.max(...values) / least > wide ? "log" : "linear";
}

const rulesAt = (training: Training, length: number): Bound[] =>
  baselinesAt(training, length).map(({name, value, caution}) => ({
    x: value,
    name: caution ? `${name}, ${caution}` : name,
    kind: name,
  }));

function markNames(bars: Bar[], rules: Bound[], log: boolean): void {
  const place = (value: number): number => (log ? Math.log(value) : value);
  const ends = [...bars.flatMap(({low, value, high}) => [low, value, high]), ...rules.map(({x}) => x)].map(
    place,
  );
  const middle = (Math.min(log ? Infinity : 0, ...ends) + Math.max(...ends)) / 2;
  for (const rule of rules) rule.before = place(rule.x) > middle;
}

function marksOf(bars: Bar[], cut: Bar[], log: boolean, right: number): Plot.Markish[] {
  return [
    ...(log
      ? []
      : [
          Plot.ruleY(bars, {
            y: "key",
            x1: () => 0,
            x2: "value",
            className: "bars",
            stroke: "var(--accent)",
            strokeWidth: 13,
            strokeOpacity: 0.28,
          }),
        ]),
    Plot.ruleY(bars, {
      y: "key",
      x1: "low",
      x2: "high",
      className: "intervals",
      stroke: "var(--accent)",
      strokeWidth: 2,
      strokeOpacity: 0.7,
    }),
    Plot.dot(cut, {
      x: "low",
      y: "key",
      className: "cuts",
      symbol: "triangle",
      rotate: -90,
      r: 4,
      fill: "var(--accent)",
    }),
    Plot.dot(bars, {x: "value", y: "key", className: "dots", r: 4.5, fill: "var(--accent)"}),
    Plot.text(bars, {
      y: "key",
      text: ({value}: Bar) => num(value, 3),
      frameAnchor: "right",
      dx: right - 6,
      textAnchor: "end",
      className: "values",
      fontVariant: "tabular-nums",
    }),
    tip(bars, Plot.pointerY({x: "value", y: "key", title: "note", maxRadius: 60})),
  ];
}

function draw(given: Bar[], rules: Bound[], scale: Scale, label: string, width: number): SVGSVGElement {
  if (given.length === 0)
    return plot({width, height: 60, marks: [Plot.text(["Nothing to draw."], {frameAnchor: "left"})]});
  const log = scale === "log";
  const floor = floorOf(given, rules);
  const raised = (value: number): number => (log ? Math.max(value, floor) : value);
  const bars = given.map((bar) => ({
    ...bar,
    value: raised(bar.value),
    low: raised(bar.low),
    high: raised(bar.high),
  }));
  const open = new Set(log ? cutOf(given, rules).map(({key}) => key) : []);
  const cut = bars.filter(({key}) => open.has(key));
  const bounds = rules.filter(({x}) => !log || x > 0);
  markNames(bars, bounds, log);
  const narrow = width < 620;
  const longest = Math.max(8, ...bars.map(({name}) => Math.min(name.length, 34)));
  const right = 74;
  const drawing = plot({
    width,
    height: 60 + 14 * bounds.length + bars.length * (narrow ? 38 : 26),
    marginLeft: narrow ? 4 : Math.min(250, 16 + 7 * longest),
    marginRight: right,
    marginTop: 22 + 14 * bounds.length,
    marginBottom: 34,
    x: log
      ? {type: "log", axis: null}
      : {grid: true, label, labelAnchor: "right", ticks: narrow ? 4 : 8, tickFormat: (v: number) => num(v)},
    y: {
      type: "point",
      domain: bars.map(({key}) => key),
      padding: narrow ? 0.7 : 0.5,
      axis: narrow ? null : "left",
      label: null,
      tickSize: 0,
      tickFormat: (key: string) => shorten(key, 34),
    },
    marks: [
      ...(log
        ? logAxis("x", bars.flatMap(({low, high}) => [low, high]).concat(bounds.map(({x}) => x)), {
            label,
            labelAnchor: "right",
          })
        : []),
      ...boundMarks(bounds),
      ...marksOf(bars, cut, log, right),
    ],
  });
  tag(drawing, "dots", given, ({key, value}) => ({key, value}));
  tag(drawing, "bars", given, ({key, value}) => ({key, value}));
  tag(drawing, "intervals", given, ({key, low, high}) => ({key, low, high}));
  tag(drawing, "cuts", cut, ({key}) => ({key}));
  tag(drawing, "bounds", bounds, ({kind, x}) => ({bound: kind, value: x}));
  if (narrow) drawNames(drawing, bars);
  return drawing;
}

// Intervals that leave a logarithmic axis, which have arrows, or go below 0 on a linear one.
function cutWords(bars: Bar[], rules: Bound[], scale: Scale): string {
  const cut = scale === "log" ? cutOf(bars, rules) : bars.filter(({low}) => low < 0);
  if (cut.length === 0) return "";
  const ends = cut.map(({name, low}) => `${name} (to ${num(low, 2)})`).join(", ");
  return scale === "log"
    ? ` An arrow: the interval goes on beyond the frame, ${ends}; a logarithmic axis shows nothing at 0 and below.`
    : ` Below 0, where no value can be, go the intervals of ${ends}: these seeds say little.`;
}

export function trainingBars(training: Training): Figure {
  const {metric, test_lengths, train_length} = training.options;
  const better = metric === "accuracy" ? "larger is better" : "smaller is better";
  let length = homeLength(training);
  let scale = firstScale(training);
  const arrows = el("span", {id: "training-arrows"});
  const chart: Figure = figure({
    id: "training-bars",
    title: `${metric === "accuracy" ? "Accuracy" : "Loss"} of each encoding`,
    controls: [
      choose(
        "training-length",
        "Test length",
        test_lengths.map((each) => ({
          value: String(each),
          text: each === train_length ? `${each} (training)` : String(each),
        })),
        String(length),
        (value) => {
          length = Number(value);
          chart.redraw();
        },
      ),
      choose<Scale>(
        "training-scale",
        "Axis",
        [
          {value: "linear", text: "Linear"},
          {value: "log", text: "Logarithmic"},
        ],
        scale,
        (value) => {
          scale = value;
          chart.redraw();
        },
      ),
    ],
    label: () =>
      `Mean ${metric} of each encoding at length ${length}, the best first, with 95 % intervals; baselines: ${
        rulesAt(training, length)
          .map(({name, x}) => `${name} ${num(x)}`)
          .join(", ") || "none"
      }.`,
    draw: (width) => {
      const bars = barsAt(training, length),
        rules = rulesAt(training, length);
      arrows.textContent = cutWords(bars, rules, scale);
      return draw(bars, rules, scale, `mean ${metric}, ${better} \u2192`, width);
    },
    caption: [
      "Means over the seeds with 95 % intervals by Student's t. Broken lines are baselines, computed from the task without learning: what is no better than these has not used the order. A mean that stays the same at longer lengths is no extrapolation if it is that of a baseline.",
      arrows,
    ],
  });
  return chart;
}
