// SPDX-License-Identifier: Apache-2.0
// Distances of a few encodings by their formulas, for the samples.
import {classical, distances, normal, pairs, smacof, uniform} from "./geometry.mjs";

const frequencies = (dim) => Array.from({length: dim / 2}, (_, j) => 10000 ** ((-2 * j) / dim));
const rotary = (dim) => {
  const w = frequencies(dim);
  return (lag) => w.reduce((sum, f) => sum + Math.cos(f * lag), 0) / w.length;
};
const fromKernel = (kernel) => (lag) => Math.sqrt(Math.max(2 * kernel(0) - 2 * kernel(lag), 0));
const line = (bias) => (lag) => bias(0) - bias(lag);
const brownian = (bias) => (lag) => Math.sqrt(bias(0) - bias(lag));

// {encoding, title, geometry, control, lag or values, kernel}: `lag` is d by lag, `values` is d over
// the pairs of `kept`, `kernel` the kernel or bias by lag.
export function candidates({kept, dim, spectrum, plain}) {
  const n = kept.length;
  const rope = rotary(dim);
  const spiral = (lag) => Math.exp(-0.01 * lag) * rope(lag);
  const alibi = (lag) => -lag / 256;
  const kerple = (lag) => -Math.log1p(lag);
  const sandwich = (lag) => (rope(lag) * dim) / 2;
  const both = (lag) => rope(lag) + alibi(lag);
  const draw = normal(uniform(7));
  const gaussian = kept.map(() => Array.from({length: dim}, () => draw() / Math.sqrt(dim)));
  const legendre = kept.map((t) => {
    const x = (2 * t) / (kept[n - 1] || 1) - 1;
    const p = [1, x];
    for (let k = 1; k < 15; ++k) p.push(((2 * k + 1) * x * p[k] - k * p[k - 1]) / (k + 1));
    return p;
  });
  const fitted = classical(spectrum, Math.min(8, n - 1));
  const byLag = (encoding, title, geometry, lag, kernel) => ({
    encoding,
    title,
    geometry,
    control: false,
    lag,
    kernel,
  });
  const fixed = (encoding, title, geometry, control, values) => ({
    encoding,
    title,
    geometry,
    control,
    values,
  });
  return [
    byLag(
      "sinusoidal",
      "Sinusoidal table",
      "rows",
      fromKernel((t) => (rope(t) * dim) / 2),
      null,
    ),
    fixed("legendre", "Legendre polynomials", "rows", false, distances(legendre)),
    byLag(
      "none",
      "No positional encoding",
      "kernel",
      () => 0,
      () => 1,
    ),
    byLag("rope", "Rotary position embedding", "kernel", fromKernel(rope), rope),
    byLag(
      "rope(base=500000,scaling=llama3,factor=8)",
      "Rotary position embedding",
      "kernel",
      fromKernel((t) => rope(t / 3)),
      (t) => rope(t / 3),
    ),
    byLag("spiral", "Damped rotation", "kernel", fromKernel(spiral), spiral),
    byLag("rope+alibi", "Composite", "kernel", fromKernel(both), both),
    byLag("alibi", "Attention with linear biases", "line", line(alibi), alibi),
    byLag("alibi", "Attention with linear biases", "brownian", brownian(alibi), alibi),
    byLag("kerple", "Kernelised relative bias", "line", line(kerple), kerple),
    byLag("kerple", "Kernelised relative bias", "brownian", brownian(kerple), kerple),
    byLag("sandwich", "Sandwich bias", "line", line(sandwich), sandwich),
    byLag("sandwich", "Sandwich bias", "brownian", brownian(sandwich), sandwich),
    fixed("random", "Gaussian codes of equal norm", "control", true, distances(gaussian)),
    fixed(
      "equidistant",
      "Equidistant points",
      "control",
      true,
      pairs(n, () => 1),
    ),
    fixed(
      `mds(rank=${Math.min(8, n - 1)})`,
      "Classical MDS of this corpus",
      "control",
      true,
      distances(fitted),
    ),
    fixed(
      `smacof(rank=${Math.min(8, n - 1)})`,
      "SMACOF of this corpus",
      "control",
      true,
      distances(smacof(plain, fitted, 10)),
    ),
  ];
}
