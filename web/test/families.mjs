// SPDX-License-Identifier: Apache-2.0
// The key `groups` of a sample: encodings as one-parameter groups, by their formulas.
import {round} from "./rows.mjs";

const LAGS = 64;

const ranges = {
  f16: {largest: 65504, smallest: 2 ** -14},
  bf16: {largest: 3.3895313892515355e38, smallest: 2 ** -126},
  f32: {largest: 3.4028234663852886e38, smallest: 2 ** -126},
  f64: {largest: Number.MAX_VALUE, smallest: 2 ** -1022},
};
const perFormat = (lag) =>
  Object.fromEntries(Object.entries(ranges).map(([format, range]) => [format, lag(range)]));
const never = perFormat(() => null);

const places = [
  ["none", "X = 0: positions do nothing"],
  ["decay", "e^(a lag), a < 0: logits fade with the lag"],
  ["growth", "e^(a lag), a > 0: logits blow up"],
  ["rotation", "R(w lag): norms stay"],
  ["spiral", "e^(a lag) R(w lag): damped rotation"],
  ["real Jordan", "e^(a lag) times a polynomial in the lag"],
  ["complex Jordan", "e^(a lag) R(w lag) times a polynomial in the lag"],
  ["lift", "no group as it stands; C exp(lag X) B with a few more coordinates"],
  ["relative only", "a function of the lag; no finite-dimensional group was found that makes it"],
  ["absolute", "the logit depends on the positions themselves"],
  ["needs values", "nothing can be said before its values are given"],
].map(([name, meaning]) => ({name, meaning}));

const family = (kind, decay, frequency, size, count) => ({kind, decay, frequency, size, count});
const kernelOf = (value) => Array.from({length: LAGS}, (_, lag) => round(value(lag)));
const hankelOf = (ranks, exponents) => ({
  samples: LAGS,
  two_sided: false,
  finite: exponents.length > 0,
  rank: ranks[0],
  tolerances: [1e-6, 1e-9, 1e-12].map((tolerance, k) => ({tolerance, rank: ranks[k], gap: 1e4 / (k + 1)})),
  exponents,
});

// What every row has that was tested.
function tested(encoding, title, place, verdict, reason, rest) {
  return {
    encoding,
    title,
    place,
    missing: null,
    verdict,
    reason,
    dim: 64,
    residuals: {relative: 2.1e-16, group: verdict === "group" ? 3.4e-15 : null, recovery: null},
    worst_pair: null,
    step: 1,
    families: [],
    ambiguous: false,
    realisation: null,
    initial_draw: encoding === "t5",
    kernel_of: verdict === "group" ? "trace" : "bias",
    kernel: [],
    hankel: null,
    warnings: [],
    ...rest,
  };
}

function closedForm(families) {
  const all = families.length <= 8;
  const shown = families.slice(0, all ? families.length : 6);
  const texts = shown.map(({decay, frequency}) => `e^(${decay} lag) R(${frequency} lag)`);
  return [...texts, ...(all ? [] : [`... ${families.length - 6} more`])].join(" (+) ");
}

function group(encoding, title, families, kernel, rest = {}) {
  return tested(
    encoding,
    title,
    families.at(-1).kind,
    "group",
    "A(a) A(0)^-1 A(b) = A(a+b) holds to 3.4e-15",
    {
      families,
      closed_form: closedForm(families),
      stability: "bounded",
      stability_back: "bounded",
      norm_preserving: true,
      needs_causal_mask: false,
      horizon: never,
      split_horizon: never,
      vanishing: never,
      conditioning: [],
      kernel: kernelOf(kernel),
      hankel: hankelOf([2 * families.length, 2 * families.length, 2 * families.length], families),
      ...rest,
    },
  );
}

// e^(-rate lag) lag^power falls below the smallest normal number.
function fades(rate, power = 0) {
  return perFormat(({smallest}) => {
    let lag = 1;
    for (let k = 0; k < 60; ++k) lag = (power * Math.log(Math.max(lag, 1)) - Math.log(smallest)) / rate;
    return round(lag);
  });
}

const damped = (rate, power = 0) => ({
  stability: "decays",
  stability_back: "grows exponentially",
  norm_preserving: false,
  needs_causal_mask: true,
  vanishing: fades(rate, power),
  split_horizon: perFormat(({largest}) => round(Math.log(largest) / rate)),
});

function groupRows(dim) {
  const count = dim / 2;
  const w = Array.from({length: count}, (_, j) => 10000 ** (-j / count));
  const rope = (lag) => w.reduce((sum, f) => sum + Math.cos(f * lag), 0) / count;
  const rate = 0.01;
  const spirals = w.map((f, j) => family("spiral", round((-rate * (j + 1)) / count), round(f), 1, 1));
  return [
    group("none", "No positional encoding", [family("none", 0, 0, 1, dim)], () => 1),
    group("decay", "Exponential decay", [family("decay", -0.02, 0, 1, dim)], (t) => Math.exp(-0.02 * t), {
      ...damped(0.02),
    }),
    group(
      "rope",
      "Rotary position embedding",
      w.map((f) => family("rotation", 0, round(f), 1, 1)),
      rope,
    ),
    group(
      "grape",
      "Rank-2 skew rotation",
      [family("none", 0, 0, 1, dim - 2), family("rotation", 0, 0.5, 1, 1)],
      (t) => 1 - (2 / dim) * (1 - Math.cos(t / 2)),
    ),
    group(
      "spiral",
      "Damped rotation",
      [family("spiral", -rate, 1, 1, count)],
      (t) => Math.exp(-rate * t) * Math.cos(t),
      {
        ...damped(rate),
        ambiguous: true,
      },
    ),
    group("xpos", "Extrapolatable rotary embedding (xPos)", spirals, (t) => Math.exp(-rate * t) * rope(t), {
      ...damped(rate / count),
    }),
    group(
      "alibi_lift",
      "ALiBi as a nilpotent group",
      [family("none", 0, 0, 1, dim - 2), family("real Jordan", 0, 0, 2, 1)],
      (t) => 1 - t / 256,
      {
        stability: "grows polynomially",
        stability_back: "grows polynomially",
        norm_preserving: false,
        horizon: perFormat(({largest}) => largest),
      },
    ),
    group(
      "jordan(decay=0.05)",
      "Jordan rotary embedding",
      [family("complex Jordan", -0.05, 0.25, 2, count / 2)],
      (t) => Math.exp(-0.05 * t) * (1 + t / 8) * Math.cos(t / 4),
      damped(0.05, 1),
    ),
  ];
}

function otherRows() {
  const relative = "A(0) is singular, so exp(lag X) cannot be it";
  const nilpotent = family("real Jordan", 0, 0, 2, 1);
  return [
    tested("alibi", "Attention with linear biases (ALiBi)", "lift", "relative but no group", relative, {
      realisation: {order: 2, families: [nilpotent], residual: 4.1e-16},
      kernel: kernelOf((t) => -t / 256),
      hankel: hankelOf([2, 2, 2], [nilpotent]),
    }),
    tested("kerple", "Kernelised relative bias", "relative only", "relative but no group", relative, {
      kernel: kernelOf((t) => -Math.log1p(t)),
      hankel: hankelOf([5, 8, 11], []),
    }),
    tested("t5", "T5 bucketed bias", "relative only", "relative but no group", relative, {
      kernel: kernelOf((t) => 8 - (t < 16 ? t / 2 : 8 + Math.floor(4 * Math.log2(t / 16)))),
      hankel: hankelOf([20, 29, 31], []),
      warnings: ["the kernel has jumps"],
    }),
    tested(
      "sinusoidal",
      "Sinusoidal table",
      "absolute",
      "not relative",
      "the logit of one lag varies by 0.71",
      {},
    ),
    {
      encoding: "bias",
      title: "Bias table by lag",
      place: "needs values",
      missing: "bias needs values=FILE <i>first</i>",
    },
  ];
}

export const groupsOf = (dim) => ({dim, places, rows: [...groupRows(dim), ...otherRows()]});
