// SPDX-License-Identifier: Apache-2.0
// What each encoding does with the lag: small pictures of all, a large one of the chosen.
import * as Plot from "@observablehq/plot";
import {extent, line, scaleLinear} from "d3";

import {el, section} from "./dom";
import {figure, plot, tag, tip} from "./figure";
import {exists, num, shorten} from "./format";
import {rowKey, type Kernel, type Report} from "./report";

interface Point {
  lag: number;
  value: number;
}

function pointsOf(kernel: Kernel): Point[] {
  return kernel.lags.flatMap((lag, k) => {
    const value = kernel.values[k];
    return exists(value) ? [{lag, value}] : [];
  });
}

const wide = 120,
  high = 44;

function spark(kernel: Kernel): SVGSVGElement {
  const points = pointsOf(kernel);
  const x = scaleLinear(extent(points, (p) => p.lag) as [number, number], [2, wide - 2]);
  const y = scaleLinear(extent(points, (p) => p.value) as [number, number], [high - 3, 3]);
  const drawing = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  drawing.setAttribute("viewBox", `0 0 ${wide} ${high}`);
  drawing.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute(
    "d",
    line<Point>(
      (p) => x(p.lag),
      (p) => y(p.value),
    )(points) ?? "",
  );
  drawing.append(path);
  return drawing;
}

function isBias(kernel: Kernel): boolean {
  return kernel.geometry === "line" || kernel.geometry === "brownian";
}

function card(report: Report, kernel: Kernel): HTMLElement {
  const names = kernel.encoding.split("+").map((part) => part.replace(/\(.*/s, ""));
  const found = report.encodings.filter((facts) => names.includes(facts.name));
  return el(
    "div",
    {class: "card"},
    ...found.map((facts) =>
      el(
        "div",
        {},
        el(
          "p",
          {},
          el("b", {}, facts.title ?? facts.name),
          " ",
          el("code", {class: "formula"}, facts.formula ?? ""),
        ),
        el("p", {class: "small"}, facts.reference ?? ""),
        el(
          "p",
          {class: "small"},
          Object.entries(facts.claims ?? {})
            .map(
              ([claim, holds]) =>
                `${claim.replaceAll("_", " ")}: ${holds === true ? "yes" : holds === false ? "no" : String(holds)}`,
            )
            .join("; "),
        ),
      ),
    ),
  );
}

export function kernels(report: Report): HTMLElement | null {
  const list = report.kernels;
  if (list.length === 0) return null;
  let chosen = list[0]!;
  const about = el("div", {"aria-live": "polite"});
  const chart = figure({
    id: "kernel-chart",
    title: "Chosen encoding",
    label: () => `${isBias(chosen) ? "Bias" : "Kernel"} of ${chosen.encoding} against the lag.`,
    draw: (width) => {
      const points = pointsOf(chosen);
      const drawing = plot({
        width,
        height: 260,
        marginLeft: 58,
        marginRight: 14,
        marginTop: 24,
        marginBottom: 36,
        x: {label: "lag s \u2212 t \u2192", ticks: width / 80},
        y: {
          label: `\u2191 ${isBias(chosen) ? "bias b" : "kernel K"}`,
          grid: true,
          ticks: 5,
          nice: true,
          tickFormat: (v: number) => num(v, 3),
        },
        marks: [
          Plot.ruleY([0], {stroke: "var(--rule)"}),
          Plot.lineY(points, {x: "lag", y: "value", stroke: "var(--accent)", strokeWidth: 1.8}),
          Plot.dot(points, {
            x: "lag",
            y: "value",
            r: points.length > 80 ? 1.5 : 2.5,
            fill: "var(--accent)",
            className: "kernel-values",
          }),
          tip(
            points,
            Plot.pointerX({x: "lag", y: "value", title: (p: Point) => `lag ${p.lag}: ${num(p.value)}`}),
          ),
        ],
      });
      tag(drawing, "kernel-values", points, (p) => ({lag: p.lag, value: p.value}));
      return drawing;
    },
  });
  const title = chart.root.querySelector("h3")!;
  const grid = el("div", {class: "sparks", role: "group", "aria-label": "Choose an encoding"});
  const choose = (kernel: Kernel): void => {
    chosen = kernel;
    title.textContent = rowKey(kernel);
    about.replaceChildren(card(report, kernel));
    grid
      .querySelectorAll("button")
      .forEach((item, k) => item.setAttribute("aria-pressed", String(list[k] === kernel)));
    chart.redraw();
  };
  for (const kernel of list) {
    grid.append(
      el(
        "button",
        {
          type: "button",
          class: "spark",
          title: rowKey(kernel),
          "data-key": rowKey(kernel),
          onclick: () => choose(kernel),
        },
        el("span", {}, shorten(kernel.encoding, 22)),
        spark(kernel),
        el("small", {}, kernel.geometry),
      ),
    );
  }
  choose(chosen);
  return section(
    "kernels",
    "What each encoding does with the lag",
    "The kernel K or the bias b of a query and a key, against the distance between them. Each small picture has its own scale; choose one to see it large.",
    grid,
    chart.root,
    about,
  );
}
