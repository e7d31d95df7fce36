// SPDX-License-Identifier: Apache-2.0
// The key `model` of a sample: a rotary model with two groups of layers, and a learned table, by
// formulas.
import {round} from "./rows.mjs";

const PAIRS = 32,
  TRAINED = 4096,
  TO = 32768;

const frequencies = (base) => Array.from({length: PAIRS}, (_, j) => base ** (-j / PAIRS));
const wavelengths = (ladder) => ladder.map((w) => (w > 0 ? round((2 * Math.PI) / w) : null));
const coverage = (ladder, length) =>
  ladder.map((w) => round(Math.min(1, ((length - 1) * w) / (2 * Math.PI))));

const ways = [
  ["inv_freq", "bf16", 2e-3],
  ["inv_freq", "f16", 2e-4],
  ["position", "bf16", 5e-4],
  ["position", "f16", 1e-5],
  ["phase", "f32", 3e-8],
];

function precisionOf() {
  const positions = Array.from({length: 100}, (_, k) => Math.round(TO ** (k / 99)) - (k === 0 ? 1 : 0));
  const curves = ways.map(([what, dtype, rate]) => {
    const worst = positions.map((t) => round(Math.min(2, rate * t)));
    const first = Object.fromEntries(
      ["0.001", "0.01", "0.1"].map((limit) => {
        const k = worst.findIndex((value) => value > Number(limit));
        return [limit, k < 0 ? null : positions[k]];
      }),
    );
    return {what, dtype, worst, first};
  });
  return {positions, curves};
}

// Slower by `factor` in the second half of the pairs; the last pair of all does not turn.
function rotaryOf(base, factor) {
  const trained = frequencies(base).map((w, j) => (j === PAIRS - 1 ? 0 : w));
  const present = trained.map((w, j) => (j < PAIRS / 2 ? w : w / factor));
  const ratio = (scale) => trained.map((w, j) => (w > 0 ? round(scale(j)) : null));
  return {
    pairs: PAIRS,
    magnitude: factor > 1 ? 1.2079 : 1,
    softmax_factor: 1,
    trained: TRAINED,
    to: TO,
    wavelength: wavelengths(present),
    trained_wavelength: wavelengths(trained),
    coverage: {
      trained: coverage(trained, TRAINED),
      to: coverage(present, TO),
      unscaled: coverage(trained, TO),
    },
    methods: [
      {method: "linear", magnitude: 1, ratio: ratio(() => TRAINED / TO)},
      {method: "ntk", magnitude: 1, ratio: ratio((j) => (TRAINED / TO) ** (j / (PAIRS - 1)))},
      {method: "yarn", magnitude: 1.2079, ratio: ratio((j) => (j < 12 ? 1 : TRAINED / TO))},
    ],
    precision: precisionOf(),
  };
}

export const modelOf = () => ({
  source: "config.json",
  family: "example",
  layers: 6,
  heads: 8,
  kv_heads: 2,
  head_dim: 64,
  hidden: 512,
  max_positions: TO,
  dtype: "bfloat16",
  pairing: "half",
  fingerprint: "0123456789abcdef",
  engine: "hf",
  release: "5.0",
  notes: ["pairing: half, by the family"],
  groups: [
    {
      name: "full_attention",
      layers: [5],
      kind: "rotary",
      spec: "rope(base=1000000,scaling=yarn,factor=8,original=4096)",
      assumptions: ["beta_fast is absent: 32"],
      rotary: rotaryOf(1e6, 8),
      error: null,
    },
    {
      name: "sliding_attention",
      layers: [0, 1, 2, 4],
      kind: "rotary",
      spec: "rope",
      assumptions: [],
      rotary: rotaryOf(1e4, 1),
      error: null,
    },
    {
      name: "no encoding",
      layers: [3],
      kind: "none",
      spec: "none",
      assumptions: null,
      rotary: null,
      error: null,
    },
  ],
  table: null,
});

export const tableOf = () => {
  const rows = 64;
  const starts = Array.from({length: rows}, (_, k) => k);
  const norms = starts.map((t) => (t === rows - 1 ? 0.05 : round(3 + 2 * Math.exp(-t / 4))));
  return {
    shape: [rows, 16],
    dtype: "f32",
    rows,
    dim: 16,
    norm: {least: {row: rows - 1, value: 0.05}, median: 3.0001, greatest: {row: 0, value: 5}},
    untrained: [{row: rows - 1, norm: 0.05, sign: "small"}],
    of_all_rows: false,
    neighbours: {median: 0.95, least: {row: 0, value: 0.5}},
    ranks: {numerical: 15, participation: 3.2, entropy: 4.1, share90: 5, share99: 9},
    geometry: {
      rows: rows - 1,
      step: 1,
      share2: 0.7,
      share8: 0.97,
      stress2: 0.08,
      stress8: 0.004,
      lag_pearson: 0.8,
      lag_spearman: 0.82,
      distance_by_lag: {
        starts: starts.slice(0, -1),
        values: starts.slice(0, -1).map((lag) => round(Math.sqrt(lag))),
      },
      waves: [
        {cycles: 1, wavelength: 64, share: 0.5},
        {cycles: 4, wavelength: 16, share: 0.2},
        {cycles: 9, wavelength: 64 / 9, share: 0.002},
      ],
    },
    norms: {starts, values: norms},
    neighbour_cosines: {
      starts: starts.slice(0, -1),
      values: starts.slice(0, -1).map((t) => (t === rows - 2 ? null : round(1 - 0.5 / (t + 1)))),
    },
    spectrum: {
      starts: Array.from({length: 16}, (_, k) => k),
      values: Array.from({length: 16}, (_, k) => round(100 / (k + 1) ** 2)),
    },
  };
};

export const modelAlone = () => ({schema: 1, verb: "inspect", version: "0.1.0", model: modelOf()});
export const tableAlone = () => ({
  schema: 1,
  verb: "inspect",
  version: "0.1.0",
  model: {source: "wpe.npy", table: tableOf()},
});
