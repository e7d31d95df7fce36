// SPDX-License-Identifier: Apache-2.0
// Training runs: words, charts and tables are those of the JSON, beside a corpus and alone.
import assert from "node:assert/strict";
import {describe, test} from "node:test";

import {isNumber, rootOf, saved, visit} from "./browser.mjs";
import {axis, marks, near} from "./marks.mjs";
import {trainingAlone} from "./trainings.mjs";

const {list, pageOf, open, shared} = visit();

const points = async (page, id) =>
  (await marks(page, id, "line-points")).map((p) => [p.name, Number(p.at), Number(p.value)]);
const choose = (page, name, value) => page.check(`input[name=${name}][value="${value}"]`, {force: true});
const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

// [name, x, median of the seeds] in the order of the drawing.
const medians = (runs, x) => {
  const places = [...new Set(runs.flatMap((run) => run[x]))].sort((a, b) => a - b);
  return places.map((place) => {
    const values = runs.flatMap((run) =>
      run.loss.filter((value, k) => run[x][k] === place && isNumber(value)),
    );
    return [place, median(values)];
  });
};

const pages = [
  ...list.filter(({report}) => report.training),
  ...(pageOf ? [pageOf("training", trainingAlone())] : []),
];

for (const {name, file, report} of pages) {
  describe(`training ${name}`, () => {
    const {options, baselines, summary, comparisons, curves, positions, trials, attention} = report.training;
    const view = shared(file);
    const linesOf = (runs, x) =>
      options.encodings.flatMap((encoding) =>
        medians(
          runs.filter((run) => run.encoding === encoding),
          x,
        ).map(([place, value]) => [encoding, place, value]),
      );

    for (const scale of ["linear", "log"]) {
      test(`${scale}: means, intervals and baselines of each length stand where they belong`, async () => {
        await choose(view.page, "training-scale", scale);
        for (const length of options.test_lengths) {
          await choose(view.page, "training-length", length);
          const own = summary.filter((each) => each.length === length).sort((a, b) => a.mean - b.mean);
          const x = await axis(view.page, "training-bars", "x", scale === "log");
          const dots = await marks(view.page, "training-bars", "dots");
          assert.deepEqual(
            dots.map(({key, value}) => [key, Number(value)]),
            own.map(({encoding, mean}) => [encoding, mean]),
          );
          for (const dot of dots) near(dot.x, x(Number(dot.value)), 1.5, dot.key);
          const lines = await marks(view.page, "training-bars", "intervals");
          lines.forEach((line, k) => {
            assert.deepEqual([Number(line.low), Number(line.high)], own[k].ci ?? [own[k].mean, own[k].mean]);
            near(line.right, x(Number(line.high)), 1.5, line.key);
          });
          const rules = await marks(view.page, "training-bars", "bounds");
          assert.deepEqual(
            new Map(rules.map(({bound, value}) => [bound, Number(value)])),
            new Map(
              baselines
                .filter((each) => each.length === length && each.metric === options.metric)
                .map((each) => [each.name, each.value]),
            ),
          );
          for (const rule of rules) near(rule.left, x(Number(rule.value)), 1.5, rule.bound);
          const bars = await marks(view.page, "training-bars", "bars");
          assert.equal(bars.length, scale === "linear" ? own.length : 0);
          for (const bar of bars) near(bar.left, x(0), 1.5, "bars begin at 0");
        }
      });
    }

    test("the metric against the length has a line for each encoding and each baseline", async () => {
      const expected = [
        ...options.encodings.flatMap((encoding) =>
          summary
            .filter((each) => each.encoding === encoding)
            .sort((a, b) => a.length - b.length)
            .map(({length, mean}) => [encoding, length, mean]),
        ),
        ...[...new Set(baselines.map((each) => each.name))].flatMap((baseline) =>
          baselines
            .filter((each) => each.name === baseline)
            .map(({length, value}) => [`* ${baseline}`, length, value]),
        ),
      ];
      const sorted = (rows) => [...rows].sort((a, b) => a[0].localeCompare(b[0]) || a[1] - b[1]);
      assert.deepEqual(sorted(await points(view.page, "training-lengths")), sorted(expected));
      const x = await axis(view.page, "training-lengths", "x", true);
      const [rule] = await marks(view.page, "training-lengths", "train");
      near(rule.left, x(options.train_length), 1, "training");
    });

    test("loss curves are medians of the seeds, with their range behind", async () => {
      const expected = linesOf(curves, "step");
      const drawn = await points(view.page, "training-curves");
      assert.equal(drawn.length, expected.length);
      drawn.forEach(([encoding, step, value], k) => {
        assert.deepEqual([encoding, step], expected[k].slice(0, 2));
        near(value, expected[k][2], 1e-12, `${encoding} at ${step}`);
      });
      assert.equal(await view.page.locator("#training-curves g.band path").count(), options.encodings.length);
    });

    test("the pointer shows each seed of a curve", async () => {
      const dot = view.page.locator("#training-curves g.line-points > *").first();
      await dot.scrollIntoViewIfNeeded();
      await dot.hover({force: true});
      const note = view.page.locator("#training-curves [aria-label=tip]");
      await note.locator("text").waitFor();
      const text = await note.textContent();
      for (const {seed} of trials.filter(({encoding}) => encoding === options.encodings[0]))
        assert.match(text, new RegExp(`seed ${seed}: `));
    });

    test("loss by position marks the end of training", {skip: positions.length === 0}, async () => {
      for (const length of options.test_lengths) {
        await choose(view.page, "training-position-length", length);
        const expected = linesOf(
          positions.filter((each) => each.length === length),
          "position",
        );
        const drawn = await points(view.page, "training-positions");
        assert.equal(drawn.length, expected.length);
        drawn.forEach(([, , value], k) => near(value, expected[k][2], 1e-12, String(expected[k])));
        const rules = await marks(view.page, "training-positions", "train");
        assert.equal(rules.length, length > options.train_length ? 1 : 0);
        if (rules.length === 0) continue;
        const x = await axis(view.page, "training-positions", "x");
        near(rules[0].left, x(options.train_length), 1, "training");
      }
    });

    test("attention shows the chosen map, square by square", {skip: !attention}, async () => {
      const side = attention.starts.length - 1;
      for (const map of [attention.maps[0], attention.maps.at(-1)]) {
        await view.page.selectOption("select[name=attention-encoding]", map.encoding);
        await view.page.selectOption("select[name=attention-head]", `layer ${map.layer}, head ${map.head}`);
        const squares = await marks(view.page, "training-attention", "squares");
        assert.deepEqual(
          squares.map(({value}) => Number(value)),
          map.values,
        );
        const {query, key} = squares[side + 2];
        assert.deepEqual([Number(query), Number(key)], [attention.starts[1], attention.starts[2]]);
        assert.equal(new Set(squares.map(({fill}) => fill)).size > 2, true);
        const label = await view.page.getAttribute("#training-attention svg", "aria-label");
        assert.ok(label.includes(map.encoding) && label.includes(`layer ${map.layer}, head ${map.head}`));
      }
      assert.equal(
        await view.page.locator("#training-attention g.train").count(),
        attention.length > options.train_length ? 2 : 0,
      );
      const missing = await view.page.locator("#training-no-attention li").allTextContents();
      assert.deepEqual(
        missing,
        attention.missing.map(({encoding, reason}) => `${encoding}: ${reason}`),
      );
    });

    test("a chip takes its encoding from all charts of lines and brings it back", async () => {
      const [encoding] = options.encodings;
      const chip = view.page.locator(`#training .chip[data-encoding=${JSON.stringify(encoding)}]`);
      const there = async (id) => (await points(view.page, id)).some(([own]) => own === encoding);
      await chip.click();
      for (const id of ["training-lengths", "training-curves"]) assert.equal(await there(id), false, id);
      await chip.focus();
      await view.page.keyboard.press("Enter");
      for (const id of ["training-lengths", "training-curves"]) assert.equal(await there(id), true, id);
    });

    test("the comparisons are sorted by any column and saved with all digits", async () => {
      const table = view.page.locator("#training-comparisons");
      assert.equal(await table.locator("tbody tr").count(), comparisons.length);
      const header = table.locator("th[data-column=difference]");
      await header.locator("button").click();
      assert.equal(await header.getAttribute("aria-sort"), "ascending");
      const rising = [...comparisons].sort((a, b) => a.difference - b.difference);
      const {name: fileName, text} = await saved(view.page, () =>
        view.page.click('button[aria-label^="Save \\"Comparisons"]'),
      );
      assert.equal(fileName, "training-comparisons.csv");
      const [head, ...rows] = text.trim().split("\r\n");
      const columns = head.split(",");
      assert.deepEqual(columns, ["a", "b", "length", "difference", "pairs", "p_t", "p_wilcoxon", "p_holm"]);
      assert.deepEqual(
        rows.map((row) => Number(row.split(",")[columns.indexOf("difference")])),
        rising.map((each) => each.difference),
      );
      const words = await table.locator("td[data-column=word]").allTextContents();
      assert.deepEqual(
        words,
        rising.map(({p_holm}) => (!isNumber(p_holm) ? "n/a" : p_holm < 0.05 ? "differ" : "not told apart")),
      );
    });

    test("means and spreads have a line for each encoding and length", async () => {
      const rows = view.page.locator("#training-summary tbody tr");
      assert.equal(await rows.count(), summary.length);
      assert.deepEqual(
        await rows.locator("[data-column=encoding]").allTextContents(),
        summary.map(({encoding}) => encoding),
      );
    });

    test("trials without a result are named with the reason", async () => {
      const failed = trials.filter(({end}) => end !== "finished");
      assert.deepEqual(
        await view.page.locator("#training-failed li").allTextContents(),
        failed.map(({encoding, seed, end, fault}) => `${encoding} seed ${seed} ${end}: ${fault}`),
      );
    });

    test("says what made it: options, versions, seeds", async () => {
      const text = await view.page.textContent("#training-provenance");
      for (const part of ["steps 800", "option seeds", "frameworks", "input hash", "compiler"])
        assert.ok(text.includes(part), part);
    });

    test("every chart is saved as a drawing that stands alone", async () => {
      const blank = await view.page.context().newPage();
      for (const id of ["training-bars", "training-lengths", "training-curves", "training-positions"]) {
        const save = view.page.locator(`#${id} .save`);
        const {name: fileName, text} = await saved(view.page, () => save.click());
        assert.equal(fileName, `${id}.svg`);
        assert.equal(await rootOf(blank, text), "svg");
        assert.doesNotMatch(text, /var\(--/);
        if (id === "training-curves") assert.ok(text.includes(options.encodings[0]), "with its legend");
      }
      await blank.close();
    });

    test("makes no error and no request", () => assert.deepEqual(view.faults, []));
  });
}

test(
  "the verdict says who reaches the best baseline, who keeps it, who cannot be told apart",
  {skip: !pageOf},
  async () => {
    const view = await open(pageOf("training-words", trainingAlone()).file);
    assert.equal(
      await view.page.textContent("h1"),
      "At the length of training 3 of 5 encodings reach the best baseline of running_sum; one keeps it beyond.",
    );
    assert.deepEqual(await view.page.locator("#training > .sentence").allTextContents(), [
      "The best baseline at length 50 is position only, 0.0008. Better: sinusoidal, sinusoidal(positions=rescale), rope. Worse: alibi, none.",
      "Reach the best baseline of 100 and 200 too: sinusoidal(positions=rescale). Reach it in training and lose it beyond: sinusoidal (from 100), rope (from 100).",
      "At length 50 these seeds cannot tell from sinusoidal, the best: sinusoidal(positions=rescale). At length 200 all differ from sinusoidal(positions=rescale), the best, by more than seeds explain.",
      "1 of 20 trials has no result: alibi seed 4 (not finite).",
    ]);
    const order = await view.page.$$eval("#training > *", (all) => all.map((e) => e.tagName));
    assert.ok(order.indexOf("P") < order.indexOf("FIGURE"), "words come first");
    await view.close();
  },
);

test("a page of training alone has no section of a corpus", {skip: !pageOf}, async () => {
  for (const width of [360, 1280]) {
    const view = await open(pageOf("training-alone", trainingAlone()).file, {
      viewport: {width, height: 800},
      colorScheme: width === 360 ? "dark" : "light",
    });
    assert.deepEqual(await view.page.$$eval("main > section", (all) => all.map((section) => section.id)), [
      "training",
    ]);
    assert.equal(await view.page.locator("h1").count(), 1);
    assert.match(await view.page.title(), /^running_sum/);
    assert.ok((await view.page.evaluate(() => document.documentElement.scrollWidth)) <= width);
    assert.doesNotMatch(await view.page.textContent("main"), /undefined|NaN|Infinity/);
    assert.deepEqual(view.faults, []);
    await view.close();
  }
});

test("accuracies, one seed and no baseline are said as they are", {skip: !pageOf}, async () => {
  const report = trainingAlone();
  const {training} = report;
  Object.assign(training.options, {metric: "accuracy", seeds: 1});
  Object.assign(training, {baselines: [], comparisons: [], positions: [], attention: null});
  training.summary = training.summary.map((each) => ({...each, sd: null, ci: null, seeds: 1}));
  const view = await open(pageOf("training-accuracy", report).file);
  assert.equal(
    await view.page.textContent("h1"),
    "At the length of training the best of 5 encodings on running_sum is \u201cnone\u201d.",
  );
  const text = await view.page.textContent("#training");
  assert.match(text, /no baseline for this metric/);
  assert.match(text, /With one seed nothing can be tested/);
  for (const id of ["training-positions", "training-attention", "training-comparisons"])
    assert.equal(await view.page.locator(`#${id}`).count(), 0, id);
  assert.deepEqual(view.faults, []);
  await view.close();
});

test("a run without any result is a page, not an error", {skip: !pageOf}, async () => {
  const report = trainingAlone();
  const {training} = report;
  for (const trial of training.trials) Object.assign(trial, {end: "failed", fault: "exit status 7"});
  Object.assign(training, {summary: [], comparisons: [], curves: [], positions: [], attention: null});
  const view = await open(pageOf("training-failed", report).file);
  assert.equal(await view.page.textContent("h1"), "No encoding has a result on running_sum.");
  assert.equal(await view.page.locator("#training-failed li").count(), training.trials.length);
  assert.match(await view.page.textContent("#training-bars svg"), /Nothing to draw/);
  assert.deepEqual(view.faults, []);
  await view.close();
});
