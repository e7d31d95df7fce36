// SPDX-License-Identifier: Apache-2.0
// The key `profiles` of a sample: what encodings do beyond the training length, by their formulas.
import {normal, uniform} from "./geometry.mjs";
import {round} from "./rows.mjs";

const TRAIN = 64,
  TO = 512,
  DIM = 16,
  HEADS = 8,
  ROWS = 64; // positions that are reported

const halves = Array.from({length: DIM / 2}, (_, j) => 10000 ** ((-2 * j) / DIM));
const waves = (t) => halves.flatMap((w) => [Math.cos(w * t), Math.sin(w * t)]);
const slopes = Array.from({length: HEADS}, (_, h) => 2 ** -(h + 1));
const legendre = (x) => {
  const values = [1, x];
  for (let k = 1; values.length < DIM; ++k)
    values.push(((2 * k + 1) * x * values[k] - k * values[k - 1]) / (k + 1));
  return values;
};
const bump = (t, scale) => Math.max(0, 1 - Math.abs(t / scale - 1));

// A position acts by action(t), and at a lag by logit(lag). A table has its logits from its rows.
const kinds = () => {
  const draw = normal(uniform(7));
  const drawn = Array.from({length: TRAIN}, () => Array.from({length: DIM}, () => 0.3 * draw()));
  const rows = (encoding, title, action, rest = {}) => ({encoding, title, acts: "rows", action, ...rest});
  const bias = (encoding, title, value) => ({
    encoding,
    title,
    acts: "bias",
    action: (t) => slopes.map((m) => m * value(t)),
    logit: (lag) => slopes[3] * value(lag),
  });
  return [
    rows("sinusoidal", "Sinusoidal table", waves),
    rows("learned", "Learned table", (t) => drawn[t], {
      end: TRAIN,
      reason: "the table ends at position 63; its values are an initial draw",
    }),
    rows("wavelet(taps=8)", "Wavelet table", (t) => halves.map((_, j) => bump(t, 2 ** (j / 1.4)))),
    rows("legendre", "Legendre polynomials", (t) => legendre(Math.min((2 * t) / (TRAIN - 1) - 1, 1))),
    {
      encoding: "rope",
      title: "Rotary position embedding",
      acts: "operators",
      action: (t) => waves(t).map((x) => x / Math.sqrt(DIM / 2)),
      logit: (lag) => halves.reduce((sum, w) => sum + Math.cos(w * lag), 0) / halves.length,
    },
    bias("alibi", "Attention with linear biases (ALiBi)", (lag) => -lag),
    bias("kerple", "Kernelised relative bias", (lag) => -8 * Math.log1p(lag)),
    {encoding: "none", title: "No positional encoding", acts: "nothing", action: () => [0], logit: () => 1},
  ];
};

const dot = (a, b) => a.reduce((sum, x, k) => sum + x * b[k], 0);
const distance = (a, b) => Math.hypot(...a.map((x, k) => x - b[k]));

function drift(actions, t) {
  if (t < TRAIN) return 0;
  let off = 0,
    size = 0;
  for (let i = 0; i < TRAIN; i += 4) {
    for (let j = 0; j < TRAIN; j += 4) {
      const old = dot(actions[i], actions[j]);
      off += (dot(actions[t - TRAIN + 1 + i], actions[t - TRAIN + 1 + j]) - old) ** 2;
      size += old ** 2;
    }
  }
  return Math.sqrt(off / size);
}

function softmax(logits) {
  const top = Math.max(...logits);
  const all = logits.map((x) => Math.exp(x - top));
  const sum = all.reduce((a, b) => a + b, 0);
  return all.map((x) => x / sum);
}

function pointOf(kind, actions, logits, position) {
  const others = actions.map((a) => distance(a, actions[position])).filter((_, t) => t !== position);
  const weights = softmax(logits.slice(0, position + 1));
  const sum = (value) => weights.reduce((a, w, lag) => a + value(w, lag), 0);
  const point = {
    norm: Math.hypot(...actions[position]),
    nearest: Math.min(...others),
    collisions: others.filter((d) => d < 1e-12).length,
    gram_drift: kind.logit ? 0 : drift(actions, position),
    logit: logits[position],
    weight_beyond: sum((w, lag) => (lag >= TRAIN ? w : 0)),
    effective_keys: Math.exp(-sum((w) => (w > 0 ? w * Math.log(w) : 0))),
    mean_lag: sum((w, lag) => w * lag),
  };
  const rounded = Object.entries(point).map(([name, value]) => [name, round(value)]);
  return {encoding: kind.encoding, position, ...Object.fromEntries(rounded)};
}

function departuresOf(points) {
  const names = Object.keys(points[0]).filter((name) => !["encoding", "position"].includes(name));
  return Object.fromEntries(
    names.map((name) => {
      const trained = points.filter((p) => p.position < TRAIN).map((p) => p[name]);
      const [low, high] = [Math.min(...trained), Math.max(...trained)];
      const slack = 1e-6 * Math.max(Math.abs(low), Math.abs(high));
      const out = points.find((p) => p[name] < low - slack || p[name] > high + slack);
      return [name, {position: out?.position ?? null, low, high}];
    }),
  );
}

function tailOf(weights) {
  const steps = weights.slice(TRAIN).map((w, k) => w - weights[TRAIN - 1 + k]);
  if (steps.length === 0) return "undefined";
  if (steps.every((s) => Math.abs(s) < 1e-9)) return "flat";
  if (steps.every((s) => s <= 0)) return "decays";
  return steps.every((s) => s >= 0) ? "grows" : "erratic";
}

function profileOf(kind) {
  const end = kind.end ?? TO;
  const actions = Array.from({length: end}, (_, t) => kind.action(t));
  const last = actions.at(-1);
  const logits = actions.map((_, lag) => kind.logit?.(lag) ?? dot(last, actions[end - 1 - lag]) / DIM);
  const kept = Array.from({length: Math.min(ROWS, end)}, (_, k) =>
    Math.floor((k * end) / Math.min(ROWS, end)),
  );
  const points = kept.map((t) => pointOf(kind, actions, logits, t));
  const weights = softmax(logits);
  const {encoding, title, acts, reason = ""} = kind;
  return {
    rows: points,
    profile: {
      encoding,
      title,
      acts,
      reason,
      tail: tailOf(weights),
      roughness: 0,
      distinct: new Set(actions.map(String)).size,
      first_departure: departuresOf(points),
      weights: {lags: kept, values: kept.map((lag) => round(weights[lag]))},
    },
  };
}

export function profilesOf() {
  const all = kinds().map(profileOf);
  const missing = {
    encoding: "table",
    title: "Table from a file",
    acts: "",
    reason: "table needs values=FILE <i>first</i>",
    tail: "undefined",
    roughness: null,
    distinct: 0,
    first_departure: {},
    weights: {lags: [], values: []},
  };
  const encodings = [...all.map(({profile}) => profile), missing];
  const positions = ({first_departure: own}) =>
    Object.fromEntries(Object.entries(own).map(([measure, {position}]) => [measure, position]));
  return {
    train: TRAIN,
    to: TO,
    dim: DIM,
    heads: HEADS,
    encodings,
    rows: all.flatMap(({rows}) => rows),
    first_departure: Object.fromEntries(encodings.map((profile) => [profile.encoding, positions(profile)])),
  };
}
