// SPDX-License-Identifier: Apache-2.0
// The ranking under other distances between distributions: lines that cross are rankings that
// depend on the choice.
import * as Plot from "@observablehq/plot";

import {el, section} from "./dom";
import {figure, plot, tag, tip} from "./figure";
import {exists, shorten, stress} from "./format";
import {rowKey, rowName, type Report} from "./report";
import {colorScale} from "./rules";

interface Place {
  metric: string;
  key: string;
  name: string;
  rank: number;
  value: number | null;
  rule: string;
  moved: boolean;
}

function placesOf(report: Report): Place[] {
  const all = report.metrics.flatMap(({metric, rows}) =>
    rows.flatMap((row) =>
      exists(row.rank)
        ? [
            {
              metric,
              key: rowKey(row),
              name: rowName(row),
              rank: row.rank,
              value: row.stress_scaled ?? null,
              rule: row.geometry,
              moved: false,
            },
          ]
        : [],
    ),
  );
  const reach = new Map<string, [number, number]>();
  for (const {key, rank} of all) {
    const [low, high] = reach.get(key) ?? [rank, rank];
    reach.set(key, [Math.min(low, rank), Math.max(high, rank)]);
  }
  for (const place of all) {
    const [low, high] = reach.get(place.key)!;
    place.moved = high - low >= 3;
  }
  return all;
}

function draw(report: Report, places: Place[], width: number): SVGSVGElement {
  const metrics = report.metrics.map((m) => m.metric);
  const most = Math.max(1, ...places.map((p) => p.rank));
  const narrow = width < 560;
  const letters = narrow ? 16 : width < 900 ? 22 : 32;
  const first = places.filter((p) => p.metric === metrics[0]);
  const margin = Math.min(letters, Math.max(6, ...places.map((p) => p.name.length))) * 7 + 22;
  const tight = (width - 2 * margin) / metrics.length < 110;
  const drawing = plot({
    width,
    height: 50 + most * 22,
    marginLeft: margin,
    marginRight: narrow ? 22 : margin,
    marginTop: 34,
    marginBottom: 6,
    x: {
      type: "point",
      domain: metrics,
      axis: "top",
      label: null,
      tickSize: 0,
      padding: 0.04,
      tickFormat: (m: string) => (tight ? m.replace("-", "\n") : m),
      tickRotate: 0,
    },
    y: {domain: [0.5, most + 0.5], reverse: true, axis: null},
    color: colorScale,
    marks: [
      Plot.lineY(places, {
        x: "metric",
        y: "rank",
        z: "key",
        stroke: "rule",
        strokeWidth: 1.8,
        strokeOpacity: (p: Place) => (p.moved ? 1 : 0.35),
        curve: "bump-x",
        className: "moves",
      }),
      Plot.dot(places, {
        x: "metric",
        y: "rank",
        fill: "rule",
        stroke: "var(--paper)",
        r: 4.5,
        className: "ranks",
        ariaLabel: (p: Place) => `${p.key}: place ${p.rank} under ${p.metric}`,
      }),
      Plot.text(first, {
        x: "metric",
        y: "rank",
        text: (p: Place) => `${shorten(p.name, letters)}  ${p.rank}`,
        textAnchor: "end",
        dx: -9,
      }),
      Plot.text(narrow ? [] : places.filter((p) => p.metric === metrics.at(-1)), {
        x: "metric",
        y: "rank",
        text: (p: Place) => `${p.rank}  ${shorten(p.name, letters)}`,
        textAnchor: "start",
        dx: 9,
      }),
      tip(
        places,
        Plot.pointer({
          x: "metric",
          y: "rank",
          title: (p: Place) => `${p.key}\n${p.metric}: place ${p.rank}\nscaled stress ${stress(p.value)}`,
        }),
      ),
    ],
  });
  tag(drawing, "ranks", places, (p) => ({key: p.key, metric: p.metric, rank: p.rank}));
  return drawing;
}

function asTable(report: Report, places: Place[]): HTMLElement {
  const keys = [...new Set(places.map((p) => p.key))];
  const body = keys.map((key) =>
    el(
      "tr",
      {},
      el("th", {scope: "row", class: "words"}, key),
      ...report.metrics.map(({metric}) => {
        const place = places.find((p) => p.key === key && p.metric === metric);
        return el("td", {}, place ? `${place.rank} (${stress(place.value)})` : "n/a");
      }),
    ),
  );
  return el(
    "details",
    {},
    el("summary", {}, "The same as a table: place (scaled stress)"),
    el(
      "div",
      {class: "scroll", tabindex: 0, role: "region", "aria-label": "Places under each distance"},
      el(
        "table",
        {id: "metric-table"},
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            el("th", {scope: "col"}, "Encoding"),
            ...report.metrics.map(({metric}) => el("th", {scope: "col"}, metric)),
          ),
        ),
        el("tbody", {}, ...body),
      ),
    ),
  );
}

export function metrics(report: Report): HTMLElement | null {
  const places = placesOf(report);
  if (places.length === 0) return null;
  const moved = new Set(places.filter((p) => p.moved).map((p) => p.key)).size;
  const chart = figure({
    id: "metric-chart",
    title: "Places under each distance",
    label: () =>
      `Bump chart of the places of ${new Set(places.map((p) => p.key)).size} rows under ${report.metrics.length} distances; the table below holds the same.`,
    draw: (width) => draw(report, places, width),
    caption: [
      "Plain scaled stress, noise included. Faint lines move by fewer than three places; colours are those of the rules above.",
    ],
  });
  return section(
    "metrics",
    "Does the choice of distance matter?",
    moved === 0
      ? "Hardly: no row moves by three places or more."
      : `${moved} rows move by three places or more when the distance between distributions changes.`,
    chart.root,
    asTable(report, places),
  );
}
