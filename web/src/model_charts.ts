// SPDX-License-Identifier: Apache-2.0
// The charts of one group of layers that turns: wavelengths, coverage of the circle, what methods of
// extension do to the ladder, what number formats lose.
import * as Plot from "@observablehq/plot";

import {el} from "./dom";
import {figure, logAxis, plot, tag, tip, type Figure} from "./figure";
import {exists, missing, num, whole} from "./format";
import {drawLines, lineOf, look, type Axis, type Line} from "./lines";
import type {Rotary} from "./model_data";
import {boundMarks, type Bound} from "./row_marks";

interface Pair {
  pair: number;
  wavelength: number;
  ladder: string;
}

const pairsOf = (values: unknown[], ladder: string): Pair[] =>
  values.flatMap((value, pair) => (exists(value) ? [{pair, wavelength: value, ladder}] : []));

const present = "as configured",
  original = "as trained";

// Lengths as lines across the wavelengths; equal ones share one.
function lengthRules({trained, to}: Rotary): Bound[] {
  const rules: Bound[] = [];
  if (exists(trained))
    rules.push({x: trained, name: `trained ${whole(trained)}`, kind: "trained", before: true});
  if (to !== trained) rules.push({x: to, name: `length ${whole(to)}`, kind: "to"});
  return rules;
}

function drawWavelengths(rotary: Rotary, width: number): SVGSVGElement {
  const scaled = rotary.wavelength.some((value, k) => value !== rotary.trained_wavelength[k]);
  const points = [
    ...(scaled ? pairsOf(rotary.trained_wavelength, original) : []),
    ...pairsOf(rotary.wavelength, present),
  ];
  if (points.length === 0)
    return plot({width, height: 60, marks: [Plot.text(["No pair turns."], {frameAnchor: "left"})]});
  const rules = lengthRules(rotary);
  const along = [...points.map((point) => point.wavelength), ...rules.map((rule) => rule.x)];
  const domain = [Math.min(...along) / 1.15, Math.max(...along) * 1.15];
  const color = (point: Pair): string => look(point.ladder === present ? 0 : 1).color;
  const drawing = plot({
    width,
    height: width < 620 ? 290 : 340,
    marginLeft: 44,
    marginRight: 20,
    marginTop: 46,
    marginBottom: 38,
    x: {type: "log", domain, axis: null},
    y: {domain: [rotary.pairs - 0.5, -0.5], label: "\u2191 pair", ticks: 6, tickFormat: "d", grid: true},
    marks: [
      ...logAxis("x", domain, {label: "wavelength in positions \u2192", labelAnchor: "center"}),
      ...boundMarks(rules),
      Plot.dot(points, {
        x: "wavelength",
        y: "pair",
        r: rotary.pairs > 96 ? 1.6 : 2.4,
        fill: color,
        className: "pairs",
        ariaLabel: (point: Pair) => `pair ${point.pair}: ${num(point.wavelength)} positions ${point.ladder}`,
      }),
      tip(
        points,
        Plot.pointer({
          x: "wavelength",
          y: "pair",
          title: (point: Pair) => `pair ${point.pair} ${point.ladder}\n${num(point.wavelength)} positions`,
        }),
      ),
    ],
  });
  tag(drawing, "pairs", points, ({pair, wavelength, ladder}) => ({pair, value: wavelength, ladder}));
  tag(drawing, "bounds", rules, ({kind, x}) => ({bound: kind, value: x}));
  return drawing;
}

function swatches(names: [string, string][]): HTMLElement {
  const list = el("ul", {class: "legend", "aria-label": "Colours"});
  for (const [name, color] of names) {
    const mark = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    mark.setAttribute("viewBox", "-7 -7 14 14");
    mark.setAttribute("class", "mark");
    mark.setAttribute("aria-hidden", "true");
    const dot = document.createElementNS("http://www.w3.org/2000/svg", "circle");
    dot.setAttribute("r", "4");
    dot.setAttribute("fill", color);
    mark.append(dot);
    list.append(el("li", {}, mark, name));
  }
  return list;
}

function wavelengthChart(id: string, rotary: Rotary): Figure {
  const longer = (length: unknown): number =>
    exists(length) ? rotary.wavelength.filter((value) => exists(value) && value > length).length : 0;
  const still = rotary.wavelength.filter((value) => !exists(value)).length;
  const words = [
    exists(rotary.trained)
      ? `${longer(rotary.trained)} of ${rotary.pairs} pairs are slower than one turn in the ${whole(rotary.trained)} positions of training, `
      : `Of ${rotary.pairs} pairs `,
    `${longer(rotary.to)} than one turn in ${whole(rotary.to)}.`,
    still > 0 ? ` ${still} ${still === 1 ? "does" : "do"} not turn.` : "",
  ].join("");
  return figure({
    id: `${id}-wavelengths`,
    title: "Wavelengths against the context",
    label: () => `Wavelength of each pair on a logarithmic axis. ${words}`,
    draw: (width) => drawWavelengths(rotary, width),
    caption: [
      swatches([
        [present, look(0).color],
        [original, look(1).color],
      ]),
      words,
    ],
  });
}

const pairAxis: Axis = {label: "pair", scale: "linear"};

function pairLines(all: [string, (number | null | undefined)[]][], y: Axis): Line[] {
  return all.map(([name, values], k) =>
    lineOf(
      name,
      k,
      values.map((_, pair) => pair),
      values,
      pairAxis,
      y,
    ),
  );
}

function coverageChart(id: string, rotary: Rotary): Figure | null {
  const {coverage, trained, to} = rotary;
  if (!coverage) return null;
  const y: Axis = {label: "part of the circle", scale: "linear"};
  const same = coverage.to.every((value, k) => value === coverage.unscaled[k]);
  const lines = pairLines(
    [
      [`seen in training, ${whole(trained)}`, coverage.trained],
      [`at ${whole(to)}, as configured`, coverage.to],
      ...(same ? [] : [[`at ${whole(to)}, unscaled`, coverage.unscaled] as [string, typeof coverage.to]]),
    ],
    y,
  );
  const fresh = coverage.to.filter((value, k) => {
    const seen = coverage.trained[k];
    return exists(value) && exists(seen) && value > seen * (1 + 1e-3);
  }).length;
  return figure({
    id: `${id}-coverage`,
    title: "Phases that training has shown",
    label: () =>
      `Part of the circle that each pair turns through; ${fresh} pairs meet new phases at ${whole(to)}.`,
    draw: (width) => drawLines({width, lines, x: pairAxis, y, legend: true}),
    caption: [
      `A pair that went round in training knows every phase. Of the others, ${fresh} meet phases at length ${whole(to)} that no training position had: there weights are used as they never were.`,
    ],
  });
}

function methodChart(id: string, rotary: Rotary): Figure | null {
  const methods = rotary.methods ?? [];
  if (methods.length === 0) return null;
  const y: Axis = {label: "frequency by that of training", scale: "log"};
  const now = rotary.wavelength.map((value, k) => {
    const before = rotary.trained_wavelength[k];
    return exists(value) && exists(before) ? before / value : null;
  });
  const scaled = now.some((ratio) => exists(ratio) && Math.abs(ratio - 1) > 1e-4);
  const lines = pairLines(
    [
      ...methods.map(({method, ratio}): [string, typeof ratio] => [method, ratio]),
      ...(scaled ? [[present, now] as [string, typeof now]] : []),
    ],
    y,
  );
  const louder = methods.filter(({magnitude}) => exists(magnitude) && magnitude !== 1);
  return figure({
    id: `${id}-methods`,
    title: `What methods of extension do, to ${whole(rotary.to)}`,
    label: () =>
      `Ratio of each pair's frequency to that of training under ${methods.map(({method}) => method).join(", ")}.`,
    draw: (width) => drawLines({width, lines, x: pairAxis, y, legend: true}),
    caption: [
      `1 leaves a pair as it was trained; ${num((rotary.trained ?? 0) / rotary.to, 3)} fits the new length into the old phases. `,
      ...louder.map(
        ({method, magnitude}) => `${method} also multiplies cosines and sines by ${num(magnitude)}. `,
      ),
      "sextant extend weighs the methods and prints the keys.",
    ],
  });
}

const wayName = ({what, dtype}: {what: string; dtype: string}): string => `${what} in ${dtype}`;

function precisionTable(precision: NonNullable<Rotary["precision"]>): HTMLElement {
  const limits = Object.keys(precision.curves[0]?.first ?? {});
  const head = ["Rounded", ...limits.map((limit) => `above ${limit}`)];
  return el(
    "div",
    {class: "scroll", tabindex: 0, role: "region", "aria-label": "First positions with such an error"},
    el(
      "table",
      {class: "precision-limits"},
      el("thead", {}, el("tr", {}, ...head.map((text) => el("th", {scope: "col"}, text)))),
      el(
        "tbody",
        {},
        ...precision.curves.map((curve) =>
          el(
            "tr",
            {},
            el("th", {scope: "row"}, wayName(curve)),
            ...limits.map((limit) =>
              el("td", {}, exists(curve.first[limit]) ? whole(curve.first[limit]) : "never"),
            ),
          ),
        ),
      ),
    ),
  );
}

function precisionChart(id: string, rotary: Rotary): Figure | null {
  const {precision} = rotary;
  if (!precision) return null;
  const x: Axis = {label: "position", scale: "log", floor: 1};
  const y: Axis = {label: "largest |cos error|", scale: "log", floor: 1e-8};
  const lines = precision.curves.map((curve, k) =>
    lineOf(wayName(curve), k, precision.positions, curve.worst, x, y),
  );
  return figure({
    id: `${id}-precision`,
    title: "What number formats lose",
    label: () =>
      `Largest error of a cosine up to each position, by what is rounded: ${lines.map(({name}) => name).join(", ")}.`,
    draw: (width) => drawLines({width, lines, x, y, legend: true}),
    caption: [
      "The largest error of all pairs at the positions so far, against exact cosines; errors below 1e\u22128 are not drawn. The table has the first position above each limit.",
      precisionTable(precision),
    ],
  });
}

export function rotaryCharts(id: string, rotary: Rotary): HTMLElement {
  const charts = [
    wavelengthChart(id, rotary),
    coverageChart(id, rotary),
    methodChart(id, rotary),
    precisionChart(id, rotary),
  ];
  const head = [
    `${rotary.pairs} pairs`,
    `magnitude ${num(rotary.magnitude, 6)}`,
    ...(rotary.softmax_factor !== 1 ? [`factor on logits ${num(rotary.softmax_factor, 6)}`] : []),
    `trained at ${exists(rotary.trained) ? whole(rotary.trained) : missing}`,
  ];
  return el(
    "div",
    {},
    el("p", {class: "small"}, `${head.join(", ")}.`),
    el("div", {class: "pair"}, ...charts.flatMap((chart) => (chart ? [chart.root] : []))),
  );
}
