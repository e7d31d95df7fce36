// SPDX-License-Identifier: Apache-2.0
// Families of encodings: the map, the card, the kernels and the horizons say what report.json says.
import assert from "node:assert/strict";
import {describe, test} from "node:test";

import {isNumber, visit} from "./browser.mjs";
import {axis, marks, near} from "./marks.mjs";

const {list, pageOf, open, shared} = visit();

const formats = ["f16", "bf16", "f32", "f64"];
const FARTHEST = 1e9; // lags beyond stand at the end of the axis

const chip = (page, row) => page.locator(`#groups .chip[data-encoding=${JSON.stringify(row.encoding)}]`);

// [term, text] of the card.
const facts = (page) =>
  page.$$eval("#group-card .facts > div", (all) =>
    Object.fromEntries(all.map((pair) => [...pair.children].map((part) => part.textContent))),
  );

// Numbers as text has them, with its minus sign.
const numbers = (text) =>
  text
    .replaceAll("\u2212", "-")
    .match(/-?\d[\d.]*(?:e-?\d+)?/g)
    ?.map(Number) ?? [];

const finite = (lags) => formats.filter((format) => isNumber(lags?.[format]));

function checkLags(text, lags, what) {
  const kept = finite(lags);
  if (kept.length === 0) return assert.equal(text, "never", what);
  const parts = text.split(", ").map((part) => part.split(" "));
  assert.deepEqual(
    parts.map(([format]) => format),
    kept,
  );
  for (const [format, digits] of parts) {
    const lag = Math.min(Number(digits), Number.MAX_VALUE); // three digits may round beyond it
    near(lag / lags[format], 1, 0.006, `${what} ${format}`);
  }
}

for (const {name, file, report} of list.filter((page) => page.report.groups)) {
  describe(`families ${name}`, () => {
    const {places, rows} = report.groups;
    const view = shared(file);

    test("the map has every place in order and every encoding in its place", async () => {
      const drawn = await view.page.$$eval("#groups .place", (all) =>
        all.map((place) => ({
          name: place.querySelector("h4").textContent,
          meaning: place.querySelector("p").textContent,
          chips: [...place.querySelectorAll(".chip")].map((button) => button.textContent),
          vacant: place.classList.contains("vacant"),
        })),
      );
      const expected = places.map((place) => {
        const chips = rows.filter((row) => row.place === place.name).map((row) => row.encoding);
        return {...place, chips, vacant: chips.length === 0};
      });
      assert.deepEqual(drawn, expected);
      assert.equal(await view.page.locator("#groups .chip").count(), rows.length);
    });

    test("groups stand inside, lifts apart, the rest outside", async () => {
      const zones = await view.page.$$eval("#groups .zone", (all) =>
        all.map((zone) => [
          zone.className.replace("zone ", ""),
          [...zone.querySelectorAll(".chip")].map((button) => button.dataset.encoding),
        ]),
      );
      const among = (choose) => rows.filter(choose).map((row) => row.encoding);
      const expected = {
        inside: among((row) => row.verdict === "group"),
        lifted: among((row) => row.place === "lift"),
        outside: among((row) => !row.missing && row.verdict !== "group" && row.place !== "lift"),
        undecided: among((row) => row.missing),
      };
      assert.deepEqual(
        zones.map(([zone, names]) => [zone, names.sort()]),
        Object.entries(expected).map(([zone, names]) => [zone, names.sort()]),
      );
    });

    test("the card of each encoding says its verdict, reason, blocks, limits and ranks", async () => {
      for (const row of rows) {
        await chip(view.page, row).click();
        assert.deepEqual(
          await view.page.$$eval("#groups .chip[aria-pressed=true]", (all) => all.map((c) => c.textContent)),
          [row.encoding],
        );
        const text = await view.page.textContent("#group-card");
        assert.ok(text.includes(row.title) && text.includes(row.encoding) && text.includes(row.place), text);
        if (row.missing) {
          assert.ok(text.includes(row.missing), text);
          continue;
        }
        assert.equal(await view.page.textContent("#group-card .reason"), row.reason);
        const said = await facts(view.page);
        assert.equal(said.Verdict, row.verdict);
        assert.equal("Causal mask" in said, row.verdict === "group");
        if (row.verdict === "group") {
          assert.equal(said["Causal mask"], row.needs_causal_mask ? "needed" : "not needed");
          assert.equal(said.Norms, row.norm_preserving ? "kept" : "not kept");
          const [ahead, back] = said["As the lag grows"].split("; for keys ahead of the query: ");
          assert.deepEqual([ahead, back], [row.stability, row.stability_back]);
          checkLags(said["Overflows at lag"], row.horizon, row.encoding);
          checkLags(said["Overflows at position, as two factors"], row.split_horizon, row.encoding);
          checkLags(said["Vanishes from lag"], row.vanishing, row.encoding);
        }
        assert.equal("Order of the lift" in said, !!row.realisation);
        if (row.realisation) assert.equal(numbers(said["Order of the lift"])[0], row.realisation.order);
        if (row.hankel) {
          assert.deepEqual(
            numbers(said["Hankel rank of the kernel"]),
            row.hankel.tolerances.flatMap(({tolerance, rank}) => [rank, tolerance]),
          );
          const finite = row.hankel.finite ? "yes" : "no";
          assert.equal(said["Finite-dimensional kernel"], row.kernel_of === "bias" ? finite : undefined);
        }
        assert.equal(/other blocks are found/.test(text), row.ambiguous);
        for (const warning of row.warnings ?? []) assert.ok(text.includes(warning), warning);
      }
    });

    test("blocks are summed by kind and size", async () => {
      for (const row of rows.filter((r) => r.families?.length > 0)) {
        await chip(view.page, row).click();
        const lines = await view.page.$$eval("#group-card .families li", (all) =>
          all.map((li) => li.textContent),
        );
        const kinds = new Map();
        for (const {kind, size, count} of row.families) {
          const label = size > 1 ? `${kind} of order ${size}` : kind;
          kinds.set(label, (kinds.get(label) ?? 0) + count);
        }
        assert.deepEqual(
          lines.map((line) => line.split(",")[0]),
          [...kinds].map(([kind, count]) => `${count} \u00d7 ${kind}`),
        );
        const w = row.families.map(({frequency}) => frequency).filter((f) => f > 0);
        if (w.length === 0) continue;
        const said = lines
          .filter((line) => line.includes("w ="))
          .flatMap((line) => numbers(line.split("w =")[1]));
        near(Math.min(...said) / Math.min(...w), 1, 0.006, `${row.encoding} lowest frequency`);
        near(Math.max(...said) / Math.max(...w), 1, 0.006, `${row.encoding} highest frequency`);
      }
    });

    test("kernels: all of the chosen place, at their values, each with its name", async () => {
      for (const place of places) {
        const own = rows.filter((row) => row.place === place.name);
        if (own.length === 0) continue;
        await chip(view.page, own[0]).click();
        assert.ok((await view.page.textContent("#family-chart h3")).includes(place.name));
        const drawn = own.filter((row) => (row.kernel ?? []).some(isNumber));
        for (const scale of ["common", "own"]) {
          await view.page.check(`input[name=family-scale][value=${scale}]`, {force: true});
          const points = await marks(view.page, "family-chart", "lag-values");
          const expected = drawn.flatMap((row) =>
            row.kernel
              .map((value, lag) => [row.encoding, lag, value])
              .filter(([, , value]) => isNumber(value)),
          );
          assert.deepEqual(
            points.map((p) => [p.encoding, Number(p.lag), Number(p.value)]),
            expected,
          );
          if (points.length === 0) continue;
          const [x, y] = [
            await axis(view.page, "family-chart", "x"),
            await axis(view.page, "family-chart", "y"),
          ];
          const unit = (encoding) => {
            const values = rows.find((row) => row.encoding === encoding).kernel.filter(isNumber);
            return scale === "own" ? Math.max(...values.map(Math.abs)) || 1 : 1;
          };
          for (const p of points) {
            near(p.x, x(Number(p.lag)), 1, `${p.encoding} at ${p.lag}`);
            near(p.y, y(Number(p.value) / unit(p.encoding)), 1, `${p.encoding} at ${p.lag}`);
          }
          const names = await view.page.$$eval("#family-chart .line-names text", (all) =>
            all.map((text) => ({name: text.textContent, y: Number(text.getAttribute("y"))})),
          );
          assert.equal(names.length, drawn.length);
          for (let k = 1; k < names.length; ++k) assert.ok(names[k].y - names[k - 1].y > 12, names[k].name);
        }
        await view.page.check("input[name=family-scale][value=common]", {force: true});
      }
    });

    for (const [group, key] of [
      ["overflow", "horizon"],
      ["vanishing", "vanishing"],
    ]) {
      test(`horizons: a mark per finite lag of ${group}, where the axis says`, async () => {
        const any = rows.some((row) => finite(row.horizon).length + finite(row.vanishing).length > 0);
        assert.equal(await view.page.locator("#horizon-chart").count(), any ? 1 : 0);
        assert.equal(await view.page.locator("#no-horizons").count(), any ? 0 : 1);
        if (!any) return;
        const drawn = await marks(view.page, "horizon-chart", group);
        assert.deepEqual(
          drawn.map((mark) => [mark.encoding, mark.format, Number(mark.lag)]),
          rows.flatMap((row) => finite(row[key]).map((format) => [row.encoding, format, row[key][format]])),
        );
        const place = await axis(view.page, "horizon-chart", "x", true);
        for (const mark of drawn)
          near(mark.x, place(Math.min(Number(mark.lag), FARTHEST)), 1, `${mark.encoding} ${mark.format}`);
        for (let k = 1; k < drawn.length; ++k)
          assert.ok(drawn[k].y > drawn[k - 1].y, "a lane for each format");
      });
    }

    test("an encoding is chosen by keyboard", async () => {
      const [row] = rows;
      await chip(view.page, rows.at(-1)).click();
      await chip(view.page, row).focus();
      await view.page.keyboard.press("Enter");
      assert.equal(await chip(view.page, row).getAttribute("aria-pressed"), "true");
      assert.ok((await view.page.textContent("#group-card")).includes(row.title));
    });

    test("makes no error and no request", () => {
      assert.deepEqual(view.faults, []);
    });
  });
}

test("a report without families has no such section", {skip: !pageOf}, async () => {
  const {groups, ...report} = list[0].report;
  assert.ok(groups);
  const view = await open(pageOf("no-groups", report).file);
  assert.equal(await view.page.locator("#groups").count(), 0);
  assert.equal(await view.page.locator("nav a[href='#groups']").count(), 0);
  assert.deepEqual(view.faults, []);
  await view.close();
});

test("where no number ends, a sentence says so", {skip: !pageOf}, async () => {
  const {report} = list[0];
  const rows = report.groups.rows.filter(
    (row) => finite(row.horizon).length + finite(row.vanishing).length === 0,
  );
  const view = await open(pageOf("endless", {...report, groups: {...report.groups, rows}}).file);
  assert.equal(await view.page.locator("#horizon-chart").count(), 0);
  assert.match(await view.page.textContent("#no-horizons"), /none overflows, none vanishes/);
  assert.deepEqual(view.faults, []);
  await view.close();
});
