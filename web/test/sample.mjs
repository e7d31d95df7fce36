// SPDX-License-Identifier: Apache-2.0
// Reports made from formulas: a curve log(1+i) with noise of known size. Every number follows from
// the distances, so the page can be checked against them.
import {pathToFileURL} from "node:url";

import {candidates} from "./candidates.mjs";
import {classical, distances, eigen, gram, mean, normal, pairIndex, pairs, pearson, ranksOf, smacof,
        stress, uniform} from "./geometry.mjs";

const MOST_BINS = 96;
const round = (x) => (x === null || !Number.isFinite(x) ? null : Number(x.toPrecision(9)));

// Squared distances over the pairs: of the truth, as measured, corrected, and of the null.
function measure(kept, noise, random) {
  const draw = normal(random);
  const place = (t) => [0.16 * Math.log1p(t), 0.05 * Math.sin(t / 9), 0.03 * Math.cos(t / 3)];
  const truth = distances(kept.map(place)).map((d) => d * d);
  const null_ = truth.map(() => noise * (1 + 0.02 * draw()));
  return {
    plain: truth.map((t) => t + noise * (1 + 0.02 * draw())),
    corrected: truth.map((t) => t + 0.008 * draw()),
    null_,
  };
}

function ranksOfSpectrum(values) {
  const total = values.reduce((a, b) => a + Math.max(b, 0), 0);
  const shares = values.map((v) => Math.max(v, 0) / total);
  const holding = (part) => {
    let sum = 0;
    return shares.findIndex((s) => (sum += s) >= part) + 1;
  };
  return {
    entropy: round(Math.exp(-shares.reduce((a, s) => a + (s > 0 ? s * Math.log(s) : 0), 0))),
    participation: round(1 / shares.reduce((a, s) => a + s * s, 0)),
    share90: holding(0.9),
    share99: holding(0.99),
  };
}

function scoreRows(list, plain, corrected, nullDistances, used) {
  const n = Math.round((1 + Math.sqrt(1 + 8 * plain.length)) / 2);
  const rows = list.map(({encoding, title, geometry, control, lag, values}) => {
    const e = values ?? pairs(n, (i, j) => lag(j - i));
    const own = stress(plain, e), fair = stress(corrected, e);
    const around = (x) => {
      const se = (0.02 + 0.6 * x) / Math.sqrt(used / 50);
      return [round(x - 1.96 * se), round(x + 1.96 * se)];
    };
    const r = pearson(ranksOf(plain), ranksOf(e));
    return {
      encoding, title, geometry, control,
      stress_raw: round(own.raw), stress_scaled: round(own.scaled), scale: round(own.scale),
      stress_corrected: round(fair.scaled), interval: around(fair.scaled),
      interval_scaled: around(own.scaled), interval_raw: around(own.raw),
      stress_null: round(stress(nullDistances, e).scaled), spearman: round(r),
      pearson: round(pearson(plain, e)), procrustes: round(Math.min(1, fair.scaled * 1.4)),
      negative_mass: geometry === "line" ? 0.031 : 0, difference: null, group: 0, error: null,
    };
  });
  rows.sort((a, b) => a.stress_corrected - b.stress_corrected);
  const first = rows.find((row) => !row.control);
  let leader = rows[0], group = 1;
  for (const row of rows) {
    if (row.stress_corrected > leader.interval[1]) { leader = row; ++group; }
    row.group = group;
    const gap = row.stress_corrected - first.stress_corrected;
    if (row !== first) {
      row.difference = {to: `${first.encoding} ${first.geometry}`, estimate: round(gap),
                        interval: [round(gap - 0.02), round(gap + 0.02)]};
    }
  }
  return rows;
}

const failedRow = {
  encoding: "axial(axes=2)", title: "Axial rotary embedding", geometry: "kernel", control: false,
  stress_raw: null, stress_scaled: null, scale: null, stress_corrected: null, interval: null,
  interval_scaled: null, interval_raw: null, stress_null: null, spearman: null, pearson: null,
  procrustes: null, negative_mass: null, difference: null, group: null,
  error: "axial: positions have 1 axis but <2> were asked for",
};

// Means over pairs of bins of equal size.
function binned(kept, values) {
  const n = kept.length;
  const size = Math.min(n, MOST_BINS);
  const edge = (b) => Math.floor((b * n) / size);
  const upper = n <= MOST_BINS ? values : pairs(size, (a, b) => {
    const cell = [];
    for (let i = edge(a); i < edge(a + 1); ++i) {
      for (let j = edge(b); j < edge(b + 1); ++j) cell.push(values[pairIndex(n, i, j)]);
    }
    return mean(cell);
  });
  return {size, starts: Array.from({length: size}, (_, b) => kept[edge(b)]), upper: upper.map(round)};
}

function stressByRank(plain, spectrum, n, dim) {
  return [1, 2, 3, 4, 6, 8, 12, 16].filter((r) => r < n).map((rank) => {
    const start = classical(spectrum, rank);
    const mds = stress(plain, distances(start));
    const best = stress(plain, distances(smacof(plain, start, 15)));
    return {
      rank, mds_raw: round(mds.raw), mds_scaled: round(mds.scaled), smacof_raw: round(best.raw),
      smacof_scaled: round(best.scaled), numbers: rank * (n + dim), table_numbers: n * dim,
      freedom: rank * (n + dim - rank),
    };
  });
}

function otherMetrics(rows) {
  const scored = rows.filter((row) => row.stress_scaled !== null);
  return ["hellinger", "fisher-rao", "jensen-shannon", "total-variation"].map((metric, m) => {
    const values = scored.map((row, k) => row.stress_scaled * (1 + 0.25 * m * Math.sin(3 * k + m)));
    const rank = ranksOf(values);
    return {metric, rows: scored.map((row, k) => ({
      encoding: row.encoding, geometry: row.geometry, stress_scaled: round(values[k]), rank: rank[k],
    }))};
  });
}

// The stress that remains when each distance is replaced by its mean over the lag.
function stationaryFloor(kept, d) {
  const n = kept.length;
  const sums = new Map();
  pairs(n, (i, j) => [j - i, d[pairIndex(n, i, j)]]).forEach(([lag, x]) => {
    const old = sums.get(lag) ?? [0, 0];
    sums.set(lag, [old[0] + x, old[1] + 1]);
  });
  return round(stress(d, pairs(n, (i, j) => sums.get(j - i)[0] / sums.get(j - i)[1])).scaled);
}

// What is the same in every sample.
const constants = {
  needs_values: ["t5", "fire", "learned", "shaw", "bias"].map((encoding) =>
    ({encoding, reason: "its values are learned; give them with values=FILE.npy"})),
  encodings: [
    {name: "rope", title: "Rotary position embedding", formula: "A(t) = \\bigoplus_j R(t\\,b^{-2j/d})",
     reference: "Su et al., RoFormer, 2021, arXiv:2104.09864",
     claims: {translation_invariant: "yes", norm_preserving: "yes", bounded: "yes"}},
    {name: "alibi", title: "Attention with linear biases", formula: "b_h(s,t) = -m_h (s-t)",
     reference: "Press et al., 2022, arXiv:2108.12409", claims: {translation_invariant: true, bounded: false}},
  ],
};

export function sample({name, n, dim = 64, used, noise, length = "at-least", drop = 0, warning = null}) {
  const random = uniform(n);
  const counts = Array.from({length: n}, (_, i) =>
    length === "any" ? Math.round(used * Math.exp(-i / (n / 5))) : used);
  const reliability = counts.map((c) => round(1 - 0.9 / (1 + c / 150) - 0.02 * random()));
  const excluded = counts.map((count, position) => ({position, count, reliability: reliability[position],
    reason: count < 200 ? "fewer than 200 sequences" : "reliability below 0.5"})).slice(n - drop);
  const kept = counts.map((_, i) => i).slice(0, n - drop);
  const squared = measure(kept, noise, random);
  const plain = squared.plain.map(Math.sqrt);
  const corrected = squared.corrected.map((x) => Math.sqrt(Math.max(x, 0)));
  const nulls = squared.null_.map(Math.sqrt);
  const m = kept.length;
  const [real, fair, none] = [squared.plain, squared.corrected, squared.null_].map((x) => eigen(gram(m, x)));
  const largest = none.values[0] * 1.05;
  const supported = real.values.filter((v) => v > largest).length;
  const list = candidates({kept, dim, spectrum: real, plain});
  const rows = [...scoreRows(list, plain, corrected, nulls, used), failedRow];
  const signal = mean(squared.corrected) / mean(squared.plain);
  const maps = {plain: binned(kept, plain), corrected: binned(kept, corrected), null: binned(kept, nulls)};
  const own = Object.fromEntries(list.map(({encoding, geometry, lag, values}) => {
    const cells = binned(kept, values ?? pairs(m, (i, j) => lag(j - i)));
    const step = m / cells.size;
    return [`${encoding} ${geometry}`, lag
      ? {lag: Array.from({length: cells.size}, (_, k) => round(lag(k * step)))} : {upper: cells.upper}];
  }));
  const lags = Array.from({length: m}, (_, k) => k);
  const best = rows.find((row) => !row.control);
  const negative = fair.values.filter((v) => v < 0).reduce((a, v) => a - v, 0);
  return {
    schema: 1, verb: "report", version: "0.1.0",
    verdict: {
      warning,
      headline: `${best.title} (${best.geometry}) comes closest to this corpus, but no relative encoding reaches it.`,
      sentences: [
        `Of the measured distance, ${(100 * signal).toFixed(0)} % is signal; the rest is what sampling alone produces.`,
        `The data support ${supported} dimensions.`,
        `Random codes and <b>equidistant</b> points are controls: an encoding that does not beat them explains nothing.`,
      ],
    },
    corpus: {
      name, sequences: used * 3, used, tokens: used * 31, vocabulary: 8955, tokenizer: "words", skipped: 2,
      hash: "9f2c4d1e0b7a6655", overlap: {runs: 40, repeated: 3, share: 0.075},
      lengths: Array.from({length: 12}, (_, k) => ({from: 8 * k, to: 8 * k + 7, sequences: Math.round(used * 0.6 * Math.exp(-((k - 4) ** 2) / 9))})),
      sample: true, notes: ["made from formulas; no text was read"],
    },
    options: {positions: n, dim, heads: 8, train: n, length, specials: "none", windows: "first",
              metric: "hellinger", splits: 20, shuffles: 20, seed: 1, limit: null},
    positions: n, counts, reliability, excluded,
    target: {
      mean_distance: round(mean(plain)), min_distance: round(Math.min(...plain)),
      max_distance: round(Math.max(...plain)), rank: m - 1, rank_supported: supported,
      eigenvalues: real.values.slice(0, m - 1).map(round),
      first_share: round(real.values[0] / real.values.reduce((a, b) => a + Math.max(b, 0), 0)),
      ranks: ranksOfSpectrum(real.values), signal_fraction: round(signal),
      sequences_needed: signal < 0.1 ? Math.ceil((used * 0.1) / signal) : null,
      corrected: {
        mean_squared: round(mean(squared.corrected)),
        mean_squared_interval: [round(mean(squared.corrected) * 0.93), round(mean(squared.corrected) * 1.07)],
        eigenvalues: fair.values.map(round),
        negative_mass: round(negative / fair.values.reduce((a, v) => a + Math.abs(v), 0)),
        analytic_mean_squared: round(mean(squared.corrected) * 1.02), agreement: 0.987,
      },
      null: {mean_distance: round(mean(nulls)), mean_squared: round(mean(squared.null_)),
             analytic_mean_squared: round(noise), eigenvalues: none.values.slice(0, m - 1).map(round),
             largest: round(largest)},
      stationary_floor: stationaryFloor(kept, corrected), stationary_floor_plain: stationaryFloor(kept, plain),
      ceiling: 0.021, length_only: length === "any" ? {mean_squared: 0.041, correlation: 0.62} : null,
      break_even_rank: round((m * dim) / (m + dim)), trivial: false, indistinguishable: false,
    },
    rows,
    ranks: stressByRank(plain, real, m, dim),
    embedding: {plain: classical(real, 2).map((p) => p.map(round)), corrected: classical(fair, 2).map((p) => p.map(round)), positions: kept},
    matrices: {size: maps.plain.size, starts: maps.plain.starts, plain: maps.plain.upper,
               corrected: maps.corrected.upper, null: maps.null.upper, encodings: own},
    kernels: list.filter((c) => c.kernel).map(({encoding, geometry, kernel}) =>
      ({encoding, geometry, lags, values: lags.map((k) => round(kernel(k)))})),
    metrics: otherMetrics(rows),
    provenance: {version: "0.1.0", compiler: "GNU 12.2.0", libraries: {OpenBLAS: "0.3.21", simdjson: "3.0.1"},
                 input_hash: "9f2c4d1e0b7a6655", options: `--positions ${n} --length ${length}`},
    ...constants,
  };
}

export const samples = {
  small: () => sample({name: "sample sentences", n: 24, used: 2154, noise: 0.72,
    warning: "Only 9 % of the measured distance is signal: the plain ranking is a ranking of noise. About 2,300 sequences would be needed."}),
  large: () => sample({name: "sample reviews </script><script>alert(1)</script>", n: 200, used: 12000, noise: 0.12,
    length: "any", drop: 12}),
  // Three positions, and every number that may be missing is missing.
  bare: () => {
    const report = sample({name: "three points", n: 3, used: 300, noise: 0.5});
    for (const key of ["metrics", "kernels", "encodings", "provenance", "needs_values"]) delete report[key];
    for (const row of report.rows) row.interval = row.difference = row.interval_raw = null;
    Object.assign(report.target, {ceiling: null, stationary_floor: null, corrected: {}, null: {}});
    report.key_of_a_later_version = {anything: [1, 2, 3]};
    return report;
  },
};

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.stdout.write(`${JSON.stringify(samples[process.argv[2] ?? "small"]())}\n`);
}
