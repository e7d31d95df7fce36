// SPDX-License-Identifier: Apache-2.0
// Models and learned tables: charts and words are those of the JSON.
import assert from "node:assert/strict";
import {describe, test} from "node:test";

import {drawn, isNumber, rootOf, saved, visit} from "./browser.mjs";
import {axis, marks, near} from "./marks.mjs";
import {modelAlone, tableAlone} from "./models.mjs";

const {pageOf, open, shared} = visit();

const points = async (page, id) =>
  (await marks(page, id, "line-points")).map((p) => [p.name, Number(p.at), Number(p.value)]);
const byPair = (name, values) => values.flatMap((value, k) => (isNumber(value) ? [[name, k, value]] : []));
const charts = ["wavelengths", "coverage", "methods", "precision"].map((name) => `model-${name}`);

describe("model", {skip: !pageOf}, () => {
  if (!pageOf) return;
  const {file, report} = pageOf("model", modelAlone());
  const {groups} = report.model;
  const view = shared(file);
  const choose = async (group) => {
    await view.page.selectOption("select[name=model-group]", {
      index: groups.filter((g) => g.rotary).indexOf(group),
    });
    await drawn(view.page);
  };

  test("every group of layers has its line", async () => {
    const cells = await view.page.$$eval("#model-groups tbody tr", (all) =>
      all.map((row) => [...row.children].map((cell) => cell.textContent)),
    );
    assert.deepEqual(cells, [
      ["full_attention", "5", "rotary", groups[0].spec],
      ["sliding_attention", "0\u20132, 4", "rotary", "rope"],
      ["no encoding", "3", "none", "none"],
    ]);
  });

  for (const group of groups.filter(({rotary}) => rotary)) {
    const {rotary} = group;

    test(`${group.name}: wavelengths stand at their places, with the lengths across`, async () => {
      await choose(group);
      const x = await axis(view.page, "model-wavelengths", "x", true);
      const dots = await marks(view.page, "model-wavelengths", "pairs");
      const own = dots.filter(({ladder}) => ladder === "as configured");
      assert.deepEqual(
        own.map(({pair, value}) => [Number(pair), Number(value)]),
        rotary.wavelength.flatMap((value, k) => (isNumber(value) ? [[k, value]] : [])),
      );
      for (const dot of dots) near(dot.x, x(Number(dot.value)), 1.5, `pair ${dot.pair}`);
      const scaled = rotary.wavelength.some((value, k) => value !== rotary.trained_wavelength[k]);
      assert.equal(dots.length > own.length, scaled, "the ladder of training, where it is another");
      const rules = await marks(view.page, "model-wavelengths", "bounds");
      assert.deepEqual(
        rules.map(({bound, value}) => [bound, Number(value)]),
        [
          ["trained", rotary.trained],
          ["to", rotary.to],
        ],
      );
      for (const rule of rules) near(rule.left, x(Number(rule.value)), 1.5, rule.bound);
      const slow = rotary.wavelength.filter((value) => isNumber(value) && value > rotary.trained).length;
      const words = await view.page.textContent("#model-wavelengths figcaption");
      assert.ok(words.includes(`${slow} of ${rotary.pairs} pairs are slower`), words);
      assert.ok(words.includes("1 does not turn"), words);
    });

    test(`${group.name}: coverage has what training has shown and what the length asks`, async () => {
      await choose(group);
      const {trained, to, unscaled} = rotary.coverage;
      const same = to.every((value, k) => value === unscaled[k]);
      assert.deepEqual(await points(view.page, "model-coverage"), [
        ...byPair("seen in training, 4,096", trained),
        ...byPair("at 32,768, as configured", to),
        ...(same ? [] : byPair("at 32,768, unscaled", unscaled)),
      ]);
      const fresh = to.filter((value, k) => value > trained[k] * 1.001).length;
      assert.match(
        await view.page.textContent("#model-coverage figcaption"),
        new RegExp(`others, ${fresh} meet`),
      );
    });

    test(`${group.name}: methods are ratios to the ladder of training`, async () => {
      await choose(group);
      const drawn = await points(view.page, "model-methods");
      const expected = rotary.methods.flatMap(({method, ratio}) => byPair(method, ratio));
      assert.deepEqual(drawn.slice(0, expected.length), expected);
      const names = new Set(drawn.slice(expected.length).map(([name]) => name));
      assert.deepEqual([...names], rotary.magnitude === 1 ? [] : ["as configured"]);
      for (const [, pair, value] of drawn.slice(expected.length))
        near(value, rotary.trained_wavelength[pair] / rotary.wavelength[pair], 1e-9, `pair ${pair}`);
    });

    test(`${group.name}: the first positions of an error are those of the JSON`, async () => {
      await choose(group);
      const cells = await view.page.$$eval(".precision-limits tbody tr", (all) =>
        all.map((row) => [...row.children].map((cell) => cell.textContent)),
      );
      const text = (value) => (isNumber(value) ? value.toLocaleString("en-US") : "never");
      assert.deepEqual(
        cells,
        rotary.precision.curves.map(({what, dtype, first}) => [
          `${what} in ${dtype}`,
          ...Object.values(first).map(text),
        ]),
      );
      assert.equal(await view.page.locator("#model-precision g.line path").count(), 5);
    });
  }

  test("notes and assumptions are said", async () => {
    assert.deepEqual(await view.page.locator("#model-assumptions li").allTextContents(), [
      "beta_fast is absent: 32",
    ]);
    assert.deepEqual(await view.page.locator("#model-notes li").allTextContents(), report.model.notes);
    assert.match(await view.page.textContent("#model .facts"), /fingerprint0123456789abcdef/);
  });

  test("every chart is saved as a drawing that stands alone", async () => {
    const blank = await view.page.context().newPage();
    for (const id of charts) {
      const save = view.page.locator(`#${id} .save`);
      const {name, text} = await saved(view.page, () => save.click());
      assert.equal(name, `${id}.svg`);
      assert.equal(await rootOf(blank, text), "svg");
      assert.doesNotMatch(text, /var\(--/);
    }
    await blank.close();
  });

  test("makes no error and no request", () => assert.deepEqual(view.faults, []));
});

describe("learned table", {skip: !pageOf}, () => {
  if (!pageOf) return;
  const {file, report} = pageOf("table", tableAlone());
  const {table} = report.model;
  const view = shared(file);

  test("norms, neighbours, spectrum and distances are drawn", async () => {
    const expected = (series, first = 0) =>
      series.starts.flatMap((start, k) =>
        isNumber(series.values[k]) ? [[start + first, series.values[k]]] : [],
      );
    for (const [id, series, first] of [
      ["table-norms", table.norms],
      ["table-neighbours", table.neighbour_cosines],
      ["table-spectrum", table.spectrum, 1],
      ["table-distances", table.geometry.distance_by_lag],
    ]) {
      const drawn = (await points(view.page, id)).map(([, at, value]) => [at, value]);
      assert.deepEqual(drawn, expected(series, first), id);
    }
  });

  test("untrained rows are named first", async () => {
    const text = await view.page.textContent("#table-untrained");
    assert.match(text, /^1 of 64 rows look untrained: 63 \(far shorter/);
  });

  test("says ranks and wavelengths, and leaves weak waves out", async () => {
    const text = await view.page.textContent("#model .facts");
    assert.match(text, /3\.2 \(participation\)/);
    assert.match(text, /64 rows \(50 %\), 16 rows \(20 %\)(?!,)/);
  });

  test("makes no error and no request", () => assert.deepEqual(view.faults, []));
});

for (const [name, make] of [
  ["model", modelAlone],
  ["table", tableAlone],
]) {
  test(`the page of a ${name} fits a phone and a desk, in dark and light`, {skip: !pageOf}, async () => {
    for (const width of [360, 1280]) {
      const view = await open(pageOf(`${name}-${width}`, make()).file, {
        viewport: {width, height: 800},
        colorScheme: width === 360 ? "dark" : "light",
      });
      assert.deepEqual(await view.page.$$eval("main > section", (all) => all.map((section) => section.id)), [
        "model",
      ]);
      assert.equal(await view.page.locator("h1").count(), 1);
      assert.ok((await view.page.evaluate(() => document.documentElement.scrollWidth)) <= width);
      assert.doesNotMatch(await view.page.textContent("main"), /undefined|NaN|Infinity/);
      assert.deepEqual(view.faults, []);
      await view.close();
    }
  });
}

test("a model of unknown length and a group that fails are said as they are", {skip: !pageOf}, async () => {
  const report = modelAlone();
  const [first, second] = report.model.groups;
  Object.assign(first.rotary, {trained: null, coverage: null, methods: null});
  Object.assign(second, {rotary: null, spec: null, error: "/rope_scaling: factor is missing"});
  const view = await open(pageOf("model-bare", report).file);
  for (const id of ["model-coverage", "model-methods"])
    assert.equal(await view.page.locator(`#${id}`).count(), 0, id);
  assert.match(await view.page.textContent("#model-groups"), /cannot be evaluated: \/rope_scaling: factor/);
  assert.equal(await view.page.locator("select[name=model-group]").count(), 0);
  assert.deepEqual(view.faults, []);
  await view.close();
});
