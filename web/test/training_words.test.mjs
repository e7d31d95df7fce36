// SPDX-License-Identifier: Apache-2.0
// What a training run says in words, and whether its page can be read: nothing cut, nothing crossed.
import assert from "node:assert/strict";
import {test} from "node:test";

import {visit} from "./browser.mjs";
import {axis, marks, near} from "./marks.mjs";
import {trainingAlone} from "./trainings.mjs";

const {pageOf, open} = visit();

const summaryOf = ({training}, encoding, length) =>
  training.summary.find((each) => each.encoding === encoding && each.length === length);
const words = async ({page}) => [
  await page.textContent("h1"),
  ...(await page.locator("#training > .sentence").allTextContents()),
];
const boxes = (page, selector) =>
  page.$$eval(selector, (all) =>
    all.map((each) => {
      const {left, right, top, bottom} = each.getBoundingClientRect();
      return {left, right, top, bottom, text: each.textContent};
    }),
  );
const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

test(
  "an interval that contains the baseline reaches nothing if its mean is worse",
  {skip: !pageOf},
  async () => {
    const report = trainingAlone();
    for (const each of report.training.baselines)
      if (each.name === "position only" && each.length === 50) each.value = 0.00376;
    Object.assign(summaryOf(report, "rope", 50), {mean: 0.0102, ci: [-0.0033, 0.0238]});
    Object.assign(summaryOf(report, "sinusoidal", 50), {mean: 0.003, ci: [0.001, 0.005]});
    Object.assign(summaryOf(report, "sinusoidal(positions=rescale)", 100), {
      mean: 0.0005,
      ci: [0.0001, 0.0009],
    });
    const view = await open(pageOf("training-undecided", report).file);
    const [headline, home, beyond] = await words(view);
    assert.equal(
      headline,
      "At the length of training 2 of 5 encodings reach the best baseline of running_sum (1 undecided); no encoding keeps it beyond (1 undecided).",
    );
    assert.equal(
      home,
      "The best baseline at length 50 is position only, 0.00376. Better: sinusoidal(positions=rescale). Reach it by their mean, while the interval contains it: sinusoidal. Undecided with these seeds: rope. Worse: alibi, none.",
    );
    assert.equal(
      beyond,
      "Reach it in training and are undecided beyond with these seeds: sinusoidal(positions=rescale) (from 100). Reach it in training and lose it beyond: sinusoidal (from 100).",
    );
    await view.close();
  },
);

test("a baseline with a caution is shown with it and decides nothing", {skip: !pageOf}, async () => {
  const report = trainingAlone();
  for (const each of report.training.baselines)
    if (each.name === "position only") each.caution = "too low by about 0.25";
  const view = await open(pageOf("training-caution", report).file);
  const [headline, home] = await words(view);
  assert.match(headline, /^At the length of training 5 of 5 encodings reach the best baseline/);
  assert.match(
    home,
    /^The best baseline at length 50 is best constant, 0.0217. position only, 0.0008, is too low by about 0.25, and decides nothing. Better: /,
  );
  const names = (await boxes(view.page, "#training-bars g.bound-names text")).map(({text}) => text);
  assert.deepEqual(names.sort(), ["best constant", "position only, too low by about 0.25"]);
  assert.match(
    await view.page.textContent("#training-lengths figcaption"),
    /position only at 100 is too low by about 0.25/,
  );
  await view.close();
});

test("an interval that leaves a logarithmic axis has an arrow and a word", {skip: !pageOf}, async () => {
  const report = trainingAlone();
  Object.assign(summaryOf(report, "rope", 50), {mean: 0.0003, ci: [-0.0002, 0.0008]});
  const view = await open(pageOf("training-arrows", report).file);
  const [arrow, ...others] = await marks(view.page, "training-bars", "cuts");
  assert.deepEqual([arrow.key, others.length], ["rope", 0]);
  const x = await axis(view.page, "training-bars", "x", true);
  near(arrow.x, x(0.00005), 1.5, "half of the least mean");
  assert.match(await view.page.textContent("#training-arrows"), /An arrow: .* rope \(to \u22120.0002\)/);
  await view.page.check("input[name=training-scale][value=linear]", {force: true});
  assert.equal((await marks(view.page, "training-bars", "cuts")).length, 0);
  assert.match(await view.page.textContent("#training-arrows"), /Below 0, .* rope \(to \u22120.0002\)/);
  await view.page.check("input[name=training-length][value='100']", {force: true});
  assert.equal(await view.page.textContent("#training-arrows"), "");
  await view.close();
});

test("the set-up stands in the head, in one line", {skip: !pageOf}, async () => {
  const view = await open(pageOf("training-setup", trainingAlone()).file);
  assert.equal(
    await view.page.textContent("#training-setup"),
    "Set-up: 2 layers, width 64, 2 heads, 800 steps, batch 10, rate 0.001, 4 seeds.",
  );
  await view.close();
});

test("the metric against the length has the intervals behind its lines", {skip: !pageOf}, async () => {
  const report = trainingAlone();
  const view = await open(pageOf("training-bands", report).file);
  const bands = view.page.locator("#training-lengths g.band path");
  assert.equal(await bands.count(), report.training.options.encodings.length);
  await view.close();
});

test("every chart of lines has its names beside it", {skip: !pageOf}, async () => {
  const report = trainingAlone();
  const view = await open(pageOf("training-legends", report).file);
  for (const id of ["training-lengths", "training-curves", "training-positions"]) {
    const names = (await boxes(view.page, `#${id} g.line-names text`)).map(({text}) => text);
    for (const encoding of report.training.options.encodings)
      assert.ok(names.includes(encoding), `${id}: ${encoding}`);
  }
  await view.close();
});

test("no name of a baseline is crossed by a line or another name", {skip: !pageOf}, async () => {
  const report = trainingAlone();
  report.training.baselines.push(
    ...[50, 100, 200].map((length) => ({
      length,
      name: "best equivariant",
      metric: "loss",
      value: 0.0212,
      how: "",
    })),
  );
  for (const width of [360, 1200]) {
    const view = await open(pageOf("training-bounds", report).file, {viewport: {width, height: 900}});
    const names = await boxes(view.page, "#training-bars g.bound-names text");
    const lines = await boxes(view.page, "#training-bars g.bounds line");
    assert.deepEqual([names.length, lines.length], [3, 3]);
    const inner = names.map((box) => ({...box, top: box.top + 3, bottom: box.bottom - 3}));
    inner.forEach((name, k) => {
      for (const line of lines)
        assert.ok(!meet(name, {...line, right: line.right + 1}), `${width}: a line through ${name.text}`);
      for (const other of inner.slice(k + 1))
        assert.ok(!meet(name, other), `${width}: ${name.text} on ${other.text}`);
    });
    await view.close();
  }
});

test("the words above an attention map stand clear of its axis", {skip: !pageOf}, async () => {
  const view = await open(pageOf("training-map", trainingAlone()).file);
  const labels = await boxes(view.page, '#training-attention g[aria-label="y-axis tick label"] text');
  const first = labels.find(({text}) => text === "0");
  const [title] = (await boxes(view.page, "#training-attention svg text")).filter(({text}) =>
    text.includes("query; weights"),
  );
  assert.ok(title.bottom <= first.top, `${title.bottom} above ${first.top}`);
  await view.close();
});

test("tables of long names are whole at 1200 pixels", {skip: !pageOf}, async () => {
  const report = trainingAlone();
  const long = (encoding) =>
    encoding === "rope"
      ? "wavelet(train=50,positions=rescale)"
      : encoding === "none"
        ? "learned(beyond=clamp,train=50)"
        : encoding;
  const {training} = report;
  for (const each of [...training.summary, ...training.trials]) each.encoding = long(each.encoding);
  for (const each of training.comparisons) Object.assign(each, {a: long(each.a), b: long(each.b)});
  for (const each of training.summary)
    Object.assign(each, {
      mean: each.mean * 1.0001234,
      ci: each.ci.map((end) => -Math.abs(end) * 1.0001234),
    });
  const view = await open(pageOf("training-wide", report).file, {viewport: {width: 1200, height: 900}});
  const tables = await view.page.$$eval(".training-table .scroll", (all) =>
    all.map(({scrollWidth, clientWidth}) => [scrollWidth, clientWidth]),
  );
  assert.equal(tables.length, 2);
  for (const [content, frame] of tables) assert.ok(content <= frame, `${content} in ${frame}`);
  await view.close();
});
