// SPDX-License-Identifier: Apache-2.0
// What is drawn equals report.json: each mark stands where the labels of its axis say.
import assert from "node:assert/strict";
import {describe, test} from "node:test";

import {isNumber, key, offered, rootOf, saved, visit} from "./browser.mjs";
import {axis, marks, near} from "./marks.mjs";

const {list, open, shared} = visit();

const columns = {
  corrected: ["stress_corrected", "interval"],
  scaled: ["stress_scaled", "interval_scaled"],
  raw: ["stress_raw", "interval_raw"],
};

// Where the axis of the ranking ends: rows beyond have an arrow, are few, and are far from the rest.
async function axisEnd(page, rows, column) {
  const far = (await marks(page, "ranking-chart", "far")).map((mark) => mark.key);
  const values = rows.map((row) => row[column]).sort((a, b) => a - b);
  const near = values.length - far.length;
  assert.deepEqual(
    rows.filter((row) => far.includes(key(row))).map((row) => row[column]),
    values.slice(near),
  );
  if (far.length === 0) return Infinity;
  assert.ok(far.length <= values.length / 4 && values[near] > 1.8 * values[near - 1], far.join());
  const dots = await marks(page, "ranking-chart", "dots");
  const [end] = new Set(dots.filter((dot) => far.includes(dot.key)).map((dot) => Number(dot.shown)));
  assert.ok(end >= values[near - 1] && end < values[near], `${end}`);
  return end;
}

for (const {name, file, report} of list) {
  describe(`charts ${name}`, () => {
    const view = shared(file);

    for (const [kind, [column, range]] of Object.entries(columns)) {
      test(`ranking: ${kind} dots and intervals stand at their values, best first`, async () => {
        await view.page.check(`input[name=stress][value=${kind}]`, {force: true});
        const rows = report.rows.filter((row) => !row.error && isNumber(row[column]));
        if (kind !== "corrected") rows.sort((a, b) => a[column] - b[column]);
        const dots = await marks(view.page, "ranking-chart", "dots");
        assert.deepEqual(
          dots.map((dot) => dot.key),
          rows.map(key),
        );
        assert.deepEqual(
          dots.map((dot) => Number(dot.value)),
          rows.map((row) => row[column]),
        );
        const place = await axis(view.page, "ranking-chart", "x", kind === "raw");
        dots.forEach((dot) => near(dot.x, place(Number(dot.shown)), 1, dot.key));
        const end = kind === "raw" ? Infinity : await axisEnd(view.page, rows, column);
        dots.forEach((dot) => {
          if (kind !== "raw") assert.equal(Number(dot.shown), Math.min(Number(dot.value), end), dot.key);
        });
        for (let k = 1; k < dots.length; ++k) assert.ok(dots[k].y > dots[k - 1].y);
        const lines = await marks(view.page, "ranking-chart", "intervals");
        lines.forEach((line, k) => {
          if (kind === "raw" || !rows[k][range]) return;
          near(line.left, place(Math.min(rows[k][range][0], end)), 1, `${line.key} low`);
          near(line.right, place(Math.min(rows[k][range][1], end)), 1, `${line.key} high`);
        });
        const bounds = await marks(view.page, "ranking-chart", "bounds");
        const expected = {
          corrected: [
            ["floor", report.target.stationary_floor],
            ["ceiling", report.target.ceiling],
          ],
          scaled: [["floor", report.target.stationary_floor_plain]],
          raw: [],
        }[kind].filter(([, x]) => isNumber(x));
        assert.deepEqual(
          bounds.map((bound) => [bound.bound, Number(bound.value)]),
          expected,
        );
        bounds.forEach((bound) => near(bound.left, place(Number(bound.value)), 1, bound.bound));
      });
    }

    test("ranking: names of the bounds do not meet, on a phone either", async () => {
      const other = await open(file, {viewport: {width: 390, height: 800}});
      const names = await other.page.$$eval("#ranking-chart g.bound-names text", (all) =>
        all.map((text) => text.getBoundingClientRect().toJSON()),
      );
      const {stationary_floor: floor, ceiling} = report.target;
      assert.equal(names.length, [floor, ceiling].filter(isNumber).length);
      if (names.length === 2) {
        const [a, b] = names;
        const apart = Math.max(a.left, b.left) - Math.min(a.right, b.right);
        assert.ok(apart > 0 || Math.max(a.top, b.top) >= Math.min(a.bottom, b.bottom) - 3);
      }
      await other.close();
    });

    test("ranking: brackets join the rows of one group", async () => {
      await view.page.check("input[name=stress][value=corrected]", {force: true});
      const drawn = await view.page.$$eval("#ranking-chart g.brackets path", (all) =>
        all.map((p) => [p.dataset.first, p.dataset.last]),
      );
      const expected = [];
      const rows = report.rows.filter((row) => !row.error && isNumber(row.stress_corrected));
      for (let first = 0; first < rows.length; ) {
        let last = first;
        while (rows[last + 1] && rows[last + 1].group === rows[first].group) ++last;
        if (last > first) expected.push([key(rows[first]), key(rows[last])]);
        first = last + 1;
      }
      assert.deepEqual(drawn, expected);
    });

    test("ranking: what was not scored is listed with its reason", async () => {
      const failed = report.rows.filter((row) => row.error).map((row) => `${key(row)} failed: ${row.error}`);
      const needs = (report.needs_values ?? []).map(
        ({encoding, reason}) => `${encoding} needs values: ${reason}`,
      );
      assert.deepEqual(await view.page.locator("#not-scored li").allTextContents(), [...failed, ...needs]);
    });

    test("spectrum: one mark per eigenvalue, where the axes say, and the supported rank", async () => {
      const {target} = report;
      const draw = async (group) =>
        (await marks(view.page, "spectrum-chart", group)).map((mark) => [Number(mark.k), Number(mark.value)]);
      const positive = (values) =>
        (values ?? []).map((v, k) => [k + 1, v]).filter(([, v]) => v > 1e-9 * values[0]);
      assert.deepEqual(await draw("text-values"), positive(target.eigenvalues));
      assert.deepEqual(await draw("null-values"), positive(target.null.eigenvalues));
      assert.deepEqual(await draw("corrected-values"), []);
      const place = await axis(view.page, "spectrum-chart", "y", true);
      for (const dot of await marks(view.page, "spectrum-chart", "text-values"))
        near(dot.y, place(Number(dot.value)), 1, `eigenvalue ${dot.k}`);
      assert.match(
        await view.page.textContent("#spectrum-chart svg"),
        new RegExp(`rank supported: ${target.rank_supported}`),
      );
      await view.page.check("input[name=corrected-spectrum]");
      assert.deepEqual(await draw("corrected-values"), positive(target.corrected.eigenvalues));
    });

    test("curve: every position, in equal units", async () => {
      for (const kind of ["plain", "corrected"]) {
        await view.page.check(`input[name=embedding][value=${kind}]`, {force: true});
        const dots = await marks(view.page, "curve-chart", "places");
        assert.deepEqual(
          dots.map((dot) => Number(dot.position)),
          report.embedding.positions,
        );
        const points = report.embedding[kind];
        const far = dots.length - 1;
        const unit = (dots[far].x - dots[0].x) / (points[far][0] - points[0][0]);
        dots.forEach((dot, k) => {
          near(dot.x - dots[0].x, unit * (points[k][0] - points[0][0]), 0.5, `x of ${k}`);
          near(dot.y - dots[0].y, -unit * (points[k][1] - points[0][1]), 0.5, `y of ${k}`);
        });
      }
    });

    test("rank: both fits at every rank, raw and scaled, and the numbers they cost", async () => {
      const drawn = async (figure) =>
        (await marks(view.page, figure, "steps")).map((m) => [m.series, Number(m.rank), Number(m.value)]);
      for (const kind of ["raw", "scaled"]) {
        await view.page.check(`input[name=rank-stress][value=${kind}]`, {force: true});
        const expected = [
          ["classical", `mds_${kind}`],
          ["SMACOF", `smacof_${kind}`],
        ].flatMap(([series, column]) =>
          report.ranks.filter((row) => isNumber(row[column])).map((row) => [series, row.rank, row[column]]),
        );
        assert.deepEqual(await drawn("rank-chart"), expected);
        const place = await axis(view.page, "rank-chart", "y");
        for (const mark of await marks(view.page, "rank-chart", "steps"))
          near(mark.y, place(Number(mark.value)), 1, mark.series);
      }
      assert.deepEqual(
        await drawn("cost-chart"),
        [
          ["r(n+d)", "numbers"],
          ["freedom", "freedom"],
        ].flatMap(([series, column]) => report.ranks.map((row) => [series, row.rank, row[column]])),
      );
    });

    test("corpus: a bar per position, as high as its count, grey where excluded", async () => {
      const excluded = new Set(report.excluded.map((e) => e.position));
      for (const [figure, values] of [
        ["count-chart", report.counts],
        ["reliability-chart", report.reliability],
      ]) {
        const bars = await marks(view.page, figure, "bars");
        assert.deepEqual(
          bars.map((bar) => Number(bar.value)),
          values.filter(isNumber),
        );
        assert.deepEqual(
          bars.filter((bar) => bar.excluded === "true").map((bar) => Number(bar.position)),
          [...excluded],
        );
        const unit = bars[0].height / values[0];
        bars.forEach((bar) => near(bar.height, unit * Number(bar.value), 0.6, `bar ${bar.position}`));
        const colors = new Set(bars.map((bar) => bar.fill));
        assert.equal(colors.size, excluded.size > 0 && excluded.size < bars.length ? 2 : 1);
      }
      assert.equal(await view.page.locator("#excluded li").count(), excluded.size);
    });

    test("kernels: each small picture opens its large one", async () => {
      const kernels = report.kernels ?? [];
      const sparks = view.page.locator("#kernels .spark");
      assert.equal(await sparks.count(), kernels.length);
      for (const [k, kernel] of kernels.entries()) {
        await sparks.nth(k).click();
        assert.equal(await view.page.textContent("#kernel-chart h3"), key(kernel));
        const drawn = (await marks(view.page, "kernel-chart", "kernel-values")).map((m) => [
          Number(m.lag),
          Number(m.value),
        ]);
        assert.deepEqual(
          drawn,
          kernel.lags.map((lag, i) => [lag, kernel.values[i]]),
        );
      }
    });

    test("metrics: a mark for every place, and the same places in the table", async () => {
      const expected = (report.metrics ?? []).flatMap(({metric, rows}) =>
        rows.map((row) => [key(row), metric, row.rank]),
      );
      const drawn = (await marks(view.page, "metric-chart", "ranks")).map((m) => [
        m.key,
        m.metric,
        Number(m.rank),
      ]);
      assert.deepEqual(drawn, expected);
      if (expected.length === 0) return;
      const cells = await view.page.$$eval("#metric-table tbody tr", (rows) =>
        rows.map((row) => [...row.cells].map((cell) => cell.textContent)),
      );
      const [first] = report.metrics;
      for (const row of first.rows) {
        const line = cells.find(([title]) => title === key(row));
        assert.equal(parseInt(line[1], 10), row.rank);
      }
    });

    test("every chart is saved as an SVG of its own", async () => {
      const blank = await view.page.context().newPage();
      await view.page.$$eval("details", (all) => all.forEach((part) => (part.open = true)));
      const ids = await view.page.$$eval("figure", (all) => all.map((f) => f.id));
      for (const id of ids) {
        const {name: fileName, text} = await offered(view.page, `#${id} button.save`);
        assert.equal(fileName, `${id}.svg`);
        assert.doesNotMatch(text, /var\(|currentColor/);
        assert.equal(await rootOf(blank, text), "svg", id);
      }
      const last = `#${ids.at(-1)} button.save`;
      assert.deepEqual(await saved(view.page, () => view.page.click(last)), await offered(view.page, last));
    });

    test("no error and no request while clicking through", () => {
      assert.deepEqual(view.faults, []);
    });
  });
}
