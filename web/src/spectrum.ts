// SPDX-License-Identifier: Apache-2.0
// Eigenvalues of the text against those of shuffled text: how many dimensions are more than noise.
import * as Plot from "@observablehq/plot";

import {checkbox, el, section} from "./dom";
import {figure, logAxis, plot, tag, tip} from "./figure";
import {exists, num, percent, whole} from "./format";
import type {Report} from "./report";

interface Point {
  k: number;
  value: number;
  series: string;
}

// An eigenvalue that is rounding error would stretch the logarithmic axis over nothing.
const smallest = 1e-9;
const left = 0.8; // where the axis of indices begins

function series(name: string, values: number[] | undefined): Point[] {
  const least = smallest * Math.max(0, ...(values ?? []));
  return (values ?? [])
    .map((value, k) => ({k: k + 1, value, series: name}))
    .filter((p) => exists(p.value) && p.value > least);
}

const colors = {
  domain: ["text", "null", "corrected"],
  range: ["var(--accent)", "var(--ink-soft)", "var(--second)"],
};

function draw(report: Report, corrected: boolean, width: number): SVGSVGElement {
  const {target} = report;
  const real = series("text", target.eigenvalues);
  const none = series("null", target.null.eigenvalues);
  const fair = corrected ? series("corrected", target.corrected.eigenvalues) : [];
  const largest = exists(target.null.largest) && target.null.largest > 0 ? [target.null.largest] : [];
  const supported =
    exists(target.rank_supported) && real.length > 0 ? [Math.max(target.rank_supported + 0.5, left)] : [];
  const far = Math.max(2, ...real.map((p) => p.k), ...fair.map((p) => p.k));
  const crowded = supported.some((rank) => rank > 0.6 * far); // the label would leave the frame
  const label = "index of the eigenvalue \u2192";
  const many = far > 40;
  const drawing = plot({
    width,
    height: Math.min(380, 220 + width / 6),
    marginLeft: 58,
    marginRight: 12,
    marginTop: 28,
    marginBottom: 38,
    x: {
      domain: [left, far + 0.5],
      ...(many
        ? {type: "log" as const, axis: null}
        : {label, ticks: Math.min(far, width / 70), tickFormat: "d"}),
    },
    y: {type: "log", axis: null},
    color: {...colors, type: "ordinal"},
    marks: [
      ...logAxis(
        "y",
        [...real, ...none, ...fair].map((p) => p.value),
        {label: "\u2191 eigenvalue of B"},
      ),
      ...(many ? [logAxis("x", [1, far], {label})[1]!] : []),
      Plot.rectX(supported, {
        x1: left,
        x2: (x: number) => x,
        fill: "var(--accent)",
        fillOpacity: 0.08,
        className: "supported",
      }),
      Plot.ruleX(supported, {stroke: "var(--mark)", strokeDasharray: "5 3"}),
      Plot.text(supported, {
        x: (x: number) => x,
        text: () => `rank supported: ${whole(target.rank_supported)}`,
        frameAnchor: "top",
        textAnchor: crowded ? "end" : "start",
        dx: crowded ? -6 : 6,
        dy: 4,
        fill: "var(--mark)",
        fontWeight: 600,
      }),
      Plot.ruleY(largest, {stroke: "var(--ink-soft)", strokeDasharray: "2 3", className: "largest"}),
      Plot.text(largest, {
        y: (y: number) => y,
        text: () => "largest of the null",
        frameAnchor: "right",
        textAnchor: "end",
        dy: -7,
        fill: "var(--ink-soft)",
      }),
      Plot.lineY(none, {x: "k", y: "value", stroke: "series", strokeWidth: 1.5}),
      Plot.dot(none, {
        x: "k",
        y: "value",
        stroke: "series",
        symbol: "times",
        r: 2.5,
        className: "null-values",
      }),
      Plot.dot(fair, {
        x: "k",
        y: "value",
        stroke: "series",
        symbol: "diamond2",
        r: 3,
        className: "corrected-values",
      }),
      Plot.dot(real, {
        x: "k",
        y: "value",
        fill: "series",
        r: 3,
        className: "text-values",
        ariaLabel: (p: Point) => `eigenvalue ${p.k}: ${num(p.value)}`,
      }),
      tip(
        real,
        Plot.pointerX({
          x: "k",
          y: "value",
          title: (p: Point) =>
            `eigenvalue ${p.k}\ntext ${num(p.value)}\nnull ${num(target.null.eigenvalues?.[p.k - 1])}` +
            `\ncorrected ${num(target.corrected.eigenvalues?.[p.k - 1])}`,
        }),
      ),
    ],
  });
  for (const [name, points] of [
    ["text-values", real],
    ["null-values", none],
    ["corrected-values", fair],
  ] as const) {
    tag(drawing, name, [...points], (p) => ({k: p.k, value: p.value}));
  }
  return drawing;
}

export function spectrum(report: Report): HTMLElement {
  const {target} = report;
  let corrected = false;
  const chart = figure({
    id: "spectrum-chart",
    title: "Spectrum against the null",
    controls: [
      checkbox("corrected-spectrum", "corrected eigenvalues (positive ones)", (on) => {
        corrected = on;
        chart.redraw();
      }),
    ],
    label: () =>
      `Eigenvalues on a logarithmic axis; ${whole(target.rank_supported)} lie above the largest of the null.`,
    draw: (width) => draw(report, corrected, width),
    caption: [
      el("span", {class: "swatch dot"}),
      "text ",
      el("span", {class: "swatch cross"}),
      "mean over shuffles. ",
      `Ranks of the plain spectrum: entropy ${num(target.ranks.entropy, 3)}, participation ${num(target.ranks.participation, 3)}, ` +
        `90 % in ${whole(target.ranks.share90)}, 99 % in ${whole(target.ranks.share99)}; first share ${percent(target.first_share)}. ` +
        `Negative mass after correction ${percent(target.corrected.negative_mass)}.`,
    ],
  });
  return section(
    "spectrum",
    "How many dimensions",
    "Sampling noise fills every dimension. Only eigenvalues above the largest of shuffled text count.",
    chart.root,
  );
}
