// SPDX-License-Identifier: Apache-2.0
// The lags at which exp(lag X) leaves a format of numbers, above or below.
import * as Plot from "@observablehq/plot";
import {symbol, symbolCircle, symbolTriangle, type SymbolType} from "d3";

import {el} from "./dom";
import {figure, logAxis, plot, tag, tip} from "./figure";
import {exists, num, shorten} from "./format";
import {formats} from "./group_card";
import type {GroupRow, NumberFormat} from "./report";

type End = "overflow" | "vanishing";

interface Mark {
  encoding: string;
  format: NumberFormat;
  end: End;
  lag: number; // as reported
  shown: number; // on the axis: what lies beyond stands at its right end
  lane: number; // on the other axis: the number of the encoding and a bit for the format
}

const farthest = 1e9; // lags beyond stand at the end of the axis: no text is that long
const laneStep = 0.2; // between formats, in rows
const formatColors: Record<NumberFormat, string> = {
  f16: "var(--rule-line)",
  bf16: "var(--rule-brownian)",
  f32: "var(--rule-rows)",
  f64: "var(--rule-kernel)",
};
const shapes: Record<End, SymbolType> = {overflow: symbolTriangle, vanishing: symbolCircle};
const meanings: Record<End, string> = {
  overflow: "the lag at which exp(lag X) exceeds the largest number",
  vanishing: "the lag from which all of it is below the smallest normal number",
};

function marksOf(rows: GroupRow[]): Mark[] {
  const marks: Mark[] = [];
  let row = -1;
  for (const {encoding, horizon, vanishing} of rows) {
    const found = formats.flatMap((format, k) =>
      (["overflow", "vanishing"] as const).map((end) => ({
        encoding,
        format,
        end,
        lag: (end === "overflow" ? horizon : vanishing)?.[format],
        lane: (k - (formats.length - 1) / 2) * laneStep,
      })),
    );
    const finite = found.filter(
      (mark): mark is typeof mark & {lag: number} => exists(mark.lag) && mark.lag > 0,
    );
    if (finite.length > 0) ++row;
    for (const mark of finite)
      marks.push({...mark, lane: row + mark.lane, shown: Math.min(mark.lag, farthest)});
  }
  return marks;
}

const tick = (lag: number): string => (lag < 1e4 ? num(lag) : lag.toExponential().replace("+", ""));

function dots(end: End, marks: Mark[]): Plot.Markish {
  return Plot.dot(marks, {
    x: "shown",
    y: "lane",
    symbol: shapes[end],
    r: end === "overflow" ? 4.5 : 4,
    fill: end === "overflow" ? "format" : "var(--paper)",
    stroke: "format",
    strokeWidth: 1.6,
    className: end,
    ariaLabel: (mark: Mark) => `${mark.encoding}: ${end} of ${mark.format} at lag ${num(mark.lag)}`,
  });
}

// Names of the encodings: beside their rows, or above them on a narrow page.
function namesOf(names: string[], narrow: boolean): Plot.Markish {
  const rows = names.map((_, k) => k);
  const text = (k: number): string => shorten(names[k]!, narrow ? 38 : 30);
  if (!narrow) return Plot.axisY(rows, {text, tickSize: 0, label: null});
  return Plot.text(rows, {
    y: (k: number) => k - 2.6 * laneStep,
    text,
    frameAnchor: "left",
    textAnchor: "start",
    dx: -8,
    fontWeight: 600,
  });
}

function draw(marks: Mark[], width: number): SVGSVGElement {
  const narrow = width < 620;
  const names = [...new Set(marks.map((mark) => mark.encoding))];
  const longest = Math.max(...names.map((name) => Math.min(name.length, 30)));
  const lags = marks.map((mark) => mark.shown);
  const domain = [Math.min(...lags) / 1.4, Math.max(...lags) * 1.4];
  const beyond = marks.filter((mark) => mark.lag > mark.shown);
  const over = marks.filter((mark) => mark.end === "overflow");
  const under = marks.filter((mark) => mark.end === "vanishing");
  const drawing = plot({
    width,
    height: 60 + names.length * (narrow ? 70 : 58),
    marginLeft: narrow ? 10 : 24 + 7 * longest,
    marginRight: beyond.length > 0 ? 72 : 16,
    marginTop: narrow ? 16 : 10,
    marginBottom: 38,
    x: {type: "log", domain, axis: null},
    y: {domain: [names.length - 0.5, narrow ? -0.6 : -0.5], axis: null},
    color: {type: "ordinal", domain: formats, range: formats.map((format) => formatColors[format])},
    marks: [
      ...logAxis("x", domain, {label: "lag \u2192", labelAnchor: "right", text: tick}),
      Plot.ruleY(
        names.slice(1).map((_, k) => k + 0.5),
        {stroke: "var(--rule)"},
      ),
      namesOf(names, narrow),
      dots("overflow", over),
      dots("vanishing", under),
      Plot.text(beyond, {
        x: "shown",
        y: "lane",
        text: (mark: Mark) => `\u2192 ${num(mark.lag, 2)}`,
        dx: 9,
        textAnchor: "start",
        fill: "format",
        fontSize: 11,
      }),
      tip(
        marks,
        Plot.pointer({
          x: "shown",
          y: "lane",
          title: (mark: Mark) => `${mark.encoding}\n${mark.end} of ${mark.format} at lag ${num(mark.lag)}`,
        }),
      ),
    ],
  });
  const facts = ({encoding, format, lag, shown}: Mark) => ({encoding, format, lag, shown});
  tag(drawing, "overflow", over, facts);
  tag(drawing, "vanishing", under, facts);
  return drawing;
}

function icon(shape: SymbolType, fill: string, stroke: string): SVGSVGElement {
  const drawing = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  drawing.setAttribute("viewBox", "-7 -7 14 14");
  drawing.setAttribute("aria-hidden", "true");
  drawing.setAttribute("class", "mark");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", symbol(shape, 45)() ?? "");
  path.setAttribute("fill", fill);
  path.setAttribute("stroke", stroke);
  drawing.append(path);
  return drawing;
}

function legend(): HTMLElement {
  const list = el("ul", {class: "legend", "aria-label": "Marks of the horizons"});
  for (const end of Object.keys(shapes) as End[]) {
    const fill = end === "overflow" ? "currentColor" : "none";
    list.append(el("li", {}, icon(shapes[end], fill, "currentColor"), el("b", {}, end), ` ${meanings[end]}`));
  }
  for (const format of formats) {
    const color = formatColors[format];
    list.append(el("li", {}, icon(shapes.overflow, color, color), el("b", {}, format)));
  }
  return list;
}

export function horizons(rows: GroupRow[]): HTMLElement {
  const marks = marksOf(rows);
  if (marks.length === 0) {
    return el(
      "p",
      {id: "no-horizons"},
      "No encoding here leaves the range of f16, bf16, f32 or f64 at any lag: none overflows, none vanishes.",
    );
  }
  const chart = figure({
    id: "horizon-chart",
    title: "How far numbers reach",
    label: () =>
      `Dot plot on a logarithmic axis of lags: where exp(lag X) overflows or vanishes in four formats of numbers, one row per encoding.`,
    draw: (width) => draw(marks, width),
    caption: [
      legend(),
      "Beyond a filled mark the encoding, computed in that format, is infinite; beyond a hollow one it is zero or loses digits, and positions farther apart do not see each other. " +
        "Encodings that are not listed do neither at any lag. Lags beyond 1e9 stand at the right end with their numbers.",
    ],
  });
  return chart.root;
}
