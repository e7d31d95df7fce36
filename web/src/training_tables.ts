// SPDX-License-Identifier: Apache-2.0
// Every number of a training run: means and spreads, and comparisons with their tests.
import {button, el} from "./dom";
import {exists, interval, missing, num, whole} from "./format";
import {csvText, download} from "./save";
import {sorting, type Column} from "./sorting";
import type {Comparison, Summary, Training} from "./training_data";
import {level} from "./training_verdict";

interface Table<T> {
  id: string;
  title: string;
  lead: string;
  columns: Column<T>[];
  rows: T[];
  words: number; // columns of words, the first ones
  fields: [string, (row: T) => unknown][]; // of the CSV
}

function tableOf<T>({id, title, lead, columns, rows, words, fields}: Table<T>): HTMLElement {
  const body = el("tbody", {});
  const order = sorting(columns, () => show());
  const line = (row: T): HTMLElement =>
    el(
      "tr",
      {},
      ...columns.map((column, k) =>
        el(
          k === 0 ? "th" : "td",
          {"data-column": column.id, class: k < words ? "words" : null, ...(k === 0 ? {scope: "row"} : {})},
          column.text(row),
        ),
      ),
    );
  const show = (): void => body.replaceChildren(...order.sorted(rows).map(line));
  const save = button(
    "Save CSV",
    () =>
      download(
        `${id}.csv`,
        "text/csv",
        csvText(
          fields.map(([name]) => name),
          order.sorted(rows).map((row) => fields.map(([, get]) => get(row))),
        ),
      ),
    `Save "${title}" as CSV`,
  );
  save.className = "save";
  show();
  return el(
    "div",
    {class: "training-table"},
    el("div", {class: "figure-head"}, el("h3", {}, title), save),
    el("p", {class: "small"}, lead),
    el(
      "div",
      {class: "scroll", tabindex: 0, role: "region", "aria-label": title},
      el("table", {id}, order.head, body),
    ),
  );
}

// The CSV has all digits.
const short = (value: unknown): string => num(value, 3);

function column<T>(
  id: keyof T & string,
  title: string,
  meaning: string,
  text: (value: unknown) => string = short,
): Column<T> {
  return {id, title, meaning, value: (row) => row[id], text: (row) => text(row[id])};
}

const p = (value: unknown): string => (exists(value) && value < 1e-4 ? "< 0.0001" : num(value, 2));

const field = <T>(id: keyof T & string): [string, (row: T) => unknown] => [id, (row) => row[id]];

export function summaryTable(training: Training): HTMLElement {
  const parameters = new Map(
    training.trials
      .filter((trial) => exists(trial.parameters))
      .map((trial) => [trial.encoding, trial.parameters]),
  );
  return tableOf<Summary>({
    id: "training-summary",
    title: "Means and spreads",
    lead: `The ${training.options.metric} over the seeds that finished. Choose a heading to sort; again to turn the order.`,
    rows: training.summary,
    words: 1,
    columns: [
      column("encoding", "Encoding", "specification", String),
      column("length", "Length", "of the test sequences", whole),
      column("mean", "Mean", "over the seeds"),
      {
        id: "ci",
        title: "Interval",
        meaning: "95 % interval of the mean by Student's t",
        value: ({ci}) => ci?.[0],
        text: ({ci}) => interval(ci, short),
      },
      column("sd", "SD", "standard deviation, divisor n - 1"),
      column("median", "Median", "of the seeds"),
      column("q1", "Q1", "lower quartile"),
      column("q3", "Q3", "upper quartile"),
      column("seeds", "Seeds", "that finished", whole),
      {
        id: "parameters",
        title: "Parameters",
        meaning: "trained numbers of the model",
        value: ({encoding}) => parameters.get(encoding),
        text: ({encoding}) => whole(parameters.get(encoding)),
      },
    ],
    fields: [
      field("encoding"),
      field("length"),
      field("mean"),
      ["ci_low", ({ci}) => ci?.[0]],
      ["ci_high", ({ci}) => ci?.[1]],
      field("sd"),
      field("median"),
      field("q1"),
      field("q3"),
      field("seeds"),
      ["parameters", ({encoding}) => parameters.get(encoding)],
    ],
  });
}

export function comparisonTable(training: Training): HTMLElement | null {
  if (training.comparisons.length === 0) return null;
  const word = ({p_holm}: Comparison): string =>
    !exists(p_holm) ? missing : p_holm < level ? "differ" : "not told apart";
  return tableOf<Comparison>({
    id: "training-comparisons",
    title: "Comparisons, seed by seed",
    lead: `Differences a \u2212 b of runs with one seed, which see the same data. p (Holm) is that of the paired t test, corrected for all comparisons of a length; p (W) is Wilcoxon's signed-rank test, never below 2^(1 \u2212 pairs). Not told apart at ${level} is no proof of equality.`,
    rows: training.comparisons,
    words: 2,
    columns: [
      column("a", "a", "encoding", String),
      column("b", "b", "encoding it is compared with", String),
      column("length", "Length", "of the test sequences", whole),
      column("difference", "a \u2212 b", "mean difference"),
      column("pairs", "Pairs", "seeds that both finished", whole),
      column("p_t", "p (t)", "paired t test, two-sided", p),
      column("p_wilcoxon", "p (W)", "Wilcoxon's signed-rank test, two-sided, exact", p),
      column("p_holm", "p (Holm)", "p (t) with Holm's correction", p),
      {id: "word", title: "So", meaning: `p (Holm) below ${level}`, value: word, text: word},
    ],
    fields: [
      field("a"),
      field("b"),
      field("length"),
      field("difference"),
      field("pairs"),
      field("p_t"),
      field("p_wilcoxon"),
      field("p_holm"),
    ],
  });
}
