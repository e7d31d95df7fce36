// SPDX-License-Identifier: Apache-2.0
// Beyond the training length: the charts, the table and the reasons are those of report.json.
import assert from "node:assert/strict";
import {describe, test} from "node:test";

import {isNumber, visit} from "./browser.mjs";
import {axis, marks, near} from "./marks.mjs";

const {list, pageOf, open, shared} = visit();

const measures = [
  "norm",
  "nearest",
  "collisions",
  "gram_drift",
  "logit",
  "weight_beyond",
  "effective_keys",
  "mean_lag",
];
const known = ["sinusoidal", "rope", "alibi", "wavelet", "legendre", "learned"];

const chip = (page, encoding) => page.locator(`#profiles .chip[data-encoding=${JSON.stringify(encoding)}]`);
const pressed = (page) =>
  page.$$eval("#profiles .chip[aria-pressed=true]", (all) => all.map((button) => button.dataset.encoding));
const points = async (page, id) =>
  (await marks(page, id, "line-points")).map((p) => [p.name, Number(p.at), Number(p.value)]);

for (const {name, file, report} of list.filter((page) => page.report.profiles)) {
  describe(`profiles ${name}`, () => {
    const {train, encodings, rows} = report.profiles;
    const view = shared(file);
    const drawn = encodings.filter(({encoding}) => rows.some((row) => row.encoding === encoding));
    const pointsOf = (chosen, measure) =>
      drawn
        .filter(({encoding}) => chosen.includes(encoding))
        .flatMap(({encoding}) =>
          rows
            .filter((row) => row.encoding === encoding && isNumber(row[measure]))
            .map((row) => [encoding, row.position, row[measure]]),
        );

    test("begins with the encodings that most readers know", async () => {
      const there = known.filter((word) => drawn.some(({encoding}) => encoding.split("(")[0] === word));
      const chosen = (await pressed(view.page)).map((encoding) => encoding.split("(")[0]);
      assert.deepEqual(new Set(chosen), new Set(there));
      assert.equal(await view.page.locator("#profiles .chip").count(), drawn.length);
    });

    for (const scale of ["symlog", "linear"]) {
      test(`${scale}: every measure of the chosen encodings, and a rule where training ends`, async () => {
        await view.page.check(`input[name=profile-scale][value=${scale}]`, {force: true});
        const chosen = await pressed(view.page);
        for (const measure of measures) {
          const id = `profile-${measure}`;
          assert.deepEqual(await points(view.page, id), pointsOf(chosen, measure), measure);
          const x = await axis(view.page, id, "x");
          const [rule] = await marks(view.page, id, "train");
          near(rule.left, x(train), 1, measure);
          if (scale === "symlog") continue;
          const y = await axis(view.page, id, "y");
          for (const p of await marks(view.page, id, "line-points"))
            near(p.y, y(Number(p.value)), 1, `${measure} ${p.name}`);
        }
      });
    }

    test("a chip adds its encoding to all charts and takes it away; others keep their colour", async () => {
      const [encoding] = await pressed(view.page);
      const colors = () =>
        view.page.$$eval("#profiles .chip[aria-pressed=true]", (all) =>
          Object.fromEntries(
            all.map((b) => [b.dataset.encoding, b.querySelector("path").getAttribute("stroke")]),
          ),
        );
      const {[encoding]: gone, ...kept} = await colors();
      await chip(view.page, encoding).click();
      assert.deepEqual(await colors(), kept);
      assert.deepEqual(await points(view.page, "profile-norm"), pointsOf(Object.keys(kept), "norm"));
      await chip(view.page, encoding).focus();
      await view.page.keyboard.press("Enter");
      assert.deepEqual(await colors(), {...kept, [encoding]: gone});
      assert.deepEqual(await points(view.page, "profile-norm"), pointsOf(await pressed(view.page), "norm"));
    });

    test("weights of the last query stand on a logarithmic axis, with the word on their tail", async () => {
      const chosen = await pressed(view.page);
      const lines = drawn.filter((p) => chosen.includes(p.encoding) && p.weights.values.length > 0);
      const word = ({tail}) => (tail === "undefined" ? "n/a" : tail);
      const names = await view.page.locator("#profile-weights .line-names text").allTextContents();
      assert.deepEqual(
        names,
        lines.map((profile) => `${profile.encoding}: ${word(profile)}`),
      );
      const y = await axis(view.page, "profile-weights", "y", true);
      const dots = await marks(view.page, "profile-weights", "line-points");
      for (const p of dots) near(p.y, y(Number(p.value)), 1, p.name);
    });

    test("the table says where each measure leaves its range, or never", async () => {
      for (const profile of drawn) {
        const row = view.page.locator(`#departures tr[data-encoding=${JSON.stringify(profile.encoding)}]`);
        for (const measure of measures) {
          const {position = null, low = null, high = null} = profile.first_departure[measure] ?? {};
          const beyond = rows.some((r) => r.encoding === profile.encoding && r.position >= train);
          const never = low === null && high === null ? "n/a" : beyond ? "never" : "ends";
          const said = await row.locator(`[data-column=${measure}]`).textContent();
          assert.equal(said.replaceAll(",", ""), position === null ? never : String(position), measure);
        }
      }
      const header = view.page.locator("#departures th[data-column=logit]");
      const shown = async () =>
        (await view.page.locator("#departures td[data-column=logit]").allTextContents())
          .map((text) => Number(text.replaceAll(",", "")))
          .filter(Number.isFinite);
      await header.locator("button").click();
      assert.equal(await header.getAttribute("aria-sort"), "ascending");
      const rising = await shown();
      assert.deepEqual(
        rising,
        [...rising].sort((a, b) => a - b),
      );
    });

    test("encodings without a profile, or that end early, are listed with the reason", async () => {
      const listed = async (id) => view.page.locator(`#${id} li`).allTextContents();
      const line = ({encoding, reason}) => `${encoding}: ${reason}`;
      assert.deepEqual(await listed("profiles-ended"), drawn.filter(({reason}) => reason).map(line));
      assert.deepEqual(
        await listed("profiles-missing"),
        encodings.filter((profile) => !drawn.includes(profile)).map(line),
      );
    });

    test("promises nothing about trained models, and cites T12", async () => {
      assert.match(await view.page.textContent("#no-promise"), /Nothing here promises.*T12/);
      const link = view.page.locator("#no-promise a");
      assert.equal(await link.count(), (report.claims ?? []).some(({id}) => id === "T12") ? 1 : 0);
      if ((await link.count()) === 0) return;
      await link.click();
      await view.page.waitForSelector("#note-no_free_lunch[open] .prose", {state: "visible"});
    });

    test("makes no error and no request", () => assert.deepEqual(view.faults, []));
  });
}

test("a report without profiles has no such section", {skip: !pageOf}, async () => {
  const {profiles, ...report} = list[0].report;
  assert.ok(profiles);
  const view = await open(pageOf("no-profiles", report).file);
  assert.equal(await view.page.locator("#profiles, nav a[href='#profiles']").count(), 0);
  assert.deepEqual(view.faults, []);
  await view.close();
});

test(
  "profiles without claims cite T12 without a link; no chosen encoding is no error",
  {skip: !pageOf},
  async () => {
    const {claims, ...report} = list[0].report;
    assert.ok(claims);
    const view = await open(pageOf("profiles-alone", report).file);
    assert.equal(await view.page.locator("#no-promise a").count(), 0);
    for (const encoding of await pressed(view.page)) await chip(view.page, encoding).click();
    assert.match(await view.page.textContent("#profile-norm svg"), /Nothing to draw/);
    assert.deepEqual(view.faults, []);
    await view.close();
  },
);
