// SPDX-License-Identifier: Apache-2.0
// The page as a whole: safe, offline, in words first, on a phone, by keyboard, in both themes.
import assert from "node:assert/strict";
import {readFileSync, statSync} from "node:fs";
import {describe, test} from "node:test";

import {visit} from "./browser.mjs";
import {empty} from "./sample.mjs";

const {list, pageOf, open, shared} = visit();

for (const {name, file, report} of list) {
  describe(`page ${name}`, () => {
    const view = shared(file);

    test("holds the report and a policy that allows its own script only", async () => {
      const embedded = await view.page.evaluate(() => document.getElementById("report").textContent);
      assert.deepEqual(JSON.parse(embedded), report);
      const policy = await view.page.getAttribute("meta[http-equiv=Content-Security-Policy]", "content");
      assert.match(policy, /default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'/);
      assert.doesNotMatch(policy, /unsafe|https?:|\*/);
      assert.doesNotMatch(
        readFileSync(file, "utf8").replace(/<!--[^]*?-->/g, ""),
        /<(?:link|iframe|script[^>]*src)/,
      );
    });

    test("runs no script that is not its own", async () => {
      assert.deepEqual(view.faults, []);
      const ran = await view.page.evaluate(
        () =>
          new Promise((resolve) => {
            const script = document.createElement("script");
            script.textContent = "window.intruder = true";
            addEventListener("securitypolicyviolation", () => resolve(window.intruder === true), {
              once: true,
            });
            document.body.append(script);
            setTimeout(() => resolve(window.intruder === true), 500);
          }),
      );
      assert.equal(ran, false);
      view.faults.length = 0; // the complaint about the intruder
    });

    test("says the verdict in words before any drawing, the warning first", async () => {
      const texts = await view.page.locator("#verdict > p, #verdict > h1").allTextContents();
      const {warning, headline, sentences} = report.verdict;
      const expected = [...(warning ? [`Warning. ${warning}`] : []), headline, ...sentences];
      assert.deepEqual(texts.slice(0, expected.length), expected);
      const first = await view.page.evaluate(() => document.querySelector("main > *").id);
      assert.equal(first, "verdict");
    });

    test("shows what is missing as n/a", async () => {
      for (const [id, value] of [
        ["floor", report.target.stationary_floor],
        ["ceiling", report.target.ceiling],
      ]) {
        const text = await view.page.textContent(`#key-${id} .value`);
        assert.equal(text, value === null || value === undefined ? "n/a" : value.toFixed(3), id);
      }
      assert.equal(
        await view.page.textContent("#key-rank .value"),
        String(report.target.rank_supported ?? "n/a"),
      );
      assert.equal(
        await view.page.textContent("#key-used .value"),
        report.corpus.used.toLocaleString("en-US"),
      );
      const said = await view.page.$eval("main", (main) => {
        const copy = main.cloneNode(true);
        const prose = ".note, .claim-text, .statement, .conditions, .findings .words"; // may use any word
        copy.querySelectorAll(prose).forEach((text) => text.remove());
        return copy.textContent;
      });
      assert.doesNotMatch(said, /undefined|NaN|Infinity/);
    });

    test("weighs less than 3 MB without its data", () => {
      assert.ok(statSync(file).size - JSON.stringify(report).length < 3e6);
    });

    test("links every section from the top, and every link leads somewhere", async () => {
      const targets = await view.page.$$eval("nav a", (links) => links.map((link) => link.hash.slice(1)));
      const sections = await view.page.$$eval("main > section", (all) => all.map((section) => section.id));
      assert.deepEqual(targets, sections);
      for (const id of [
        "verdict",
        "ranking",
        "matrices",
        "spectrum",
        "curve",
        "ranks",
        "positions",
        "table",
        "methods",
        "provenance",
      ]) {
        assert.ok(sections.includes(id), id);
      }
    });

    test("gives every control and every drawing a name", async () => {
      const nameless = await view.page.evaluate(() =>
        [
          ...[...document.querySelectorAll("button")].filter(
            (b) => !(b.getAttribute("aria-label") ?? b.textContent).trim(),
          ),
          ...[...document.querySelectorAll("input, select")].filter(
            (i) => !i.labels?.length && !i.getAttribute("aria-label"),
          ),
          ...[...document.querySelectorAll("figure svg[role=img], canvas[role]")].filter(
            (s) => !s.getAttribute("aria-label"),
          ),
        ].map((element) => element.outerHTML.slice(0, 120)),
      );
      assert.deepEqual(nameless, []);
      const headings = await view.page.$$eval("h1", (all) => all.length);
      assert.equal(headings, 1);
    });

    test("follows the order of the page with the Tab key", async () => {
      await view.page.evaluate(() => {
        document.activeElement?.blur();
        scrollTo(0, 0);
      });
      const order = [];
      for (let k = 0; k < 400; ++k) {
        await view.page.keyboard.press("Tab");
        const at = await view.page.evaluate(() => {
          const element = document.activeElement;
          if (!element || element === document.body) return null;
          const all = [...document.querySelectorAll("*")];
          return {
            index: all.indexOf(element),
            tag: element.tagName,
            inHeader: !!element.closest("header"),
            skip: element.className === "skip",
          };
        });
        if (!at || (order.length > 0 && at.index <= order.at(-1).index)) break;
        order.push(at);
      }
      assert.ok(order[0].skip, "the first stop leads past the head");
      assert.ok(order.length > 30, `${order.length} stops`);
      assert.ok(
        order.some((at) => at.tag === "CANVAS"),
        "heat maps can be reached",
      );
      assert.ok(order.some((at) => at.tag === "INPUT") && order.some((at) => at.tag === "SELECT"));
    });

    test("turns dark and light at the press of a button", async () => {
      const paper = () => view.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const light = await paper();
      await view.page.click("#theme");
      const dark = await paper();
      assert.notEqual(light, dark);
      await view.page.click("#theme");
      assert.equal(await paper(), light);
    });

    test("follows the system's dark theme and its wish for no motion", async () => {
      const other = await open(file, {colorScheme: "dark", reducedMotion: "reduce"});
      const style = await other.page.evaluate(() => ({
        paper: getComputedStyle(document.body).backgroundColor,
        scroll: getComputedStyle(document.documentElement).scrollBehavior,
      }));
      assert.match(style.paper, /rgb\((\d|[1-5]\d), /);
      assert.equal(style.scroll, "auto");
      assert.deepEqual(other.faults, []);
      await other.close();
    });

    for (const width of [360, 390, 820]) {
      test(`fits a window of ${width} pixels`, async () => {
        const other = await open(file, {viewport: {width, height: 800}});
        const wide = await other.page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${wide} > ${width}`);
        const outside = await other.page.evaluate(
          (limit) =>
            [...document.querySelectorAll("main svg text, main p, main figure")]
              .filter(
                (e) =>
                  !e.closest(".scroll") &&
                  e.getBoundingClientRect().width > 0 &&
                  (e.getBoundingClientRect().right > limit + 4 || e.getBoundingClientRect().left < -4),
              )
              .map((e) => e.textContent.slice(0, 60)),
          width,
        );
        assert.deepEqual(outside, []);
        assert.deepEqual(other.faults, []);
        await other.close();
      });
    }

    test("prints all sections on white", async () => {
      await view.page.emulateMedia({media: "print", colorScheme: "dark"});
      const paper = await view.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      assert.equal(paper, "rgb(255, 255, 255)");
      assert.equal(await view.page.isVisible("header"), false);
      assert.equal(await view.page.isVisible("#ranking-chart svg"), true);
      await view.page.emulateMedia({media: "screen", colorScheme: "light"});
    });

    test("makes no error and no request", () => {
      assert.deepEqual(view.faults, []);
    });
  });
}

test("a report without numbers is a page without drawings, not an error", {skip: !pageOf}, async () => {
  const view = await open(pageOf("empty", empty).file);
  assert.equal(await view.page.textContent("h1"), empty.verdict.headline);
  assert.equal(await view.page.textContent("#key-signal .value"), "n/a");
  for (const kind of ["scaled", "raw"]) {
    await view.page.check(`input[name=stress][value=${kind}]`, {force: true});
  }
  assert.doesNotMatch(await view.page.textContent("main"), /undefined|NaN|Infinity/);
  assert.deepEqual(view.faults, []);
  await view.close();
});

test("a pointer over a dot opens a note with its numbers", {skip: !pageOf}, async () => {
  const {file, report} = list[0];
  const view = await open(file);
  const dot = view.page.locator("#ranking-chart g.dots > *").first();
  await dot.scrollIntoViewIfNeeded();
  await dot.hover({force: true});
  const note = view.page.locator("#ranking-chart [aria-label=tip]");
  await note.locator("text").waitFor();
  const [row] = report.rows;
  assert.match(await note.textContent(), new RegExp(row.stress_corrected.toFixed(3)));
  assert.deepEqual(view.faults, []);
  await view.close();
});
