// SPDX-License-Identifier: Apache-2.0
// Heat maps: colours and readings equal report.json, under every way to move and to zoom.
import assert from "node:assert/strict";
import {describe, test} from "node:test";

import {interpolateViridis, rgb} from "d3";

import {key, rootOf, saved, visit} from "./browser.mjs";
import {pairIndex, pairs} from "./geometry.mjs";

const {list, shared} = visit();

const shown = (value) => Number(value.toPrecision(4));

for (const {name, file, report} of list) {
  describe(`heat maps ${name}`, () => {
    const {size, starts, encodings} = report.matrices;
    const names = Object.keys(encodings);
    const maps = ["plain", "corrected", "null"];
    const view = shared(file, (page) => page.locator("#map-plain").scrollIntoViewIfNeeded());

    const valueOf = (map, i, j, chosen = names[0]) => {
      if (map !== "encoding") return report.matrices[map][pairIndex(size, i, j)];
      const {lag, upper} = encodings[chosen];
      return lag ? lag[Math.abs(i - j)] : upper[pairIndex(size, i, j)];
    };
    const windowOf = () =>
      view.page.$eval("#map-plain", ({dataset}) => ({
        row: Number(dataset.row),
        column: Number(dataset.column),
        size: Number(dataset.size),
      }));
    const reading = (map) =>
      view.page.$eval(`#matrix-readout [data-map=map-${map}] b`, (b) =>
        Number(b.textContent.replaceAll("\u2212", "-")),
      );
    const place = () => view.page.$eval("#matrix-readout > b", (b) => b.textContent);
    // Moves the mouse to the middle of a cell of the whole matrix.
    const pointAt = async (map, i, j) => {
      const box = await view.page.locator(`#map-${map}`).boundingBox();
      const window = await windowOf();
      const unit = box.width / window.size;
      const at = [box.x + (j - window.column + 0.5) * unit, box.y + (i - window.row + 0.5) * unit];
      await view.page.mouse.move(...at);
      return at;
    };
    const cells = [
      [0, 1],
      [1, 0],
      [0, size - 1],
      [size - 1, 1],
      [Math.floor(size / 2), Math.floor(size / 3)],
    ].filter(([i, j]) => i !== j);

    test("reads i, j and all four distances under the mouse", async () => {
      for (const [i, j] of cells) {
        for (const map of [...maps, "encoding"]) {
          await pointAt(map, i, j);
          assert.match(await place(), new RegExp(`^i = ${starts[i]}(\\D.*)?, j = ${starts[j]}(\\D.*)?$`));
          for (const other of [...maps, "encoding"])
            assert.equal(await reading(other), shown(valueOf(other, i, j)), `${other} ${i} ${j}`);
        }
      }
    });

    test("paints each cell in the colour of its value", async () => {
      await pointAt("plain", size - 2, size - 2); // the cursor covers part of its neighbours
      for (const map of maps) {
        const drawn = await view.page.$eval(
          `#map-${map}`,
          (canvas, [places, n]) => {
            const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            const middle = (k) => Math.floor(((k + 0.5) * canvas.width) / n);
            return places.map(([row, column]) => [
              ...data.slice(4 * (middle(row) * canvas.width + middle(column))).slice(0, 3),
            ]);
          },
          [cells, size],
        );
        const values = report.matrices[map];
        const low = Math.min(...values),
          high = Math.max(...values);
        for (const [c, [i, j]] of cells.entries()) {
          const share = Math.round((255 * (valueOf(map, i, j) - low)) / (high - low)) / 255;
          const {r, g, b} = rgb(interpolateViridis(share));
          const gap = Math.max(...[r, g, b].map((part, k) => Math.abs(part - drawn[c][k])));
          assert.ok(gap <= 2, `${map} ${i} ${j}: ${drawn[c]}, expected ${[r, g, b]}`);
        }
      }
    });

    test("moves the cursor with the arrow keys", async () => {
      await pointAt("plain", 0, 0);
      await view.page.focus("#map-plain");
      await view.page.keyboard.press("ArrowRight");
      await view.page.keyboard.press("ArrowRight");
      await view.page.keyboard.press("ArrowDown");
      assert.match(await place(), new RegExp(`i = ${starts[1]}(\\D.*)?, j = ${starts[2]}`));
      assert.equal(await reading("plain"), shown(valueOf("plain", 1, 2)));
      assert.match(
        await view.page.getAttribute("#map-plain", "aria-label"),
        new RegExp(`distance ${shown(valueOf("plain", 1, 2))}`),
      );
      await view.page.evaluate(() => document.activeElement.blur());
    });

    if (size > 8) {
      test("zooms by buttons, keys, wheel and drag, all maps together, and back", async () => {
        const whole = {row: 0, column: 0, size};
        await pointAt("plain", 5, 7);
        await view.page.click("button[aria-label='Zoom in']");
        const near = await windowOf();
        assert.ok(
          near.size < size &&
            near.row <= 5 &&
            near.row + near.size > 5 &&
            near.column <= 7 &&
            near.column + near.size > 7,
        );
        await pointAt("null", near.row + 1, near.column + 2);
        assert.equal(await reading("plain"), shown(valueOf("plain", near.row + 1, near.column + 2)));
        await view.page.click("button[aria-label='Zoom out']");
        await view.page.click("button[aria-label='Show all positions']");
        assert.deepEqual(await windowOf(), whole);

        await view.page.focus("#map-corrected");
        await pointAt("corrected", 4, 6);
        await view.page.mouse.wheel(0, -100);
        await view.page.waitForFunction(
          (n) => Number(document.querySelector("#map-plain").dataset.size) < n,
          size,
        );
        await view.page.keyboard.press("+");
        assert.ok((await windowOf()).size < 0.8 * size);
        await view.page.keyboard.press("0");
        assert.deepEqual(await windowOf(), whole);

        await pointAt("plain", 2, 3);
        await view.page.mouse.down();
        const [x, y] = await pointAt("plain", 7, 8);
        await view.page.mouse.move(x, y);
        await view.page.mouse.up();
        assert.deepEqual(await windowOf(), {row: 2, column: 3, size: 6});
        await view.page.keyboard.press("Escape");
        assert.deepEqual(await windowOf(), whole);
      });
    }

    test("shows the distances of each encoding", async () => {
      for (const encoding of names) {
        await view.page.selectOption("select[name=matrix]", encoding);
        await pointAt("encoding", 0, size - 1);
        assert.equal(await reading("encoding"), shown(valueOf("encoding", 0, size - 1, encoding)), encoding);
      }
    });

    test("puts all maps on one colour scale, encodings times their best scale", async () => {
      await view.page.check("input[name=shared]");
      const encoding = names[0];
      await view.page.selectOption("select[name=matrix]", encoding);
      const scale = report.rows.find((row) => key(row) === encoding)?.scale ?? 1;
      const ends = await view.page.$$eval("canvas[role]", (all) =>
        all.map(({id, dataset}) => [id, Number(dataset.low), Number(dataset.high)]),
      );
      const high = Math.max(
        ...maps.flatMap((map) => report.matrices[map]),
        ...pairs(size, (i, j) => scale * valueOf("encoding", i, j, encoding)),
      );
      for (const [id, low, top] of ends) {
        assert.equal(low, 0);
        assert.ok(Math.abs(top - (id === "map-encoding" ? high / scale : high)) < 1e-9, id);
      }
      await view.page.uncheck("input[name=shared]");
    });

    test("saves each map as an SVG with its picture", async () => {
      const blank = await view.page.context().newPage();
      for (const map of [...maps, "encoding"]) {
        const {name: fileName, text} = await saved(view.page, () =>
          view.page.click(`.map:has(#map-${map}) button.save`),
        );
        assert.equal(fileName, `map-${map}.svg`);
        assert.match(text, /href="data:image\/png;base64,/);
        assert.equal(await rootOf(blank, text), "svg");
      }
    });

    test("makes no error", () => assert.deepEqual(view.faults, []));
  });
}
