// SPDX-License-Identifier: Apache-2.0
// The key `training` as types (docs/lab.md), and what several of its parts ask of it.
import {exists} from "./format";
import type {Interval, Num} from "./report";

export interface Baseline {
  length: number;
  name: string;
  metric: string;
  value: Num;
  how?: string;
  caution?: string; // "too low by about 0.25": nothing is judged by it
}

export interface Summary {
  encoding: string;
  length: number;
  mean: Num;
  sd: Num;
  ci: Interval;
  median: Num;
  q1: Num;
  q3: Num;
  seeds: number;
}

// The difference is a - b.
export interface Comparison {
  a: string;
  b: string;
  length: number;
  pairs: number;
  difference: Num;
  p_t: Num;
  p_wilcoxon: Num;
  p_holm: Num;
}

export interface Trial {
  encoding: string;
  seed: number;
  end: string;
  fault?: string;
  parameters: Num;
}

export interface Curve {
  encoding: string;
  seed: number;
  step: number[];
  loss: Num[];
}

export interface PositionLoss {
  encoding: string;
  seed: number;
  length: number;
  position: number[];
  loss: Num[];
}

export interface AttentionMap {
  encoding: string;
  seed: number;
  layer: number;
  head: number;
  values: Num[]; // means of squares between `starts`, query by query
}

export interface Attention {
  length: number;
  starts: number[];
  maps: AttentionMap[];
  missing: {encoding: string; reason: string}[];
}

export interface TrainingOptions extends Record<string, unknown> {
  train_length: number;
  test_lengths: number[];
  encodings: string[];
  metric: string;
  against: string | null;
  seeds: number;
  model?: Record<string, unknown>;
  schedule?: Record<string, unknown>;
}

export interface Training {
  task: string;
  options: TrainingOptions;
  baselines: Baseline[];
  summary: Summary[];
  comparisons: Comparison[];
  trials: Trial[];
  curves: Curve[];
  positions: PositionLoss[];
  attention: Attention | null;
  provenance: Record<string, unknown>;
}

export const noTraining = {
  baselines: [],
  summary: [],
  comparisons: [],
  trials: [],
  curves: [],
  positions: [],
  attention: null,
  provenance: {},
};

// Negative where the first value is the better one.
export function order({options}: Training, a: number, b: number): number {
  return options.metric === "accuracy" ? b - a : a - b;
}

// Of the metric that is shown, the best first.
export function baselinesAt(training: Training, length: number): (Baseline & {value: number})[] {
  return training.baselines
    .filter((baseline): baseline is Baseline & {value: number} => exists(baseline.value))
    .filter((baseline) => baseline.length === length && baseline.metric === training.options.metric)
    .sort((a, b) => order(training, a.value, b.value));
}

// By which encodings are judged.
export const yardstickAt = (training: Training, length: number): (Baseline & {value: number}) | undefined =>
  baselinesAt(training, length).find(({caution}) => !caution);

export function summariesAt(training: Training, length: number): (Summary & {mean: number})[] {
  return training.summary
    .filter((summary): summary is Summary & {mean: number} => exists(summary.mean))
    .filter((summary) => summary.length === length)
    .sort((a, b) => order(training, a.mean, b.mean));
}

// The test length that stands for training: that of training, else the longest below it, else the first.
export function homeLength({options}: Training): number {
  const lengths = [...options.test_lengths].sort((a, b) => a - b);
  return lengths.filter((length) => length <= options.train_length).at(-1) ?? lengths[0] ?? 0;
}

export const unfinished = ({trials}: Training): Trial[] => trials.filter(({end}) => end !== "finished");
