// SPDX-License-Identifier: Apache-2.0
// The little geometry that the samples need: pairs, stress, eigenvalues, embeddings. Plain and slow.

// Reproducible numbers in [0, 1): a linear congruential generator modulo 2^32.
export function uniform(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

export function normal(random) {
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

// f(i, j) over the pairs i < j, row after row.
export function pairs(n, f) {
  const out = [];
  for (let i = 0; i < n; ++i) for (let j = i + 1; j < n; ++j) out.push(f(i, j));
  return out;
}

export const pairIndex = (n, i, j) => (i < j ? (i * (2 * n - i - 1)) / 2 + j - i - 1 : pairIndex(n, j, i));

export const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;

export function stress(d, e) {
  let dd = 0,
    ee = 0,
    de = 0;
  d.forEach((x, k) => {
    dd += x * x;
    ee += e[k] * e[k];
    de += x * e[k];
  });
  return {
    raw: Math.max(0, dd - 2 * de + ee) / dd,
    scaled: ee > 0 ? Math.max(0, 1 - (de * de) / (dd * ee)) : 1,
    scale: ee > 0 ? de / ee : null,
  };
}

export function pearson(a, b) {
  const ma = mean(a),
    mb = mean(b);
  let aa = 0,
    bb = 0,
    ab = 0;
  a.forEach((x, k) => {
    aa += (x - ma) ** 2;
    bb += (b[k] - mb) ** 2;
    ab += (x - ma) * (b[k] - mb);
  });
  return aa > 0 && bb > 0 ? ab / Math.sqrt(aa * bb) : null;
}

export function ranksOf(values) {
  const order = values.map((_, k) => k).sort((p, q) => values[p] - values[q]);
  const out = new Array(values.length);
  order.forEach((k, rank) => {
    out[k] = rank + 1;
  });
  return out;
}

// B = -1/2 J D2 J of squared distances over the pairs.
export function gram(n, squared) {
  const at = (i, j) => (i === j ? 0 : squared[pairIndex(n, i, j)]);
  const rows = Array.from({length: n}, (_, i) => mean(Array.from({length: n}, (_, j) => at(i, j))));
  const all = mean(rows);
  return Array.from({length: n}, (_, i) =>
    Float64Array.from({length: n}, (_, j) => -0.5 * (at(i, j) - rows[i] - rows[j] + all)),
  );
}

function rotate(a, v, p, q) {
  const n = a.length;
  const theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
  const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.hypot(theta, 1));
  const c = 1 / Math.hypot(t, 1),
    s = t * c;
  for (let k = 0; k < n; ++k) {
    const x = a[k][p],
      y = a[k][q];
    a[k][p] = c * x - s * y;
    a[k][q] = s * x + c * y;
  }
  for (let k = 0; k < n; ++k) {
    const x = a[p][k],
      y = a[q][k];
    a[p][k] = c * x - s * y;
    a[q][k] = s * x + c * y;
    const u = v[k][p],
      w = v[k][q];
    v[k][p] = c * u - s * w;
    v[k][q] = s * u + c * w;
  }
}

// Jacobi's rotations: {values, vectors}, largest first; vectors[k] belongs to values[k].
export function eigen(symmetric) {
  const n = symmetric.length;
  const a = symmetric.map((row) => Float64Array.from(row));
  const v = a.map((_, i) => Float64Array.from({length: n}, (_, j) => (i === j ? 1 : 0)));
  for (let sweep = 0; sweep < 12; ++sweep) {
    let off = 0;
    for (let p = 0; p < n; ++p) {
      for (let q = p + 1; q < n; ++q) {
        off += a[p][q] ** 2;
        if (Math.abs(a[p][q]) > 1e-14) rotate(a, v, p, q);
      }
    }
    if (off < 1e-20) break;
  }
  const order = a.map((_, k) => k).sort((p, q) => a[q][q] - a[p][p]);
  return {values: order.map((k) => a[k][k]), vectors: order.map((k) => v.map((row) => row[k]))};
}

// Points [n][rank] of classical MDS.
export function classical({values, vectors}, rank) {
  const n = vectors[0].length;
  return Array.from({length: n}, (_, i) =>
    Array.from({length: rank}, (_, k) => Math.sqrt(Math.max(values[k], 0)) * vectors[k][i]),
  );
}

function distance(a, b) {
  let sum = 0;
  for (let k = 0; k < a.length; ++k) sum += (a[k] - b[k]) ** 2;
  return Math.sqrt(sum);
}

export const distances = (points) => pairs(points.length, (i, j) => distance(points[i], points[j]));

// Guttman transforms from `start`.
export function smacof(target, start, steps) {
  let points = start;
  const n = start.length;
  for (let step = 0; step < steps; ++step) {
    const e = distances(points);
    points = points.map((p, i) =>
      p.map((_, k) => {
        let sum = 0;
        for (let j = 0; j < n; ++j) {
          if (j === i) continue;
          const at = pairIndex(n, i, j);
          sum += e[at] > 0 ? (target[at] / e[at]) * (p[k] - points[j][k]) : 0;
        }
        return sum / n;
      }),
    );
  }
  return points;
}
