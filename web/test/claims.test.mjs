// SPDX-License-Identifier: Apache-2.0
// Claims: verdict, number, conditions, findings, figures and note of each are those of report.json.
import assert from "node:assert/strict";
import {describe, test} from "node:test";

import {noteHtml} from "../notes.mjs";
import {isNumber, visit} from "./browser.mjs";
import {axis, marks, near} from "./marks.mjs";

const {list, pageOf, open, shared} = visit();

const kinds = ["holds under listed conditions", "holds", "violated", "vacuous here", "not testable"];
const kindOf = (claim) =>
  claim.error ? "could not run" : kinds.find((kind) => claim.verdict.startsWith(kind));
const card = ({name}) => `#claim-${name}`;
const openAll = (page) => page.$$eval("#claims details", (all) => all.forEach((part) => (part.open = true)));
const number = (text) => Number(text.replaceAll("\u2212", "-"));

for (const {name, file, report} of list.filter((page) => page.report.claims)) {
  describe(`claims ${name}`, () => {
    const {claims} = report;
    const view = shared(file);
    const textOf = (claim, part) => view.page.textContent(`${card(claim)} ${part}`);

    test("each claim says what was published, by whom, the verdict and why", async () => {
      const ids = await view.page.$$eval("#claims .claim", (all) => all.map((part) => part.dataset.id));
      assert.deepEqual(
        ids,
        claims.map(({id}) => id),
      );
      for (const claim of claims) {
        assert.equal(await textOf(claim, "h3"), `${claim.id} ${claim.title}`);
        assert.ok((await textOf(claim, ".claim-text .small")).startsWith(claim.source));
        assert.equal(await textOf(claim, ".published"), claim.claim);
        assert.equal(await textOf(claim, ".reason"), claim.error ?? claim.reason);
        const badge = await view.page.locator(`${card(claim)} .claim-verdict .badge`).innerText();
        assert.ok(badge.endsWith(kindOf(claim)), `${claim.id}: ${badge}`);
      }
    });

    test("the summary counts every verdict", async () => {
      const said = await view.page.textContent("#claims-summary");
      const counts = [...said.matchAll(/(\d+) (hold|holds|is|are|could)/g)].map(([, count]) => Number(count));
      const words = ["holds", "holds under listed conditions", ...kinds.slice(2), "could not run"];
      const expected = words.map((word) => claims.filter((claim) => kindOf(claim) === word).length);
      assert.deepEqual(
        counts,
        expected.filter((count) => count > 0),
      );
      assert.match(said, new RegExp(`^${claims.length} claims?: `));
    });

    test("the number, its interval and its bound are those that decided", async () => {
      for (const claim of claims) {
        const said = await textOf(claim, ".claim-number");
        if (!isNumber(claim.observed)) {
          assert.equal(said, "no number");
          continue;
        }
        near(
          number(await textOf(claim, ".claim-number .value")),
          claim.observed,
          0.006 * Math.abs(claim.observed),
          claim.id,
        );
        assert.ok(said.includes(claim.quantity) && said.includes(claim.part), said);
        assert.equal(said.includes("95 %"), !!claim.interval);
        assert.equal(/bound|claimed/.test(said), isNumber(claim.bound) || isNumber(claim.lower), said);
      }
    });

    test("a filter keeps the claims of one verdict or one source", async () => {
      const kept = () =>
        view.page.$$eval("#claims .claim:not([hidden])", (all) => all.map((part) => part.dataset.id));
      const idsOf = (chosen) => claims.filter(chosen).map(({id}) => id);
      const [{source}] = claims;
      const author = source.split(",")[0];
      await view.page.selectOption("select[name=claim-verdict]", kindOf(claims[0]));
      assert.deepEqual(
        await kept(),
        idsOf((claim) => kindOf(claim) === kindOf(claims[0])),
      );
      await view.page.selectOption("select[name=claim-verdict]", "all");
      await view.page.selectOption("select[name=claim-source]", author);
      assert.deepEqual(
        await kept(),
        idsOf((claim) => claim.source.split(",")[0] === author),
      );
      await view.page.selectOption("select[name=claim-source]", "all");
      assert.equal((await kept()).length, claims.length);
    });

    test("a click opens statement, all conditions and the findings, long lists cut", async () => {
      for (const claim of claims) {
        const conditions = view.page.locator(`${card(claim)} .conditions`);
        assert.equal(await conditions.isVisible(), false);
        await view.page.click(`${card(claim)} .claim-more > summary`);
        assert.equal(await conditions.isVisible(), true);
        assert.equal(await textOf(claim, ".statement"), claim.statement);
        assert.deepEqual(await conditions.locator("li").allTextContents(), claim.conditions);
        const rows = view.page.locator(`${card(claim)} .findings tbody tr`);
        assert.equal(await rows.count(), Math.min(12, claim.findings.length));
        if (claim.findings.length > 12) {
          const more = view.page.locator(`${card(claim)} .findings > button`);
          assert.ok((await more.textContent()).includes(String(claim.findings.length)));
          await more.click();
        }
        assert.equal(await rows.count(), claim.findings.length);
        const cells = await rows.evaluateAll((all) =>
          all.map((row) => [...row.cells].map((cell) => cell.textContent)),
        );
        claim.findings.forEach((finding, k) => {
          assert.deepEqual(cells[k].slice(0, 2), [finding.part, finding.quantity]);
          if (isNumber(finding.observed))
            near(
              number(cells[k][2]),
              finding.observed,
              0.006 * Math.abs(finding.observed),
              `${claim.id} ${finding.part}`,
            );
          assert.ok(!finding.remark || cells[k].includes(finding.remark), finding.remark);
        });
      }
    });

    test("figures: every curve, at its values where the axes can show them", async () => {
      await openAll(view.page);
      for (const claim of claims) {
        for (const [k, figure] of (claim.figures ?? []).entries()) {
          const id = `claim-${claim.name}-${k + 1}`;
          await view.page.waitForSelector(`#${id} svg`);
          const names = await view.page.locator(`#${id} .line-names text`).count();
          assert.equal(names, figure.curves.length);
          const fits = (x, y) =>
            isNumber(x) && isNumber(y) && !(figure.log_x && x <= 0) && !(figure.log_y && y <= 0);
          const expected = figure.curves
            .filter((curve) => curve.x.length <= 64)
            .flatMap((curve) =>
              curve.x.map((x, i) => [curve.name, x, curve.y[i]]).filter(([, x, y]) => fits(x, y)),
            );
          const drawn = await marks(view.page, id, "line-points");
          if (figure.curves.every((curve) => curve.x.length <= 64))
            assert.deepEqual(
              drawn.map((p) => [p.name, Number(p.at), Number(p.value)]),
              expected,
            );
          if (new Set(drawn.map((p) => p.value)).size < 2) continue;
          const y = await axis(view.page, id, "y", figure.log_y);
          for (const p of drawn) near(p.y, y(Number(p.value)), 1, `${claim.id} ${p.name} at ${p.at}`);
        }
      }
    });

    test("the link of a claim leads to its note, with formulas", async () => {
      // The page follows a hash when the browser comes to it, perhaps after the link was seen to lead there;
      // what opens then would move the next link from under the mouse.
      await view.page.evaluate(() => addEventListener("hashchange", () => (window.followed = location.hash)));
      for (const claim of claims) {
        const link = view.page.locator(`${card(claim)} .claim-text a`);
        if ((await link.count()) === 0) continue;
        await view.page.$$eval("#claims details", (all) => all.forEach((part) => (part.open = false)));
        await link.click();
        const note = `${card(claim)} details.note[open] .prose`;
        await view.page.waitForSelector(note, {state: "visible"});
        const id = /([\w-]+)\.md$/.exec(claim.note)[1];
        assert.equal(await view.page.evaluate(() => location.hash), `#note-${id}`);
        await view.page.waitForFunction((hash) => window.followed === hash, `#note-${id}`);
        assert.match(await view.page.textContent(note), /Claim/);
        await view.page.waitForFunction(
          (target) => document.getElementById(target).getBoundingClientRect().top < innerHeight,
          `note-${id}`,
        );
      }
      const formula = view.page.locator("#note-alibi_extrapolation math[display=block]");
      assert.equal(await formula.count(), claims.some(({id}) => id === "T7") ? 1 : 0);
    });

    test("findings fit a window of 1280 pixels, and the sections a header of 1200", async () => {
      const other = await open(file, {viewport: {width: 1280, height: 900}});
      await openAll(other.page);
      const hidden = (selector) =>
        other.page.$$eval(selector, (all) => all.map((part) => part.scrollWidth - part.clientWidth));
      for (const wide of await hidden(".findings .scroll")) assert.ok(wide <= 0, `findings ${wide}`);
      await other.page.setViewportSize({width: 1200, height: 900});
      for (const wide of await hidden("nav")) assert.ok(wide <= 0, `sections ${wide}`);
      await other.close();
    });

    for (const options of [{viewport: {width: 390, height: 800}}, {colorScheme: "dark"}]) {
      test(`nothing sticks out when all is open: ${JSON.stringify(options)}`, async () => {
        const other = await open(file, options);
        await openAll(other.page);
        const wide = await other.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${wide}`);
        assert.deepEqual(other.faults, []);
        await other.close();
      });
    }

    test("makes no error and no request", () => assert.deepEqual(view.faults, []));
  });
}

test("an address with a note opens it", {skip: !pageOf}, async () => {
  const [{file, report}] = list;
  const view = await open(pageOf("hash", report).file);
  await view.page.goto(`${view.page.url()}#note-no_free_lunch`);
  await view.page.reload();
  await view.page.waitForSelector("#note-no_free_lunch[open] .prose", {state: "visible"});
  assert.ok(file && report.claims);
  assert.deepEqual(view.faults, []);
  await view.close();
});

test(
  "a claim without a note has no link, and a report without claims no section",
  {skip: !pageOf},
  async () => {
    const {claims, ...report} = list[0].report;
    const bare = await open(pageOf("no-claims", report).file);
    assert.equal(await bare.page.locator("#claims, nav a[href='#claims']").count(), 0);
    assert.deepEqual(bare.faults, []);
    await bare.close();
    const [claim] = claims;
    const view = await open(pageOf("no-note", {...report, claims: [{...claim, note: undefined}]}).file);
    assert.equal(await view.page.locator("#claims .claim").count(), 1);
    assert.equal(await view.page.locator("#claims a, #claims .note").count(), 0);
    assert.deepEqual(view.faults, []);
    await view.close();
  },
);

test("a note is Markdown with formulas; a wrong formula names file and formula", () => {
  const html = noteHtml(
    "a.md",
    "# T0: title\n\nLet $x_1$:\n\n$$\na\n- b\n$$\n\nSee [b](b.md), [c](../c.h).\n",
    ["b"],
  );
  assert.equal(html.match(/<math/g).length, 2);
  assert.match(html, /<a href="#note-b">b<\/a>, c\./);
  assert.doesNotMatch(html, /T0|\$|<ul|<h| style=/);
  assert.throws(() => noteHtml("a.md", "so $\\nomacro{x}$", []), /a\.md: .*\\nomacro\{x\}/);
  assert.throws(() => noteHtml("a.md", "<b>bold</b>", []), /a\.md: .*<b>/);
});
