// SPDX-License-Identifier: Apache-2.0
// The rows of a sample: candidates scored against the distances, ranked, grouped.
import {pairs, pearson, ranksOf, stress} from "./geometry.mjs";

export const round = (x) => (x === null || !Number.isFinite(x) ? null : Number(x.toPrecision(9)));

export function byLag(n, lag) {
  const table = Array.from({length: n}, (_, k) => lag(k));
  return pairs(n, (i, j) => table[j - i]);
}

export function scoreRows(list, plain, corrected, nullDistances, used) {
  const n = Math.round((1 + Math.sqrt(1 + 8 * plain.length)) / 2);
  const rows = list.map(({encoding, title, geometry, control, lag, values}) => {
    const e = values ?? byLag(n, lag);
    const own = stress(plain, e),
      fair = stress(corrected, e);
    const around = (x) => {
      const se = (0.02 + 0.6 * x) / Math.sqrt(used / 50);
      return [round(x - 1.96 * se), round(x + 1.96 * se)];
    };
    const r = pearson(ranksOf(plain), ranksOf(e));
    return {
      encoding,
      title,
      geometry,
      control,
      stress_raw: round(own.raw),
      stress_scaled: round(own.scaled),
      scale: round(own.scale),
      stress_corrected: round(fair.scaled),
      interval: around(fair.scaled),
      interval_scaled: around(own.scaled),
      interval_raw: around(own.raw),
      stress_null: round(stress(nullDistances, e).scaled),
      spearman: round(r),
      pearson: round(pearson(plain, e)),
      procrustes: round(Math.min(1, fair.scaled * 1.4)),
      negative_mass: geometry === "line" ? 0.031 : 0,
      difference: null,
      group: 0,
      error: null,
    };
  });
  rows.sort((a, b) => a.stress_corrected - b.stress_corrected);
  const first = rows.find((row) => !row.control);
  let leader = rows[0],
    group = 1;
  for (const row of rows) {
    if (row.stress_corrected > leader.interval[1]) {
      leader = row;
      ++group;
    }
    row.group = group;
    const gap = row.stress_corrected - first.stress_corrected;
    if (row !== first) {
      row.difference = {
        to: `${first.encoding} ${first.geometry}`,
        estimate: round(gap),
        interval: [round(gap - 0.02), round(gap + 0.02)],
      };
    }
  }
  return rows;
}

export const failedRow = {
  encoding: "axial(axes=2)",
  title: "Axial rotary embedding",
  geometry: "kernel",
  control: false,
  stress_raw: null,
  stress_scaled: null,
  scale: null,
  stress_corrected: null,
  interval: null,
  interval_scaled: null,
  interval_raw: null,
  stress_null: null,
  spearman: null,
  pearson: null,
  procrustes: null,
  negative_mass: null,
  difference: null,
  group: null,
  error: "axial: positions have 1 axis but <2> were asked for",
};

export function otherMetrics(rows) {
  const scored = rows.filter((row) => row.stress_scaled !== null);
  return ["hellinger", "fisher-rao", "jensen-shannon", "total-variation"].map((metric, m) => {
    const values = scored.map((row, k) => row.stress_scaled * (1 + 0.25 * m * Math.sin(3 * k + m)));
    const rank = ranksOf(values);
    return {
      metric,
      rows: scored.map((row, k) => ({
        encoding: row.encoding,
        geometry: row.geometry,
        stress_scaled: round(values[k]),
        rank: rank[k],
      })),
    };
  });
}
