// SPDX-License-Identifier: Apache-2.0
// Attention weights of one test sequence, longer than those of training where that was asked for.
import * as Plot from "@observablehq/plot";

import {el, select} from "./dom";
import {figure, plot, tag, tip} from "./figure";
import {exists, num} from "./format";
import type {Attention, AttentionMap, Training} from "./training_data";

interface Square {
  query: [number, number]; // the first and the one after the last
  key: [number, number];
  value: number;
}

const largest = 600; // pixels
const margin = {left: 48, right: 14, top: 34, bottom: 36};

function squaresOf({starts}: Attention, {values}: AttentionMap): Square[] {
  const side = starts.length - 1;
  return values.flatMap((value, k) => {
    const row = Math.floor(k / side),
      column = k % side;
    if (!exists(value) || row >= side) return [];
    return [
      {
        query: [starts[row]!, starts[row + 1]!],
        key: [starts[column]!, starts[column + 1]!],
        value,
      },
    ];
  });
}

const span = ([from, end]: [number, number]): string =>
  end - from > 1 ? `${from}\u2013${end - 1}` : `${from}`;

function endOfTraining(train: number, length: number): Plot.Markish[] {
  if (train >= length) return [];
  const options = {stroke: "white", strokeDasharray: "4 3", strokeWidth: 1.3};
  return [
    Plot.ruleX([train], {...options, className: "train"}),
    Plot.ruleY([train], {...options, className: "train"}),
  ];
}

function draw(found: Attention, map: AttentionMap, train: number, width: number): SVGSVGElement {
  const squares = squaresOf(found, map);
  const high = Math.max(0, ...squares.map(({value}) => value)) || 1;
  const side = Math.min(width, largest);
  const ticks = side < 400 ? 4 : 8;
  const drawing = plot({
    width: side,
    height: side - margin.left - margin.right + margin.top + margin.bottom,
    marginLeft: margin.left,
    marginRight: margin.right,
    marginTop: margin.top,
    marginBottom: margin.bottom,
    x: {domain: [0, found.length], label: "key \u2192", labelAnchor: "center", ticks},
    y: {domain: [found.length, 0], label: null, ticks},
    color: {type: "sqrt", scheme: "viridis", domain: [0, high]},
    marks: [
      Plot.rect(squares, {
        x1: ({key}: Square) => key[0],
        x2: ({key}: Square) => key[1],
        y1: ({query}: Square) => query[0],
        y2: ({query}: Square) => query[1],
        fill: "value",
        shapeRendering: "crispEdges",
        className: "squares",
      }),
      ...endOfTraining(train, found.length),
      Plot.text([`\u2193 query; weights 0 (dark) to ${num(high, 3)} (bright)`], {
        frameAnchor: "top-left",
        textAnchor: "start",
        dx: 2 - margin.left,
        dy: -26,
      }),
      tip(
        squares,
        Plot.pointer({
          x: ({key}: Square) => (key[0] + key[1]) / 2,
          y: ({query}: Square) => (query[0] + query[1]) / 2,
          title: ({query, key, value}: Square) =>
            `query ${span(query)}, key ${span(key)}\nweight ${num(value)}`,
        }),
      ),
    ],
  });
  tag(drawing, "squares", squares, ({query, key, value}) => ({query: query[0], key: key[0], value}));
  return drawing;
}

const headName = ({layer, head}: AttentionMap): string => `layer ${layer}, head ${head}`;

export function trainingAttention({attention, options}: Training): HTMLElement | null {
  if (!attention || attention.maps.length + attention.missing.length === 0) return null;
  const {maps, missing, length, starts} = attention;
  const why =
    missing.length > 0
      ? el(
          "ul",
          {class: "plain", id: "training-no-attention"},
          ...missing.map(({encoding, reason}) => el("li", {}, el("b", {}, encoding), `: ${reason}`)),
        )
      : null;
  if (maps.length === 0) return why;
  let encoding = maps[0]!.encoding,
    place = headName(maps[0]!);
  const shown = (): AttentionMap =>
    maps.find((map) => map.encoding === encoding && headName(map) === place) ??
    maps.find((map) => map.encoding === encoding)!;
  const chart = figure({
    id: "training-attention",
    title: `Attention at length ${length}`,
    controls: [
      select(
        "attention-encoding",
        "Encoding",
        [...new Set(maps.map((map) => map.encoding))],
        encoding,
        (value) => {
          encoding = value;
          chart.redraw();
        },
      ),
      select("attention-head", "Layer and head", [...new Set(maps.map(headName))], place, (value) => {
        place = value;
        chart.redraw();
      }),
    ],
    label: () =>
      `Heat map of the attention weights of ${encoding}, ${headName(shown())}, seed ${shown().seed}, at length ${length}; trained at ${options.train_length}.`,
    draw: (width) => draw(attention, shown(), options.train_length, width),
    caption: [
      "Weights of the first test sequence, of the first seed that finished; layers and heads count from 0. Colours go with the square root of the weight.",
      options.train_length < length ? " Broken lines mark the end of training." : null,
      starts.length - 1 < length ? " A square is the mean over neighbouring queries and keys." : null,
    ],
  });
  return el("div", {}, chart.root, why);
}
