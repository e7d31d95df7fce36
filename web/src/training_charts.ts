// SPDX-License-Identifier: Apache-2.0
// Lines of the chosen encodings: the metric by test length, the training loss by step, the test loss
// by position. Several seeds are their median, with their range as a band.
import {median} from "d3";

import {choose, el} from "./dom";
import {figure, type Figure} from "./figure";
import {exists, interval, num} from "./format";
import {drawable, drawLines, lineOf, type Axis, type Line, type Span} from "./lines";
import type {Num} from "./report";
import {baselinesAt, homeLength, type Summary, type Training} from "./training_data";

export type Slots = Map<string, number>;

interface Run {
  seed: number;
  x: number[];
  y: Num[];
}

const positive = (values: Num[]): boolean => values.filter(exists).every((value) => value > 0);
const names = (slots: Slots): string => [...slots.keys()].join(", ") || "none";

// The runs of one encoding as one line, seed by seed under the pointer.
function bundle(name: string, slot: number, runs: Run[], x: Axis, y: Axis): Line {
  const found = new Map<number, {seed: number; value: number}[]>();
  for (const {seed, x: places, y: values} of runs) {
    places.forEach((place, k) => {
      const value = values[k];
      if (drawable(value, y)) found.set(place, [...(found.get(place) ?? []), {seed, value: value!}]);
    });
  }
  const sorted = [...found].sort(([a], [b]) => a - b);
  const line = lineOf(
    name,
    slot,
    sorted.map(([place]) => place),
    sorted.map(([, all]) => median(all, ({value}) => value)),
    x,
    y,
  );
  const notes = sorted.map(([, all]) => all.map(({seed, value}) => `seed ${seed}: ${num(value)}`).join("\n"));
  const band = sorted.map(([place, all]) => {
    const values = all.map(({value}) => value);
    return {x: place, low: Math.min(...values), high: Math.max(...values)};
  });
  return {...line, points: line.points.map((point, k) => ({...point, note: notes[k]})), band};
}

function baselineLines(training: Training, x: Axis, y: Axis): Line[] {
  const lengths = training.options.test_lengths;
  const all = lengths.flatMap((length) => baselinesAt(training, length));
  const own = [...new Set(all.map(({name}) => name))];
  const dashes = ["1 3", "6 2 1 2", "10 3", "3 5"];
  return own.map((name, k) => {
    const values = all.filter((baseline) => baseline.name === name).sort((a, b) => a.length - b.length);
    const line = lineOf(
      `* ${name}`,
      0,
      values.map(({length}) => length),
      values.map(({value}) => value),
      x,
      y,
    );
    return {...line, color: "var(--ink-soft)", dash: dashes[k % dashes.length]!};
  });
}

// The 95 % intervals of one encoding; an axis without a place for 0 shows them down to `floor`.
const intervalBand = (own: Summary[], floor: number): Span[] =>
  own.flatMap(({length, ci}) =>
    ci && exists(ci[0]) && exists(ci[1]) ? [{x: length, low: Math.max(floor, ci[0]), high: ci[1]}] : [],
  );

// Baselines that are not what they seem, length by length.
function cautionWords(training: Training): string {
  const said = training.options.test_lengths.flatMap((length) =>
    baselinesAt(training, length).flatMap(({name, caution}) =>
      caution ? [`${name} at ${length} is ${caution}`] : [],
    ),
  );
  return said.length > 0 ? ` As counted, ${said.join("; ")}.` : "";
}

function lengthChart(training: Training, slots: Slots): Figure {
  const {metric, train_length} = training.options;
  const shownMetric = training.baselines.filter((baseline) => baseline.metric === metric);
  const values = [...training.summary.map(({mean}) => mean), ...shownMetric.map(({value}) => value)];
  const log = metric !== "accuracy" && positive(values);
  const floor = log ? Math.min(...values.filter(exists)) / 2 : -Infinity;
  const x: Axis = {label: "test length", scale: "log"};
  const y: Axis = {label: `mean ${metric}`, scale: log ? "log" : "linear"};
  const lines = (): Line[] => [
    ...[...slots].map(([encoding, slot]) => {
      const own = training.summary
        .filter((summary) => summary.encoding === encoding)
        .sort((a, b) => a.length - b.length);
      const line = lineOf(
        encoding,
        slot,
        own.map(({length}) => length),
        own.map(({mean}) => mean),
        x,
        y,
      );
      const notes = own.map(({ci}) => `95 % ${interval(ci, num)}`);
      const points = line.points.map((point, k) => ({...point, note: notes[k]}));
      return {...line, points, band: intervalBand(own, floor)};
    }),
    ...baselineLines(training, x, y),
  ];
  return figure({
    id: "training-lengths",
    title: `${metric === "accuracy" ? "Accuracy" : "Loss"} against the length`,
    label: () =>
      `Mean ${metric} against the test length, trained at ${train_length}: ${names(slots)}, and baselines.`,
    draw: (width) =>
      drawLines({
        width,
        lines: lines(),
        x,
        y,
        rule: {x: train_length, text: `trained at ${train_length}`},
        legend: true,
      }),
    caption: [
      "Means over the seeds; bands are their 95 % intervals",
      log ? ", cut at the lower edge where they go to 0 or below" : null,
      `. Names with * are baselines, which need no learning.${cautionWords(training)}`,
    ],
  });
}

function curveChart(training: Training, slots: Slots): Figure {
  const x: Axis = {label: "step", scale: "linear"};
  const y: Axis = {
    label: "training loss",
    scale: positive(training.curves.flatMap(({loss}) => loss)) ? "log" : "linear",
  };
  const lines = (): Line[] =>
    [...slots].map(([encoding, slot]) =>
      bundle(
        encoding,
        slot,
        training.curves
          .filter((curve) => curve.encoding === encoding)
          .map(({seed, step, loss}) => ({seed, x: step, y: loss})),
        x,
        y,
      ),
    );
  return figure({
    id: "training-curves",
    title: "Training loss",
    label: () => `Training loss against the step, median and range of the seeds: ${names(slots)}.`,
    draw: (width) => drawLines({width, lines: lines(), x, y, legend: true}),
    caption: [
      "The line is the median of the seeds, the band their range; the pointer shows each seed. Each point is a mean over the steps since the one before.",
    ],
  });
}

function positionChart(training: Training, slots: Slots): Figure | null {
  const lengths = [...new Set(training.positions.map(({length}) => length))].sort((a, b) => a - b);
  if (lengths.length === 0) return null;
  const train = training.options.train_length;
  let shown = lengths.at(-1)!;
  const x: Axis = {label: "position", scale: "linear"};
  const y: Axis = {
    label: "test loss",
    scale: positive(training.positions.flatMap(({loss}) => loss)) ? "log" : "linear",
  };
  const lines = (): Line[] =>
    [...slots].map(([encoding, slot]) =>
      bundle(
        encoding,
        slot,
        training.positions
          .filter((each) => each.encoding === encoding && each.length === shown)
          .map(({seed, position, loss}) => ({seed, x: position, y: loss})),
        x,
        y,
      ),
    );
  const chart: Figure = figure({
    id: "training-positions",
    title: "Loss by position",
    controls: [
      choose(
        "training-position-length",
        "Test length",
        lengths.map((each) => ({value: String(each), text: String(each)})),
        String(shown),
        (value) => {
          shown = Number(value);
          chart.redraw();
        },
      ),
    ],
    label: () =>
      `Test loss against the position in sequences of length ${shown}, training ends at ${train}: ${names(slots)}.`,
    draw: (width) =>
      drawLines({
        width,
        lines: lines(),
        x,
        y,
        rule: train < shown ? {x: train, text: `N = ${train}`} : undefined,
        legend: true,
      }),
    caption: [
      "Median and range of the seeds. Beyond 200 positions a point is the mean of neighbours, at the first of them.",
    ],
  });
  return chart;
}

export function trainingCharts(training: Training, slots: Slots): Figure {
  const byPosition = positionChart(training, slots);
  const charts = [
    ...(homeLength(training) > 0 ? [lengthChart(training, slots)] : []),
    curveChart(training, slots),
    ...(byPosition ? [byPosition] : []),
  ];
  return {
    root: el("div", {}, ...charts.map(({root}) => root)),
    redraw: () => charts.forEach((chart) => chart.redraw()),
  };
}
