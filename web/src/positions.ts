// SPDX-License-Identifier: Apache-2.0
// How much each position knows: its count and its reliability; and the corpus in figures.
import * as Plot from "@observablehq/plot";

import {el, facts, section} from "./dom";
import {figure, plot, tag, tip} from "./figure";
import {exists, num, percent, whole} from "./format";
import type {Report} from "./report";

interface Place {
  position: number;
  value: number;
  excluded: boolean;
  reason: string;
}

function places(report: Report, values: (number | null | undefined)[]): Place[] {
  const reasons = new Map(report.excluded.map((e) => [e.position, e.reason]));
  return values.flatMap((value, position) =>
    exists(value)
      ? [{position, value, excluded: reasons.has(position), reason: reasons.get(position) ?? ""}]
      : [],
  );
}

function draw(
  list: Place[],
  n: number,
  label: string,
  top: number | null,
  marks: Plot.Markish[],
  width: number,
): SVGSVGElement {
  const drawing = plot({
    width,
    height: 200,
    marginLeft: 58,
    marginRight: 12,
    marginTop: 24,
    marginBottom: 36,
    x: {label: "position \u2192", domain: [-0.5, n - 0.5], tickFormat: "d", ticks: Math.min(n, width / 70)},
    y: {
      label: `\u2191 ${label}`,
      grid: true,
      domain: top === null ? undefined : [0, top],
      zero: true,
      ticks: 4,
      tickFormat: (v: number) => (top === null ? whole(v) : num(v, 2)),
    },
    color: {type: "ordinal", domain: [false, true], range: ["var(--accent)", "var(--grey)"]},
    marks: [
      Plot.rectY(list, {
        x1: (p: Place) => p.position - 0.42,
        x2: (p: Place) => p.position + 0.42,
        y1: 0,
        y2: "value",
        fill: "excluded",
        fillOpacity: 0.6,
        className: "bars",
        ariaLabel: (p: Place) =>
          `position ${p.position}: ${num(p.value)}${p.excluded ? `, excluded: ${p.reason}` : ""}`,
      }),
      ...marks,
      tip(
        list,
        Plot.pointerX({
          x: "position",
          y: "value",
          title: (p: Place) =>
            `position ${p.position}: ${num(p.value)}${p.excluded ? `\nexcluded: ${p.reason}` : ""}`,
        }),
      ),
    ],
  });
  tag(drawing, "bars", list, (p) => ({position: p.position, value: p.value, excluded: String(p.excluded)}));
  return drawing;
}

function lengths(report: Report): HTMLElement | null {
  const bins = report.corpus.lengths ?? [];
  if (bins.length === 0) return null;
  return figure({
    id: "length-chart",
    title: "Lengths of the sequences",
    label: () => `Histogram of sequence lengths in ${bins.length} bins.`,
    draw: (width) => {
      const ends = bins.map((bin) => (exists(bin.to) ? bin.to + 1 : bin.from + 1));
      const drawing = plot({
        width,
        height: 170,
        marginLeft: 58,
        marginRight: 12,
        marginTop: 24,
        marginBottom: 36,
        x: {label: "tokens \u2192", ticks: width / 80},
        y: {label: "\u2191 sequences", grid: true, ticks: 4, tickFormat: (v: number) => whole(v)},
        marks: [
          Plot.rectY(bins, {
            x1: "from",
            x2: (_bin, k) => ends[k as number]!,
            y1: 0,
            y2: "sequences",
            fill: "var(--accent)",
            fillOpacity: 0.6,
            className: "lengths",
            insetRight: 1,
          }),
          Plot.ruleX([report.positions], {stroke: "var(--mark)", strokeDasharray: "5 3"}),
        ],
      });
      tag(drawing, "lengths", bins, (bin) => ({from: bin.from, value: bin.sequences}));
      return drawing;
    },
    caption: [`The dashed line stands at ${report.positions} tokens, the window that is measured.`],
  }).root;
}

function excludedList(report: Report): HTMLElement | null {
  if (report.excluded.length === 0) return null;
  const list = el("ul", {class: "plain", id: "excluded"});
  for (const e of report.excluded) {
    list.append(
      el(
        "li",
        {},
        `Position ${e.position}: ${e.reason} (count ${whole(e.count)}, reliability ${num(e.reliability, 3)})`,
      ),
    );
  }
  return el(
    "details",
    {},
    el("summary", {}, `${report.excluded.length} positions excluded, drawn in grey`),
    list,
  );
}

export function positions(report: Report): HTMLElement {
  const {corpus, target} = report;
  const counts = figure({
    id: "count-chart",
    title: "Sequences at each position",
    label: () => `Number of sequences that count at each of ${report.positions} positions.`,
    draw: (width) => draw(places(report, report.counts), report.positions, "sequences", null, [], width),
  });
  const reliability = figure({
    id: "reliability-chart",
    title: "Reliability of each position",
    label: () => "Split-half Bhattacharyya coefficient of each position with itself.",
    draw: (width) =>
      draw(
        places(report, report.reliability),
        report.positions,
        "reliability",
        1,
        [Plot.ruleY([0.5], {stroke: "var(--mark)", strokeDasharray: "5 3"})],
        width,
      ),
    caption: [
      "How alike the two halves of the corpus are at one position: 1 is identical. Positions below 0.5, or with fewer than 200 sequences, are left out of all numbers.",
    ],
  });
  const overlap = corpus.overlap;
  const length = target.length_only;
  return section(
    "positions",
    "The corpus, position by position",
    null,
    facts([
      ["Corpus", `${corpus.name ?? "n/a"}${corpus.sample ? " (built-in sample)" : ""}`],
      ["Sequences", `${whole(corpus.used)} used of ${whole(corpus.sequences)}`],
      ["Tokens", whole(corpus.tokens)],
      ["Vocabulary", whole(corpus.vocabulary)],
      ["Tokenizer", corpus.tokenizer ?? "n/a"],
      ["Skipped records", whole(corpus.skipped)],
      [
        "Repeated runs of text",
        overlap ? `${whole(overlap.repeated)} of ${whole(overlap.runs)} (${percent(overlap.share)})` : "n/a",
      ],
      [
        "Length-only model",
        length
          ? `correlation ${num(length.correlation, 3)}, mean squared distance ${num(length.mean_squared, 3)}`
          : "n/a",
      ],
    ]),
    (corpus.notes ?? []).length > 0
      ? el("ul", {class: "plain"}, ...(corpus.notes ?? []).map((note) => el("li", {}, note)))
      : null,
    el("div", {class: "pair"}, counts.root, reliability.root),
    excludedList(report),
    lengths(report),
  );
}
