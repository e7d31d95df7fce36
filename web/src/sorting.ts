// SPDX-License-Identifier: Apache-2.0
// Tables that a reader sorts by the headings of their columns.
import {button, el} from "./dom";
import {exists} from "./format";

export interface Column<T> {
  id: string;
  title: string;
  meaning: string;
  value: (row: T) => unknown; // by which rows are sorted
  text: (row: T) => string; // in the cell
}

// Rows without the number come last, whatever the direction; so do those that failed.
function sorted<T>(rows: T[], column: Column<T> | null, falling: boolean, failed: (row: T) => boolean): T[] {
  const order = [...rows];
  order.sort((a, b) => {
    if (failed(a) !== failed(b)) return failed(a) ? 1 : -1;
    if (!column) return 0;
    const x = column.value(a),
      y = column.value(b);
    if (typeof x === "string" && typeof y === "string") return (falling ? -1 : 1) * x.localeCompare(y);
    if (!exists(x) || !exists(y)) return Number(exists(y)) - Number(exists(x));
    return (falling ? -1 : 1) * (x - y);
  });
  return order;
}

export interface Sorting<T> {
  head: HTMLElement;
  sorted: (rows: T[]) => T[];
}

// `changed` is called when a heading was chosen.
export function sorting<T>(
  columns: Column<T>[],
  changed: () => void,
  failed: (row: T) => boolean = () => false,
): Sorting<T> {
  let column: Column<T> | null = null;
  let falling = false;
  const headers = columns.map((c) => {
    const sort = button(c.title, () => {
      falling = column === c && !falling;
      column = c;
      headers.forEach((header, k) =>
        header.setAttribute(
          "aria-sort",
          columns[k] !== column ? "none" : falling ? "descending" : "ascending",
        ),
      );
      changed();
    });
    sort.title = c.meaning;
    return el("th", {scope: "col", "data-column": c.id, "aria-sort": "none"}, sort);
  });
  return {
    head: el("thead", {}, el("tr", {}, ...headers)),
    sorted: (rows) => sorted(rows, column, falling, failed),
  };
}
