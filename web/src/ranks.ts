// SPDX-License-Identifier: Apache-2.0
// How well r dimensions hold the distances, and what they cost in numbers.
import * as Plot from "@observablehq/plot";

import {choose, el, section} from "./dom";
import {figure, plot, tag, tip} from "./figure";
import {exists, num, stress, whole} from "./format";
import type {RankStress, Report} from "./report";

interface Point {
  rank: number;
  value: number;
  series: string;
}

type Kind = "raw" | "scaled";

function lines(ranks: RankStress[], columns: [keyof RankStress, string][]): Point[] {
  return columns
    .flatMap(([column, series]) => ranks.map((row) => ({rank: row.rank, value: row[column], series})))
    .filter((p): p is Point => exists(p.value));
}

const firsts = (points: Point[]): Point[] => points.filter((p, k) => points[k - 1]?.series !== p.series);
const lasts = (points: Point[]): Point[] => points.filter((p, k) => points[k + 1]?.series !== p.series);

// `named` are the points that carry the name of their line.
function draw(
  points: Point[],
  named: Point[],
  label: string,
  width: number,
  extra: Plot.Markish[],
): SVGSVGElement {
  const names = named.map((p) => p.series);
  const steps = [...new Set(points.map((p) => p.rank))];
  const drawing = plot({
    width,
    height: 290,
    marginLeft: 58,
    marginRight: 66,
    marginTop: 24,
    marginBottom: 38,
    x: {
      label: "rank r \u2192",
      tickFormat: "d",
      ticks: named.length > 0 && steps.length <= 10 ? steps : Math.min(10, width / 60),
    },
    y: {
      label: `\u2191 ${label}`,
      grid: true,
      zero: true,
      nice: true,
      ticks: 6,
      tickFormat: (v: number) => (v >= 1000 ? whole(v) : num(v)),
    },
    color: {type: "ordinal", domain: names, range: ["var(--accent)", "var(--second)"]},
    symbol: {type: "ordinal", domain: names, range: ["circle", "square2"]},
    marks: [
      ...extra,
      Plot.lineY(points, {x: "rank", y: "value", stroke: "series", strokeWidth: 1.5}),
      Plot.dot(points, {
        x: "rank",
        y: "value",
        stroke: "series",
        fill: "var(--paper)",
        symbol: "series",
        className: "steps",
        ariaLabel: (p: Point) => `${p.series}, rank ${p.rank}: ${num(p.value)}`,
      }),
      ...named.map((p, k) =>
        Plot.text([p], {
          x: "rank",
          y: "value",
          text: "series",
          fill: "series",
          textAnchor: "start",
          dx: 9,
          dy: k === 0 ? -7 : 7,
          fontWeight: 600,
        }),
      ),
      tip(
        points,
        Plot.pointer({
          x: "rank",
          y: "value",
          title: (p: Point) => `${p.series}\nrank ${p.rank}: ${num(p.value)}`,
        }),
      ),
    ],
  });
  tag(drawing, "steps", points, (p) => ({series: p.series, rank: p.rank, value: p.value}));
  return drawing;
}

export function ranks(report: Report): HTMLElement {
  const {ranks: list, target} = report;
  let kind: Kind = "raw";
  const breakEven = target.break_even_rank;
  const far = Math.max(0, ...list.map((row) => row.rank));
  const fit = figure({
    id: "rank-chart",
    title: "Stress against rank",
    controls: [
      choose<Kind>(
        "rank-stress",
        "Stress",
        [
          {value: "raw", text: "Raw"},
          {value: "scaled", text: "Scaled"},
        ],
        kind,
        (value) => {
          kind = value;
          fit.redraw();
        },
      ),
    ],
    label: () => `${kind} stress of classical MDS and of SMACOF for ranks up to ${far}.`,
    draw: (width) => {
      const points = lines(list, [
        [`mds_${kind}`, "classical"],
        [`smacof_${kind}`, "SMACOF"],
      ]);
      return draw(points, firsts(points), `${kind} stress`, width, []);
    },
    caption: [
      "Classical MDS minimises strain, SMACOF stress; SMACOF never ends above its start. Both fit the plain distances, noise included.",
    ],
  });
  const table = list[0]?.table_numbers;
  const cost = figure({
    id: "cost-chart",
    title: "Numbers to store",
    label: () =>
      `Numbers r(n+d) and degrees of freedom r(n+d-r) against rank, beside the table's n d = ${whole(table)}.`,
    draw: (width) => {
      const within = exists(breakEven) && breakEven <= far ? [breakEven] : [];
      const points = lines(list, [
        ["numbers", "r(n+d)"],
        ["freedom", "freedom"],
      ]);
      return draw(points, lasts(points), "numbers", width, [
        Plot.ruleY(exists(table) ? [table] : [], {
          stroke: "var(--mark)",
          strokeDasharray: "5 3",
          className: "table-size",
        }),
        Plot.text(exists(table) ? [table] : [], {
          y: (y: number) => y,
          text: () => `table n d = ${whole(table)}`,
          frameAnchor: "right",
          textAnchor: "end",
          dx: -4,
          dy: -8,
          fill: "var(--mark)",
          fontWeight: 600,
        }),
        Plot.ruleX(within, {stroke: "var(--ink-soft)", strokeDasharray: "2 3"}),
      ]);
    },
    caption: [
      `A factored table costs less than the full one below rank ${num(breakEven, 3)}. Of r(n+d) numbers, r(n+d\u2212r) are free.`,
    ],
  });
  const best = list.at(-1);
  return section(
    "ranks",
    "How many dimensions an encoding needs",
    best
      ? `At rank ${best.rank} classical MDS leaves a raw stress of ${stress(best.mds_raw)}, SMACOF ${stress(best.smacof_raw)}; the data support rank ${whole(target.rank_supported)}.`
      : null,
    el("div", {class: "pair"}, fit.root, cost.root),
  );
}
