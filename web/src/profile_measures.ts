// SPDX-License-Identifier: Apache-2.0
// What is measured at each position beyond training, in the order of the page.

export interface Measure {
  id: string; // the key in report.json
  title: string;
  column: string; // of the table
  axis: string;
  meaning: string;
  unit: number; // up to about here a compressed axis is linear
}

export const measures: Measure[] = [
  {
    id: "norm",
    title: "Norm",
    column: "Norm",
    axis: "norm",
    meaning:
      "Length of what stands for position t: a row, an operator (Frobenius over \u221ad) or a bias over heads.",
    unit: 1,
  },
  {
    id: "nearest",
    title: "Nearest neighbour",
    column: "Nearest",
    axis: "distance",
    meaning: "Distance to the most similar other position. Near 0 the two can hardly be told apart.",
    unit: 0.1,
  },
  {
    id: "collisions",
    title: "Collisions",
    column: "Collisions",
    axis: "positions alike",
    meaning: "How many other positions act exactly alike, within rounding.",
    unit: 1,
  },
  {
    id: "gram_drift",
    title: "Gram drift",
    column: "Gram drift",
    axis: "relative change",
    meaning: "Kernel of the N positions that end at t against that of training. 0 for everything relative.",
    unit: 0.1,
  },
  {
    id: "logit",
    title: "Logit of a pair without content",
    column: "Logit",
    axis: "logit",
    meaning:
      "Query t at the first key, which is lag t; all tokens are (1, ..., 1) of norm \u221ad. The range is that of all pairs of training; the first query with any key outside departs.",
    unit: 1,
  },
  {
    id: "weight_beyond",
    title: "Weight beyond training",
    column: "Weight beyond",
    axis: "share of the weight",
    meaning:
      "Share of the attention of the first head (ALiBi: its steepest; others reach farther), without content, on keys beyond training: rows of a table from N on, else lags from N on.",
    unit: 0.1,
  },
  {
    id: "effective_keys",
    title: "Effective keys",
    column: "Keys",
    axis: "keys",
    meaning:
      "How many keys that head attends to: the exponential of its entropy. t + 1 is uniform attention.",
    unit: 10,
  },
  {
    id: "mean_lag",
    title: "Mean lag",
    column: "Mean lag",
    axis: "lags",
    meaning: "How far back that head looks on average.",
    unit: 10,
  },
];
