// SPDX-License-Identifier: Apache-2.0
// One claim: the verdict and the number that decided it; behind a click all that was computed.
import {claimBadge, findingBadge} from "./claim_verdict";
import {button, el, type Child} from "./dom";
import {figure} from "./figure";
import {exists, interval, num} from "./format";
import {drawLines, hidden, lineOf, type Axis} from "./lines";
import {note, noteLink, noteName} from "./notes";
import type {Claim, ClaimFigure, Finding} from "./report";

const digits = (value: unknown): string => num(value, 3);
const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

function boundText({lower, bound}: {lower?: number | null; bound?: number | null}): string {
  if (exists(lower) && exists(bound)) return `claimed: ${digits(lower)} to ${digits(bound)}`;
  if (exists(bound)) return `bound ${digits(bound)}`;
  return exists(lower) ? `bound from below ${digits(lower)}` : "";
}

function number(claim: Claim): HTMLElement {
  if (!exists(claim.observed))
    return el("div", {class: "claim-number"}, el("span", {class: "small"}, "no number"));
  return el(
    "div",
    {class: "claim-number"},
    el("span", {class: "small"}, claim.quantity ?? ""),
    el("b", {class: "value", title: String(claim.observed)}, digits(claim.observed)),
    claim.interval ? el("span", {class: "small"}, `95 % ${interval(claim.interval, digits)}`) : null,
    el("span", {class: "bound"}, boundText(claim)),
    claim.part ? el("span", {class: "small"}, claim.part) : null,
  );
}

interface Column {
  title: string;
  words?: boolean;
  cell: (finding: Finding) => Child;
  shown?: (finding: Finding) => boolean; // a column that is empty throughout is left out
}

const columns: Column[] = [
  {title: "Part", words: true, cell: (f) => f.part},
  {title: "Quantity", words: true, cell: (f) => f.quantity},
  {title: "Observed", cell: (f) => digits(f.observed)},
  {title: "95 % interval", cell: (f) => interval(f.interval, digits), shown: (f) => !!f.interval},
  {title: "At least", cell: (f) => digits(f.lower), shown: (f) => exists(f.lower)},
  {title: "Bound", cell: (f) => digits(f.bound), shown: (f) => exists(f.bound)},
  {title: "Verdict", words: true, cell: (f) => findingBadge(f.verdict)},
  {title: "Remark", words: true, cell: (f) => f.remark ?? "", shown: (f) => !!f.remark},
];

const mostFindings = 12; // before the reader asks for all

function findingsTable(claim: Claim): HTMLElement {
  const shown = columns.filter(({shown: any}) => !any || claim.findings.some(any));
  const line = (finding: Finding): HTMLElement => {
    const decisive = finding.part === claim.part && finding.quantity === claim.quantity;
    return el(
      "tr",
      {class: decisive ? "decisive" : null, title: decisive ? "this finding decided" : null},
      ...shown.map(({words, cell}) => el("td", {class: words ? "words" : null}, cell(finding))),
    );
  };
  const body = el("tbody", {}, ...claim.findings.slice(0, mostFindings).map(line));
  const rest = claim.findings.length - mostFindings;
  const more = button(`Show ${rest} more of ${claim.findings.length} findings`, () => {
    body.append(...claim.findings.slice(mostFindings).map(line));
    more.remove();
  });
  return el(
    "div",
    {class: "findings"},
    el("h4", {}, "Findings"),
    el(
      "div",
      {class: "scroll", tabindex: 0, role: "region", "aria-label": `Findings on ${claim.id}`},
      el(
        "table",
        {},
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            ...shown.map(({title, words}) => el("th", {scope: "col", class: words ? "words" : null}, title)),
          ),
        ),
        body,
      ),
    ),
    rest > 0 ? more : null,
  );
}

function chart(claim: Claim, picture: ClaimFigure, k: number): HTMLElement {
  const x: Axis = {label: picture.x_label, scale: picture.log_x ? "log" : "linear"};
  const y: Axis = {label: picture.y_label, scale: picture.log_y ? "log" : "linear"};
  const lines = picture.curves.map((curve, c) => lineOf(curve.name, c, curve.x, curve.y, x, y));
  const lost = picture.curves.reduce((sum, curve) => sum + hidden(curve.x, curve.y, x, y), 0);
  return figure({
    id: `claim-${claim.name}-${k + 1}`,
    title: picture.title,
    label: () =>
      `${picture.title}: ${picture.y_label} against ${picture.x_label}; ${picture.curves.map(({name}) => name).join(", ")}.`,
    draw: (width) => drawLines({width, lines, x, y, legend: true}),
    caption:
      lost > 0
        ? [`${counted(lost, "value")} of zero or below cannot stand on a logarithmic axis.`]
        : undefined,
  }).root;
}

function more(claim: Claim): HTMLElement {
  const figures = claim.figures ?? [];
  const parts = [
    counted(claim.conditions.length, "condition"),
    counted(claim.findings.length, "finding"),
    ...(figures.length > 0 ? [counted(figures.length, "figure")] : []),
  ];
  const name = noteName(claim.note);
  return el(
    "details",
    {class: "claim-more"},
    el("summary", {}, `What was checked: ${parts.join(", ")}`),
    el("h4", {}, "Statement"),
    el("p", {class: "statement"}, claim.statement),
    el("h4", {}, "Conditions"),
    el("ul", {class: "plain conditions"}, ...claim.conditions.map((condition) => el("li", {}, condition))),
    claim.findings.length > 0 ? findingsTable(claim) : null,
    ...figures.map((picture, k) => chart(claim, picture, k)),
    name ? note(name) : null,
  );
}

export function claimCard(claim: Claim): HTMLElement {
  const name = noteName(claim.note);
  return el(
    "article",
    {class: "claim", id: `claim-${claim.name}`, "data-id": claim.id},
    el("div", {class: "claim-verdict"}, claimBadge(claim)),
    el(
      "div",
      {class: "claim-text"},
      el("h3", {}, el("span", {class: "claim-id"}, claim.id), " ", claim.title),
      el("p", {class: "small"}, claim.source, ...(name ? [" \u00b7 ", noteLink(name, "note")] : [])),
      el("p", {class: "published"}, claim.claim),
      claim.error ? el("p", {class: "reason failed"}, claim.error) : el("p", {class: "reason"}, claim.reason),
    ),
    number(claim),
    more(claim),
  );
}
