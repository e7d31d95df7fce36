// SPDX-License-Identifier: Apache-2.0
// A learned table: norms, neighbours, spectrum, distances, and the rows that training left alone.
import {el, facts} from "./dom";
import {figure, type Figure} from "./figure";
import {exists, num, percent, whole} from "./format";
import {drawLines, lineOf, type Axis} from "./lines";
import {ranges, type LearnedTable, type Series} from "./model_data";

interface SeriesChart {
  id: string;
  title: string;
  series: Series;
  step?: number; // of the rows, where they were thinned
  x: Axis;
  y: Axis;
  caption: string;
}

function seriesChart({id, title, series, step = 1, x, y, caption}: SeriesChart): Figure {
  const line = lineOf(
    title,
    0,
    series.starts.map((start) => start * step),
    series.values,
    x,
    y,
  );
  return figure({
    id,
    title,
    label: () => `${title}: ${y.label} against the ${x.label}.`,
    draw: (width) => drawLines({width, lines: [line], x, y, legend: false}),
    caption: [caption],
  });
}

// What each sign of a row without training means.
const signs: Record<string, string> = {
  zero: "all zero, as rows of padding are",
  small: "far shorter than the others, as a first draw under weight decay",
  drawn: "norm and neighbours of a normal draw of deviation 0.02",
};

function untrainedWords({untrained, rows, of_all_rows}: LearnedTable): HTMLElement {
  if (untrained.length === 0) return el("p", {id: "table-untrained"}, "No row looks untrained.");
  const found = Object.keys(signs).filter((sign) => untrained.some((row) => row.sign === sign));
  const parts = found.map((sign) => {
    const own = untrained.filter((row) => row.sign === sign).map(({row}) => row);
    return `${ranges(own)} (${signs[sign]})`;
  });
  const rest = of_all_rows
    ? "No two rows are trained: the numbers are of all rows."
    : "Norms aside, the numbers are of the trained rows.";
  return el(
    "p",
    {id: "table-untrained", class: "warning"},
    `${untrained.length} of ${rows} rows look untrained: ${parts.join("; ")}. ${rest}`,
  );
}

function summary(table: LearnedTable): HTMLElement {
  const {norm, neighbours, ranks, geometry} = table;
  const near = neighbours.least;
  return facts([
    ["shape", `${table.shape.join(" \u00d7 ")}, ${table.dtype}`],
    [
      "norms",
      `${num(norm.least.value)} (row ${norm.least.row}) to ${num(norm.greatest.value)} (row ${norm.greatest.row}), median ${num(norm.median)}`,
    ],
    [
      "cosine of neighbours",
      `median ${num(neighbours.median)}${near ? `, lowest ${num(near.value)} at row ${near.row}` : ""}`,
    ],
    [
      "effective rank",
      `${num(ranks.participation, 3)} (participation), ${num(ranks.entropy, 3)} (entropy); 90 % of the energy in ${whole(ranks.share90)}, 99 % in ${whole(ranks.share99)}`,
    ],
    ...(geometry
      ? ([
          [
            "distances in 2 and 8 dimensions",
            `${percent(geometry.share2)} and ${percent(geometry.share8)} of the squares; stress ${num(geometry.stress2, 3)} and ${num(geometry.stress8, 3)}`,
          ],
          [
            "distance against lag",
            `correlation ${num(geometry.lag_pearson, 3)}, of ranks ${num(geometry.lag_spearman, 3)}`,
          ],
          [
            "strongest wavelengths",
            geometry.waves
              .filter(({share}) => share >= 0.01)
              .map(({wavelength, share}) => `${num(wavelength)} rows (${percent(share)})`)
              .join(", ") || "none above 1 %",
          ],
        ] as [string, string][])
      : []),
  ]);
}

export function tableCharts(table: LearnedTable): HTMLElement {
  const row: Axis = {label: "row", scale: "linear"};
  const positive = table.norms.values.every((value) => !exists(value) || value > 0);
  const values = table.norms.values.filter(exists);
  const wide = positive && Math.max(...values) > 20 * Math.min(...values);
  const total = Math.max(0, ...table.spectrum.values.filter(exists));
  const charts = [
    seriesChart({
      id: "table-norms",
      title: "Norms of the rows",
      series: table.norms,
      x: row,
      y: {label: "norm", scale: wide ? "log" : "linear"},
      caption: "Long tables are means of neighbours.",
    }),
    seriesChart({
      id: "table-neighbours",
      title: "Cosine of neighbours",
      series: table.neighbour_cosines,
      x: row,
      y: {label: "cosine of rows t and t+1", scale: "linear"},
      caption: "Near 1 the table is smooth. Regular dips are the ends of lines of a grid.",
    }),
    seriesChart({
      id: "table-spectrum",
      title: "Spectrum of the centred rows",
      series: {...table.spectrum, starts: table.spectrum.starts.map((start) => start + 1)},
      x: {label: "index", scale: "log", floor: 1},
      y: {label: "squared singular value", scale: "log", floor: 1e-9 * total || Number.MIN_VALUE},
      caption: `Effective rank ${num(table.ranks.participation, 3)} (participation).`,
    }),
    ...(table.geometry
      ? [
          seriesChart({
            id: "table-distances",
            title: "Distance against the lag",
            series: table.geometry.distance_by_lag,
            step: table.geometry.step,
            x: {label: "lag", scale: "linear"},
            y: {label: "mean distance of rows", scale: "linear"},
            caption:
              "A curve that rises tells near from far; one that is flat at once knows positions only as names.",
          }),
        ]
      : []),
  ];
  return el(
    "div",
    {},
    untrainedWords(table),
    summary(table),
    el("div", {class: "pair"}, ...charts.map((chart) => chart.root)),
  );
}
