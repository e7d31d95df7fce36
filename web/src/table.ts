// SPDX-License-Identifier: Apache-2.0
// Every number of every row: sorted by any column, filtered by text, saved as CSV.
import {button, el, section} from "./dom";
import {interval, missing, stress, whole} from "./format";
import {rowKey, type Interval, type Report, type Row} from "./report";
import {csvText, download} from "./save";
import {sorting, type Column as SortColumn} from "./sorting";

interface Column extends SortColumn<Row> {
  fields?: [string, (row: Row) => unknown][]; // in the CSV; id and value where missing
}

function number(
  id: keyof Row & string,
  title: string,
  meaning: string,
  text: (value: unknown) => string = stress,
): Column {
  return {id, title, meaning, value: (row) => row[id], text: (row) => text(row[id])};
}

function words(id: "encoding" | "geometry", title: string, meaning: string): Column {
  return {id, title, meaning, value: (row) => row[id], text: (row) => row[id]};
}

const ends = (name: string, of: (row: Row) => Interval): [string, (row: Row) => unknown][] => [
  [`${name}_low`, (row) => of(row)?.[0]],
  [`${name}_high`, (row) => of(row)?.[1]],
];

function range(id: "interval" | "interval_scaled" | "interval_raw", title: string): Column {
  return {
    id,
    title,
    meaning: "95 % interval",
    value: (row) => row[id]?.[0],
    text: (row) => interval(row[id]),
    fields: ends(id, (row) => row[id]),
  };
}

const columns: Column[] = [
  words("encoding", "Encoding", "specification"),
  words("geometry", "Rule", "how the encoding becomes distances"),
  {
    id: "control",
    title: "Control",
    meaning: "no encoding, for comparison",
    value: (row) => String(row.control),
    text: (row) => (row.control ? "yes" : "no"),
  },
  number("stress_corrected", "Corrected", "scaled stress against the corrected distances"),
  range("interval", "Interval"),
  number("group", "Group", "rows of one group cannot be told apart from its first", whole),
  {
    id: "difference",
    title: "Difference",
    meaning: "of corrected stress, to the best encoding",
    value: (row) => row.difference?.estimate,
    text: (row) =>
      row.difference ? `${stress(row.difference.estimate)} ${interval(row.difference.interval)}` : missing,
    fields: [
      ["difference_to", (row) => row.difference?.to],
      ["difference", (row) => row.difference?.estimate],
      ...ends("difference", (row) => row.difference?.interval),
    ],
  },
  number("stress_scaled", "Scaled", "1 - (sum d e)^2 / (sum d^2 sum e^2), plain distances"),
  range("interval_scaled", "Interval"),
  number("stress_raw", "Raw", "sum (d-e)^2 / sum d^2, plain distances"),
  range("interval_raw", "Interval"),
  number("scale", "Scale", "sum d e / sum e^2"),
  number("stress_null", "Null", "scaled stress against shuffled text"),
  number("spearman", "Spearman", "rank correlation of the pairs"),
  number("pearson", "Pearson", "correlation of the pairs"),
  number("procrustes", "Procrustes", "residual onto the MDS coordinates"),
  number(
    "negative_mass",
    "Negative mass",
    "share of B below zero: 0 where the rule gives Euclidean distances",
  ),
];

function line(row: Row): HTMLElement {
  const cells = columns.map((column, k) =>
    el(
      k === 0 ? "th" : "td",
      {"data-column": column.id, class: k < 3 ? "words" : null, ...(k === 0 ? {scope: "row"} : {})},
      column.text(row),
    ),
  );
  if (!row.error) return el("tr", {"data-key": rowKey(row), class: row.control ? "control" : null}, ...cells);
  return el(
    "tr",
    {"data-key": rowKey(row), class: "failed"},
    ...cells.slice(0, 3),
    el("td", {class: "words", colspan: columns.length - 3}, row.error),
  );
}

function saveRows(rows: Row[]): void {
  const fields = columns.flatMap((c) => c.fields ?? [[c.id, c.value] as [string, (row: Row) => unknown]]);
  fields.push(["error", (row) => row.error]);
  download(
    "sextant-rows.csv",
    "text/csv",
    csvText(
      fields.map(([name]) => name),
      rows.map((row) => fields.map(([, get]) => get(row))),
    ),
  );
}

// What a filter looks at, in small letters.
const searched = (row: Row): string =>
  [rowKey(row), row.title ?? "", row.control ? "control" : "", row.error ?? ""].join(" ").toLowerCase();

export function table(report: Report): HTMLElement {
  let filter = "";
  const body = el("tbody", {});
  const count = el("span", {class: "small", "aria-live": "polite"});
  const order = sorting(
    columns,
    () => show(),
    (row: Row) => Boolean(row.error),
  );
  const rowsShown = (): Row[] => order.sorted(report.rows).filter((row) => searched(row).includes(filter));
  const show = (): void => {
    const rows = rowsShown();
    body.replaceChildren(...rows.map(line));
    count.textContent = `${rows.length} of ${report.rows.length} rows`;
  };
  const save = button("Save CSV", () => saveRows(rowsShown()), "Save the rows shown as CSV");
  const search = el("input", {
    type: "search",
    name: "filter",
    placeholder: "rope, kernel, control \u2026",
    "aria-label": "Filter rows",
    oninput: () => {
      filter = search.value.trim().toLowerCase();
      show();
    },
  });
  show();
  return section(
    "table",
    "All numbers",
    "Choose a heading to sort; again to turn the order.",
    el("div", {class: "controls"}, el("label", {class: "pick"}, "Filter ", search), count, save),
    el(
      "div",
      {class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of all rows"},
      el("table", {id: "rows"}, order.head, body),
    ),
  );
}
