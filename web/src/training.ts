// SPDX-License-Identifier: Apache-2.0
// Encodings compared by training: the verdict in words, then charts, tables and provenance.
import {el, facts, section} from "./dom";
import {exists, num} from "./format";
import {picker} from "./picker";
import {named} from "./provenance";
import type {Report} from "./report";
import {trainingAttention} from "./training_attention";
import {trainingBars} from "./training_bars";
import {trainingCharts} from "./training_charts";
import {unfinished, type Training} from "./training_data";
import {comparisonTable, summaryTable} from "./training_tables";
import {trainingVerdict} from "./training_verdict";

const mostLines = 10; // of the first choice

function failures(training: Training): HTMLElement | null {
  const failed = unfinished(training);
  if (failed.length === 0) return null;
  return el(
    "details",
    {id: "training-failed", open: true},
    el("summary", {}, `Trials without a result (${failed.length})`),
    el(
      "ul",
      {class: "plain"},
      ...failed.map(({encoding, seed, end, fault}) =>
        el("li", {}, el("b", {}, `${encoding} seed ${seed}`), ` ${end}${fault ? `: ${fault}` : ""}`),
      ),
    ),
  );
}

function provenanceOf({task, options, provenance}: Training): HTMLElement {
  return el(
    "details",
    {id: "training-provenance"},
    el("summary", {}, "Provenance of the training"),
    facts([
      ["task", task],
      ...named(provenance),
      ...named(options).map(([name, value]): [string, string] => [`option ${name}`, value]),
    ]),
  );
}

// The numbers of the set-up, as far as the run tells them.
function setUp({options}: Training): string {
  const {model = {}, schedule = {}, seeds} = options;
  const amount = (count: unknown, one: string): string[] =>
    exists(count) ? [`${num(count)} ${count === 1 ? one : `${one}s`}`] : [];
  const named = (word: string, value: unknown): string[] => (exists(value) ? [`${word} ${num(value)}`] : []);
  return [
    ...amount(model.layers, "layer"),
    ...named("width", model.dim),
    ...amount(model.heads, "head"),
    ...amount(schedule.steps, "step"),
    ...named("batch", schedule.batch),
    ...named("rate", schedule.rate),
    ...amount(seeds, "seed"),
  ].join(", ");
}

export function training(report: Report): HTMLElement | null {
  const found = report.training;
  if (!found) return null;
  const {headline, paragraphs} = trainingVerdict(found);
  const {options, task} = found;
  const all = options.encodings.map((encoding) => ({encoding}));
  const {root: chips, slots} = picker(all, all.slice(0, mostLines), () => charts.redraw());
  const charts = trainingCharts(found, slots);
  const tested = [...options.test_lengths].sort((a, b) => a - b).join(", ");
  return section(
    "training",
    "Training",
    `Small transformers trained on ${task} at length ${options.train_length}, one for each encoding and seed, tested at ${tested}. By ${options.metric}: ${options.metric === "accuracy" ? "larger" : "smaller"} is better.`,
    el("p", {id: "training-setup", class: "small"}, `Set-up: ${setUp(found)}.`),
    el(report.geometry ? "p" : "h1", {id: "training-headline", class: "headline"}, headline),
    ...paragraphs.map((text) => el("p", {class: "sentence"}, text)),
    failures(found),
    trainingBars(found).root,
    el("h3", {class: "departures-title"}, "Encodings in the charts below"),
    chips,
    charts.root,
    trainingAttention(found),
    summaryTable(found),
    comparisonTable(found),
    provenanceOf(found),
  );
}
