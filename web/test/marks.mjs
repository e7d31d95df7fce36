// SPDX-License-Identifier: Apache-2.0
// Marks of a chart and where they stand, read out of the page.
import assert from "node:assert/strict";

// Marks of a group: data-* attributes and where they stand in the drawing.
export const marks = (page, figure, group) =>
  page.$$eval(`#${figure} svg g.${group} > *`, (all) =>
    all.map((mark) => {
      const moved = /translate\(([-\d.e]+),([-\d.e]+)\)/.exec(mark.getAttribute("transform") ?? "");
      const read = (name) => (mark.hasAttribute(name) ? Number(mark.getAttribute(name)) : null);
      return {
        ...mark.dataset,
        left: read("x1"),
        right: read("x2"),
        top: read("y"),
        height: read("height"),
        fill: mark.getAttribute("fill"),
        x: moved ? Number(moved[1]) : read("cx"),
        y: moved ? Number(moved[2]) : read("cy"),
      };
    }),
  );

// Where the axis puts a number, by its labels: a function fitted through the first and last one.
export async function axis(page, figure, side, log = false) {
  const labels = await page.$$eval(
    `#${figure} svg g[aria-label="${side}-axis tick label"] text`,
    (all, at) =>
      all.map((text) => {
        const part = /translate\(([-\d.e]+),([-\d.e]+)\)/.exec(text.getAttribute("transform") ?? "");
        return {
          value: Number(text.childNodes[0].textContent.replaceAll("\u2212", "-").replaceAll(",", "")),
          place: Number(part[at === "x" ? 1 : 2]),
        };
      }),
    side,
  );
  const number = log ? Math.log : (value) => value;
  const [a, b] = [labels[0], labels.at(-1)];
  const slope = (b.place - a.place) / (number(b.value) - number(a.value));
  return (value) => a.place + slope * (number(value) - number(a.value));
}

export const near = (actual, expected, slack, what) =>
  assert.ok(Math.abs(actual - expected) <= slack, `${what}: ${actual}, expected ${expected}`);
