// SPDX-License-Identifier: Apache-2.0
// The answer in words and in five numbers, before anything is drawn.
import {el} from "./dom";
import {exists, interval, num, percent, stress, whole} from "./format";
import type {Report} from "./report";

function figureOf(id: string, name: string, value: string, meaning: string): HTMLElement {
  return el(
    "div",
    {class: "key", id: `key-${id}`},
    el("dt", {}, name),
    el("dd", {class: "value"}, value),
    el("dd", {class: "meaning"}, meaning),
  );
}

function signalMeaning({target, corpus}: Report): string {
  const needed = exists(target.sequences_needed)
    ? ` At least ${whole(target.sequences_needed)} sequences would be needed for one half.`
    : "";
  const rest = exists(target.signal_fraction)
    ? "of the mean squared distance is reproducible; the rest is sampling noise."
    : "could not be estimated.";
  return `${rest}${exists(corpus.used) ? needed : ""}`;
}

export function verdict(report: Report): HTMLElement {
  const {verdict: words, target, corpus} = report;
  const corrected = target.corrected.mean_squared_interval;
  const keys = el(
    "dl",
    {class: "keys"},
    figureOf("signal", "Signal fraction", percent(target.signal_fraction), signalMeaning(report)),
    figureOf(
      "used",
      "Sequences used",
      whole(corpus.used),
      `of ${whole(corpus.sequences)}; ${whole(report.positions - report.excluded.length)} of ${whole(report.positions)} positions count.`,
    ),
    figureOf(
      "rank",
      "Rank supported",
      whole(target.rank_supported),
      `eigenvalues lie above the null's largest; the numerical rank is ${whole(target.rank)}.`,
    ),
    figureOf(
      "floor",
      "Stationary floor",
      stress(target.stationary_floor),
      "corrected stress that no relative encoding can go below.",
    ),
    figureOf(
      "ceiling",
      "Reliability ceiling",
      stress(target.ceiling),
      "corrected stress between two disjoint halves: the text agrees with itself no better.",
    ),
  );
  return el(
    "section",
    {id: "verdict", "aria-label": "Verdict", tabindex: -1},
    words.warning
      ? el("p", {class: "warning", role: "note"}, el("strong", {}, "Warning. "), words.warning)
      : null,
    el("h1", {}, words.headline || "Sextant report"),
    ...words.sentences.map((sentence) => el("p", {class: "sentence"}, sentence)),
    keys,
    el(
      "p",
      {class: "small"},
      `Mean distance ${num(target.mean_distance)} on the text, ${num(target.null.mean_distance)} after shuffling; ` +
        `corrected mean squared distance ${num(target.corrected.mean_squared)}${corrected ? ` ${interval(corrected, num)}` : ""}.`,
    ),
  );
}
