// SPDX-License-Identifier: Apache-2.0
// Reports made from formulas: a curve log(1+i) with noise of known size. Every number follows from
// the distances, so the page can be checked against them.
import {pathToFileURL} from "node:url";

import {candidates} from "./candidates.mjs";
import {profilesOf} from "./extrapolation.mjs";
import {groupsOf} from "./families.mjs";
import {failedRow, otherMetrics, round, scoreRows} from "./rows.mjs";
import {
  classical,
  distances,
  eigen,
  gram,
  mean,
  normal,
  pairIndex,
  pairs,
  smacof,
  stress,
  uniform,
} from "./geometry.mjs";
import {claimsOf} from "./theorems.mjs";
import {trainingOf} from "./trainings.mjs";

const MOST_BINS = 96;

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

// Means over pairs of bins of equal size.
function binned(kept, values) {
  const n = kept.length;
  const size = Math.min(n, MOST_BINS);
  const edge = (b) => Math.floor((b * n) / size);
  const upper =
    n <= MOST_BINS
      ? values
      : pairs(size, (a, b) => {
          const cell = [];
          for (let i = edge(a); i < edge(a + 1); ++i) {
            for (let j = edge(b); j < edge(b + 1); ++j) cell.push(values[pairIndex(n, i, j)]);
          }
          return mean(cell);
        });
  return {size, starts: Array.from({length: size}, (_, b) => kept[edge(b)]), upper: upper.map(round)};
}

function stressByRank(plain, spectrum, n, dim) {
  return [1, 2, 3, 4, 6, 8, 12, 16]
    .filter((r) => r < n)
    .map((rank) => {
      const start = classical(spectrum, rank);
      const mds = stress(plain, distances(start));
      const best = stress(plain, distances(smacof(plain, start, 15)));
      return {
        rank,
        mds_raw: round(mds.raw),
        mds_scaled: round(mds.scaled),
        smacof_raw: round(best.raw),
        smacof_scaled: round(best.scaled),
        numbers: rank * (n + dim),
        table_numbers: n * dim,
        freedom: rank * (n + dim - rank),
      };
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
  return round(
    stress(
      d,
      pairs(n, (i, j) => sums.get(j - i)[0] / sums.get(j - i)[1]),
    ).scaled,
  );
}

// What is the same in every sample.
const constants = {
  needs_values: ["t5", "fire", "learned", "shaw", "bias"].map((encoding) => ({
    encoding,
    reason: "its values are learned; give them with values=FILE.npy",
  })),
  encodings: [
    {
      name: "rope",
      title: "Rotary position embedding",
      formula: "A(t) = \\bigoplus_j R(t\\,b^{-2j/d})",
      reference: "Su et al., RoFormer, 2021, arXiv:2104.09864",
      claims: {translation_invariant: "yes", norm_preserving: "yes", bounded: "yes"},
    },
    {
      name: "alibi",
      title: "Attention with linear biases",
      formula: "b_h(s,t) = -m_h (s-t)",
      reference: "Press et al., 2022, arXiv:2108.12409",
      claims: {translation_invariant: true, bounded: false},
    },
  ],
};

function corpusOf(name, used) {
  return {
    name,
    sequences: used * 3,
    used,
    tokens: used * 31,
    vocabulary: 8955,
    tokenizer: "words",
    skipped: 2,
    hash: "9f2c4d1e0b7a6655",
    overlap: {runs: 40, repeated: 3, share: 0.075},
    lengths: Array.from({length: 12}, (_, k) => ({
      from: 8 * k,
      to: 8 * k + 7,
      sequences: Math.round(used * 0.6 * Math.exp(-((k - 4) ** 2) / 9)),
    })),
    sample: true,
    notes: ["made from formulas; no text was read"],
  };
}

// What each position knows, and the positions that count.
function positionsOf({n, used, length, drop}, random) {
  const counts = Array.from({length: n}, (_, i) =>
    length === "any" ? Math.round(used * Math.exp(-i / (n / 5))) : used,
  );
  const reliability = counts.map((c) => round(1 - 0.9 / (1 + c / 150) - 0.02 * random()));
  const excluded = counts
    .map((count, position) => ({
      position,
      count,
      reliability: reliability[position],
      reason: count < 200 ? "fewer than 200 sequences" : "reliability below 0.5",
    }))
    .slice(n - drop);
  return {counts, reliability, excluded, kept: counts.map((_, i) => i).slice(0, n - drop)};
}

function targetOf({kept, squared, plain, corrected, nulls, spectra, used, dim, noise, length}) {
  const {real, fair, none} = spectra;
  const m = kept.length;
  const largest = none.values[0] * 1.05;
  const signal = mean(squared.corrected) / mean(squared.plain);
  const fairMean = mean(squared.corrected);
  const negative = fair.values.filter((v) => v < 0).reduce((a, v) => a - v, 0);
  return {
    mean_distance: round(mean(plain)),
    min_distance: round(Math.min(...plain)),
    max_distance: round(Math.max(...plain)),
    rank: m - 1,
    rank_supported: real.values.filter((v) => v > largest).length,
    eigenvalues: real.values.slice(0, m - 1).map(round),
    first_share: round(real.values[0] / real.values.reduce((a, b) => a + Math.max(b, 0), 0)),
    ranks: ranksOfSpectrum(real.values),
    signal_fraction: round(signal),
    sequences_needed: signal < 0.1 ? Math.ceil((used * 0.1) / signal) : null,
    corrected: {
      mean_squared: round(fairMean),
      mean_squared_interval: [round(fairMean * 0.93), round(fairMean * 1.07)],
      eigenvalues: fair.values.map(round),
      negative_mass: round(negative / fair.values.reduce((a, v) => a + Math.abs(v), 0)),
      analytic_mean_squared: round(fairMean * 1.02),
      agreement: 0.987,
    },
    null: {
      mean_distance: round(mean(nulls)),
      mean_squared: round(mean(squared.null_)),
      analytic_mean_squared: round(noise),
      eigenvalues: none.values.slice(0, m - 1).map(round),
      largest: round(largest),
    },
    stationary_floor: stationaryFloor(kept, corrected),
    stationary_floor_plain: stationaryFloor(kept, plain),
    ceiling: 0.021,
    length_only: length === "any" ? {mean_squared: 0.041, correlation: 0.62} : null,
    break_even_rank: round((m * dim) / (m + dim)),
    trivial: false,
    indistinguishable: false,
  };
}

function matricesOf(kept, {plain, corrected, nulls}, list) {
  const m = kept.length;
  const {size, starts, upper} = binned(kept, plain);
  const encodings = list.map(({encoding, geometry, lag, values}) => [
    `${encoding} ${geometry}`,
    lag
      ? {lag: Array.from({length: size}, (_, k) => round(lag((k * m) / size)))}
      : {upper: binned(kept, values).upper},
  ]);
  return {
    size,
    starts,
    plain: upper,
    corrected: binned(kept, corrected).upper,
    null: binned(kept, nulls).upper,
    encodings: Object.fromEntries(encodings),
  };
}

function verdictOf(rows, target, warning) {
  const best = rows.find((row) => !row.control);
  return {
    warning,
    headline: `${best.title} (${best.geometry}) comes closest to this corpus, but no relative encoding reaches it.`,
    sentences: [
      `Of the measured distance, ${(100 * target.signal_fraction).toFixed(0)} % is signal; the rest is what sampling alone produces.`,
      `The rank that the data support is ${target.rank_supported}.`,
      "Random codes and <b>equidistant</b> points are controls: an encoding that does not beat them explains nothing.",
    ],
  };
}

export function sample({name, n, dim = 64, used, noise, length = "at-least", drop = 0, warning = null}) {
  const random = uniform(n);
  const {counts, reliability, excluded, kept} = positionsOf({n, used, length, drop}, random);
  const squared = measure(kept, noise, random);
  const plain = squared.plain.map(Math.sqrt);
  const corrected = squared.corrected.map((x) => Math.sqrt(Math.max(x, 0)));
  const nulls = squared.null_.map(Math.sqrt);
  const m = kept.length;
  const [real, fair, none] = [squared.plain, squared.corrected, squared.null_].map((x) => eigen(gram(m, x)));
  const list = candidates({kept, dim, spectrum: real, plain});
  const rows = [...scoreRows(list, plain, corrected, nulls, used), failedRow];
  const target = targetOf({
    kept,
    squared,
    plain,
    corrected,
    nulls,
    spectra: {real, fair, none},
    used,
    dim,
    noise,
    length,
  });
  const lags = Array.from({length: m}, (_, k) => k);
  const plane = (spectrum) => classical(spectrum, 2).map((p) => p.map(round));
  return {
    schema: 1,
    verb: "report",
    version: "0.1.0",
    verdict: verdictOf(rows, target, warning),
    corpus: corpusOf(name, used),
    options: {
      positions: n,
      dim,
      heads: 8,
      train: n,
      length,
      specials: "none",
      windows: "first",
      metric: "hellinger",
      splits: 20,
      shuffles: 20,
      seed: 1,
      limit: null,
    },
    positions: n,
    counts,
    reliability,
    excluded,
    target,
    rows,
    ranks: stressByRank(plain, real, m, dim),
    embedding: {plain: plane(real), corrected: plane(fair), positions: kept},
    matrices: matricesOf(kept, {plain, corrected, nulls}, list),
    kernels: list
      .filter((c) => c.kernel)
      .map(({encoding, geometry, kernel}) => ({
        encoding,
        geometry,
        lags,
        values: lags.map((k) => round(kernel(k))),
      })),
    metrics: otherMetrics(rows),
    groups: groupsOf(dim),
    claims: claimsOf(),
    profiles: profilesOf(),
    provenance: {
      version: "0.1.0",
      compiler: "GNU 12.2.0",
      libraries: {OpenBLAS: "0.3.21", simdjson: "3.0.1"},
      input_hash: "9f2c4d1e0b7a6655",
      options: `--positions ${n} --length ${length}`,
    },
    ...constants,
  };
}

// The least that a report can be: every list is empty, every number missing.
export const empty = {
  schema: 1,
  verb: "report",
  verdict: {warning: null, headline: "Nothing could be measured.", sentences: []},
  corpus: {},
  target: {},
  rows: [],
};

export const samples = {
  small: () => ({
    ...sample({
      name: "sample sentences",
      n: 24,
      used: 2154,
      noise: 0.72,
      warning: "Only 5 % of the measured distance is signal: the plain ranking is a ranking of noise.",
    }),
    training: trainingOf(),
  }),
  large: () =>
    sample({
      name: "sample reviews </script><script>alert(1)</script>",
      n: 200,
      used: 12000,
      noise: 0.12,
      length: "any",
      drop: 12,
    }),
  // Three positions, and every number that may be missing is missing.
  bare: () => {
    const report = sample({name: "three points", n: 3, used: 300, noise: 0.5});
    const optional = ["metrics", "kernels", "encodings", "groups", "claims", "profiles", "provenance"];
    for (const key of [...optional, "needs_values"]) delete report[key];
    for (const row of report.rows) row.interval = row.difference = row.interval_raw = null;
    Object.assign(report.target, {ceiling: null, stationary_floor: null, corrected: {}, null: {}});
    report.key_of_a_later_version = {anything: [1, 2, 3]};
    return report;
  },
};

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.stdout.write(`${JSON.stringify(samples[process.argv[2] ?? "small"]())}\n`);
}
