// SPDX-License-Identifier: Apache-2.0
// The key `model` as types (docs/models.md): a model, or a learned table alone.
import type {Num} from "./report";

export interface Method {
  method: string;
  magnitude: Num;
  ratio: Num[];
}

export interface PrecisionCurve {
  what: string;
  dtype: string;
  worst: Num[];
  first: Record<string, Num>; // by limit; null: not up to the last position
}

export interface Rotary {
  pairs: number;
  magnitude: Num;
  softmax_factor: Num;
  trained: Num;
  to: number;
  wavelength: Num[];
  trained_wavelength: Num[];
  coverage: {trained: Num[]; to: Num[]; unscaled: Num[]} | null;
  methods: Method[] | null;
  precision: {positions: number[]; curves: PrecisionCurve[]} | null;
}

export interface LayerGroup {
  name: string;
  layers: number[];
  kind: string;
  spec?: string | null;
  assumptions?: string[] | null;
  rotary?: Rotary | null;
  error?: string | null;
}

// Means of neighbouring rows, each beside the first of them.
export interface Series {
  starts: number[];
  values: Num[];
}

export interface Extreme {
  row: number;
  value: number;
}

export interface LearnedTable {
  shape: number[];
  dtype: string;
  rows: number;
  dim: number;
  norm: {least: Extreme; median: number; greatest: Extreme};
  untrained: {row: number; norm: number; sign: string}[];
  of_all_rows: boolean;
  neighbours: {median: Num; least: Extreme | null};
  ranks: {numerical: number; participation: Num; entropy: Num; share90: Num; share99: Num};
  geometry: {
    rows: number;
    step: number;
    share2: Num;
    share8: Num;
    stress2: Num;
    stress8: Num;
    lag_pearson: Num;
    lag_spearman: Num;
    distance_by_lag: Series;
    waves: {cycles: number; wavelength: number; share: number}[];
  } | null;
  norms: Series;
  neighbour_cosines: Series;
  spectrum: Series;
}

export interface ModelPage {
  source: string;
  family?: string;
  layers?: Num;
  heads?: Num;
  kv_heads?: Num;
  head_dim?: Num;
  hidden?: Num;
  max_positions?: Num;
  dtype?: string | null;
  pairing?: string;
  fingerprint?: string | null;
  engine?: string;
  release?: string;
  notes: string[];
  groups: LayerGroup[];
  table: LearnedTable | null;
}

export const noModel = {notes: [], groups: [], table: null};

// "0-4, 6": numbers in a row as one range.
export function ranges(numbers: number[]): string {
  const parts: [number, number][] = [];
  for (const number of numbers) {
    const last = parts.at(-1);
    if (last && number === last[1] + 1) last[1] = number;
    else parts.push([number, number]);
  }
  return parts.map(([a, b]) => (a === b ? `${a}` : `${a}\u2013${b}`)).join(", ");
}
