// SPDX-License-Identifier: Apache-2.0
// report.json as types (docs/report-format.md). Keys that are not known are ignored; what may be
// missing gets an empty value here, so that the charts need not ask.
import {noModel, type ModelPage} from "./model_data";
import {noTraining, type Training} from "./training_data";

export type Num = number | null | undefined;
export type Interval = [number, number] | null | undefined;
export type Pairs = number[];

export interface Row {
  encoding: string;
  title?: string;
  geometry: string;
  control: boolean;
  stress_raw: Num;
  stress_scaled: Num;
  scale: Num;
  stress_corrected: Num;
  interval: Interval;
  interval_scaled: Interval;
  interval_raw: Interval;
  stress_null: Num;
  spearman: Num;
  pearson: Num;
  procrustes: Num;
  negative_mass: Num;
  difference?: {to: string; estimate: Num; interval: Interval} | null;
  group: Num;
  error?: string | null;
}

export interface Target {
  mean_distance: Num;
  min_distance: Num;
  max_distance: Num;
  rank: Num;
  rank_supported: Num;
  eigenvalues: number[];
  first_share: Num;
  ranks: {entropy?: Num; participation?: Num; share90?: Num; share99?: Num};
  signal_fraction: Num;
  sequences_needed: Num;
  corrected: {
    mean_squared?: Num;
    mean_squared_interval?: Interval;
    eigenvalues?: number[];
    negative_mass?: Num;
    analytic_mean_squared?: Num;
    agreement?: Num;
  };
  null: {
    mean_distance?: Num;
    mean_squared?: Num;
    analytic_mean_squared?: Num;
    eigenvalues?: number[];
    largest?: Num;
  };
  stationary_floor: Num;
  stationary_floor_plain: Num;
  ceiling: Num;
  length_only: {mean_squared: Num; correlation: Num} | null;
  break_even_rank: Num;
}

export interface Excluded {
  position: number;
  count: Num;
  reliability: Num;
  reason: string;
}

export interface RankStress {
  rank: number;
  mds_raw: Num;
  mds_scaled: Num;
  smacof_raw: Num;
  smacof_scaled: Num;
  numbers: number;
  table_numbers: number;
  freedom: number;
}

export type OwnMatrix = {lag?: number[]; upper?: Pairs};

export interface Matrices {
  size: number;
  starts: number[];
  plain: Pairs;
  corrected: Pairs;
  null: Pairs;
  encodings: Record<string, OwnMatrix>;
}

export interface Kernel {
  encoding: string;
  geometry: string;
  lags: number[];
  values: Num[];
}

export interface MetricRow {
  encoding: string;
  geometry: string;
  stress_scaled: Num;
  rank: Num;
}

export interface EncodingFacts {
  name: string;
  title?: string;
  formula?: string;
  reference?: string;
  claims?: Record<string, unknown>;
}

// Blocks of a generator: e^(decay lag) R(frequency lag), `size` links of a Jordan chain, `count` times.
export interface Family {
  kind: string;
  decay: number;
  frequency: number;
  size: number;
  count: number;
}

export type NumberFormat = "f16" | "bf16" | "f32" | "f64";
export type Horizon = Partial<Record<NumberFormat, Num>>; // lags; null: never

export interface GroupRow {
  encoding: string;
  title?: string;
  place: string;
  missing?: string | null; // a text: nothing that follows is there
  verdict?: string;
  reason?: string;
  families?: Family[];
  closed_form?: string;
  stability?: string;
  stability_back?: string;
  norm_preserving?: boolean;
  needs_causal_mask?: boolean;
  horizon?: Horizon;
  split_horizon?: Horizon;
  vanishing?: Horizon;
  ambiguous?: boolean;
  realisation?: {order: number; families: Family[]; residual: Num} | null;
  initial_draw?: boolean; // its values are learned: this is a first draw
  kernel_of?: "bias" | "trace"; // only a bias is judged by its kernel
  kernel?: Num[];
  hankel?: {
    finite: boolean;
    tolerances: {tolerance: number; rank: number; gap: Num}[];
    exponents: Family[];
  } | null;
  warnings?: string[];
}

export interface Groups {
  dim: number;
  places: {name: string; meaning: string}[];
  rows: GroupRow[];
}

// One number of a claim with what it is held against.
export interface Finding {
  part: string;
  quantity: string;
  observed: Num;
  interval?: Interval;
  lower?: Num;
  bound?: Num;
  verdict: string;
  remark?: string;
}

export interface ClaimFigure {
  title: string;
  x_label: string;
  y_label: string;
  log_x?: boolean;
  log_y?: boolean;
  curves: {name: string; x: Num[]; y: Num[]}[];
}

// A claim of the literature. The number is that of the finding that decided.
export interface Claim extends Partial<Omit<Finding, "verdict">> {
  id: string;
  name: string;
  title: string;
  source: string;
  claim: string; // as published
  statement: string; // as checked
  conditions: string[];
  verdict: string;
  reason: string;
  findings: Finding[];
  figures?: ClaimFigure[];
  note?: string; // a file of docs/math/
  error?: string; // it could not run
}

export interface Departure {
  position: Num; // null: never
  low: Num; // of training
  high: Num;
}

export interface EncodingProfile {
  encoding: string;
  title?: string;
  acts?: string;
  reason?: string; // why there is no profile, or why it ends early
  tail?: string;
  roughness?: Num;
  distinct?: Num;
  first_departure?: Record<string, Departure>;
  weights?: {lags: number[]; values: Num[]};
}

export interface ProfileRow {
  encoding: string;
  position: number;
  [measure: string]: Num | string;
}

export interface Profiles {
  train: number;
  to: number;
  dim: number;
  heads: number;
  encodings: EncodingProfile[];
  rows: ProfileRow[];
}

export interface Corpus {
  name?: string;
  sequences?: Num;
  used?: Num;
  tokens?: Num;
  vocabulary?: Num;
  tokenizer?: string;
  skipped?: Num;
  hash?: string;
  overlap?: {runs?: Num; repeated?: Num; share?: Num} | null;
  lengths?: {from: number; to: Num; sequences: number}[];
  sample?: boolean;
  notes?: string[];
}

export interface Report {
  version: string;
  verdict: {warning?: string | null; headline: string; sentences: string[]};
  corpus: Corpus;
  options: Record<string, unknown>;
  positions: number;
  counts: number[];
  reliability: Num[];
  excluded: Excluded[];
  target: Target;
  rows: Row[];
  needs_values: {encoding: string; reason: string}[];
  ranks: RankStress[];
  embedding: {plain: [number, number][]; corrected: [number, number][]; positions: number[]};
  matrices: Matrices;
  kernels: Kernel[];
  metrics: {metric: string; rows: MetricRow[]}[];
  encodings: EncodingFacts[];
  groups?: Groups; // not in older reports, nor are these two
  claims?: Claim[];
  profiles?: Profiles;
  training?: Training;
  model?: ModelPage;
  geometry: boolean; // false: not of a corpus, as the page of a training run
  provenance: Record<string, unknown>;
}

const empty = {
  version: "",
  verdict: {headline: "", sentences: []},
  corpus: {},
  options: {},
  positions: 0,
  counts: [],
  reliability: [],
  excluded: [],
  rows: [],
  needs_values: [],
  ranks: [],
  kernels: [],
  metrics: [],
  encodings: [],
  provenance: {},
};

export function parseReport(text: string): Report {
  const read = JSON.parse(text) as Partial<Report>;
  for (const claim of read.claims ?? []) {
    claim.conditions = claim.conditions ?? [];
    claim.findings = claim.findings ?? [];
  }
  const target = {eigenvalues: [], ...read.target} as unknown as Target;
  target.corrected = target.corrected ?? {};
  target.null = target.null ?? {};
  target.ranks = target.ranks ?? {};
  return {
    ...empty,
    ...read,
    geometry: read.target !== undefined,
    training: read.training && {...noTraining, ...read.training},
    model: read.model && {...noModel, ...read.model},
    verdict: {...empty.verdict, ...read.verdict},
    target,
    embedding: {plain: [], corrected: [], positions: [], ...read.embedding},
    matrices: {size: 0, starts: [], plain: [], corrected: [], null: [], encodings: {}, ...read.matrices},
  };
}

// The name of a row everywhere: in `matrices.encodings`, in charts, in tables.
export function rowKey(row: {encoding: string; geometry: string}): string {
  return `${row.encoding} ${row.geometry}`;
}

// The same for a reader, who sees by the mark that a control is one.
export function rowName(row: {encoding: string; geometry: string}): string {
  return row.geometry === "control" ? row.encoding : rowKey(row);
}
