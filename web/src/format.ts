// SPDX-License-Identifier: Apache-2.0
// Numbers and names as a reader sees them. What does not exist is "n/a".
import type {Interval, Num} from "./report";

export const missing = "n/a";
const minus = "\u2212";

export function exists(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

// `digits` significant digits, without trailing zeros; powers of ten beyond 1e6 and below 1e-4.
export function num(value: unknown, digits = 4): string {
  if (!exists(value)) return missing;
  if (value === 0) return "0";
  const size = Math.abs(value);
  let text: string;
  if (size >= 1e6 || size < 1e-4) {
    const [mantissa, exponent] = value.toExponential(digits - 1).split("e") as [string, string];
    text = `${Number(mantissa)}e${Number(exponent)}`;
  } else {
    text = String(Number(value.toPrecision(digits)));
  }
  return text.replaceAll("-", minus);
}

// A stress or a correlation: three decimals below ten, so that columns line up.
export function stress(value: unknown): string {
  if (!exists(value)) return missing;
  if (value !== 0 && Math.abs(value) < 0.0005) return num(value, 2);
  return Math.abs(value) < 10 ? value.toFixed(3).replace("-", minus) : num(value, 4);
}

export function whole(value: unknown): string {
  return exists(value) ? Math.round(value).toLocaleString("en-US").replace("-", minus) : missing;
}

export function percent(value: Num): string {
  return exists(value) ? `${num(100 * value, 3)} %` : missing;
}

export function interval(range: Interval, text: (value: unknown) => string = stress): string {
  return range && exists(range[0]) && exists(range[1]) ? `[${text(range[0])}, ${text(range[1])}]` : missing;
}

// Cuts a long name in the middle; the whole name goes into a title.
export function shorten(name: string, most: number): string {
  if (name.length <= most) return name;
  const head = Math.ceil((most - 1) * 0.7);
  return `${name.slice(0, head)}\u2026${name.slice(name.length - (most - 1 - head))}`;
}
