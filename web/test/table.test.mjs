// SPDX-License-Identifier: Apache-2.0
// The table: every number, sorted, filtered, saved.
import assert from "node:assert/strict";
import {describe, test} from "node:test";

import {isNumber, key, saved, visit} from "./browser.mjs";

const {list, shared} = visit();

const numeric = [
  "stress_corrected",
  "group",
  "stress_scaled",
  "stress_raw",
  "scale",
  "stress_null",
  "spearman",
  "pearson",
  "procrustes",
  "negative_mass",
];

const keysOf = (page) => page.$$eval("#rows tbody tr", (rows) => rows.map((row) => row.dataset.key));

// RFC 4180.
function parseCsv(text) {
  const rows = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1).push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end !== ",") rows.push([]);
  }
  rows.pop();
  const [header, ...lines] = rows;
  return lines.map((line) => Object.fromEntries(header.map((name, k) => [name, line[k]])));
}

for (const {name, file, report} of list) {
  describe(`table ${name}`, () => {
    const view = shared(file);

    test("holds every row in the order of the report, failures last", async () => {
      const scored = report.rows.filter((row) => !row.error),
        failed = report.rows.filter((row) => row.error);
      assert.deepEqual(await keysOf(view.page), [...scored, ...failed].map(key));
    });

    test("shows each number to the digits it shows, and n/a for none", async () => {
      const lines = await view.page.$$eval("#rows tbody tr:not(.failed)", (rows) =>
        rows.map((row) =>
          Object.fromEntries([
            ["key", row.dataset.key],
            ...[...row.cells].map((cell) => [cell.dataset.column, cell.textContent]),
          ]),
        ),
      );
      for (const line of lines) {
        const row = report.rows.find((r) => key(r) === line.key);
        for (const column of numeric) {
          if (!isNumber(row[column])) {
            assert.equal(line[column], "n/a", `${line.key} ${column}`);
            continue;
          }
          const shown = Number(line[column].replaceAll("\u2212", "-").replaceAll(",", ""));
          const slack = Math.max(0.0005, 0.0005 * Math.abs(row[column])) * 1.01;
          assert.ok(
            Math.abs(shown - row[column]) <= slack,
            `${line.key} ${column}: ${line[column]}, ${row[column]}`,
          );
        }
        assert.equal(line.interval === "n/a", !row.interval, line.key);
        assert.equal(line.control, row.control ? "yes" : "no");
      }
      for (const row of report.rows.filter((r) => r.error)) {
        assert.equal(await view.page.textContent("#rows tr.failed td:last-child"), row.error);
      }
    });

    test("sorts by every column, both ways, and keeps failures last", async () => {
      const failed = report.rows.filter((row) => row.error).map(key);
      for (const column of numeric) {
        const values = async () =>
          (await keysOf(view.page))
            .filter((k) => !failed.includes(k))
            .map((k) => report.rows.find((row) => key(row) === k)[column])
            .filter(isNumber);
        const header = view.page.locator(`#rows th[data-column=${column}]`);
        await header.locator("button").click();
        assert.equal(await header.getAttribute("aria-sort"), "ascending");
        assert.deepEqual(
          await values(),
          [...(await values())].sort((a, b) => a - b),
          column,
        );
        await header.locator("button").click();
        assert.equal(await header.getAttribute("aria-sort"), "descending");
        assert.deepEqual(
          await values(),
          [...(await values())].sort((a, b) => b - a),
          column,
        );
        assert.deepEqual((await keysOf(view.page)).slice(report.rows.length - failed.length), failed);
      }
    });

    test("sorts by the keyboard too", async () => {
      const button = view.page.locator("#rows th[data-column=encoding] button");
      await button.focus();
      await view.page.keyboard.press("Enter");
      const names = (await keysOf(view.page)).slice(0, -1).map((k) => k.split(" ")[0]);
      assert.deepEqual(
        names,
        [...names].sort((a, b) => a.localeCompare(b)),
      );
    });

    test("filters by text and says how many are left", async () => {
      await view.page.fill("input[name=filter]", "KERNEL");
      const kept = await keysOf(view.page);
      assert.ok(kept.length > 0 && kept.length < report.rows.length);
      const expected = report.rows.filter((row) =>
        [key(row), row.title ?? "", row.error ?? ""].join(" ").toLowerCase().includes("kernel"),
      );
      assert.deepEqual(new Set(kept), new Set(expected.map(key)));
      assert.match(
        await view.page.textContent("#table .controls"),
        new RegExp(`${kept.length} of ${report.rows.length} rows`),
      );
      await view.page.fill("input[name=filter]", "");
    });

    test("saves the rows as CSV with every digit", async () => {
      const {name: fileName, text} = await saved(view.page, () =>
        view.page.click("#table button:has-text('Save CSV')"),
      );
      assert.equal(fileName, "sextant-rows.csv");
      const lines = parseCsv(text);
      assert.deepEqual(lines.map(key), await keysOf(view.page));
      for (const line of lines) {
        const row = report.rows.find((r) => key(r) === key(line));
        for (const column of numeric)
          assert.equal(
            line[column],
            isNumber(row[column]) ? String(row[column]) : "",
            `${key(row)} ${column}`,
          );
        assert.equal(line.interval_low, row.interval ? String(row.interval[0]) : "");
        assert.equal(line.interval_high, row.interval ? String(row.interval[1]) : "");
        assert.equal(line.difference_to, row.difference ? row.difference.to : "");
        assert.equal(line.error, row.error ?? "");
      }
    });

    test("makes no error", () => assert.deepEqual(view.faults, []));
  });
}
