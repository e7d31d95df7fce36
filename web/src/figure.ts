// SPDX-License-Identifier: Apache-2.0
// The frame of every chart: title, controls, drawing, caption, a button that saves the drawing. The
// drawing is made anew when its width changes.
import * as Plot from "@observablehq/plot";

import {button, el, type Child} from "./dom";
import {num} from "./format";
import {download, svgText} from "./save";

export interface Figure {
  root: HTMLElement;
  redraw: () => void;
}

export interface FigureOptions {
  id: string;
  title: string;
  caption?: Child[];
  controls?: Child[];
  // Describes the drawing to those who cannot see it.
  label: () => string;
  // A file stands alone: where the page has the legend elsewhere, `alone` puts it into the drawing.
  draw: (width: number, alone: boolean) => SVGSVGElement;
}

export function figure(options: FigureOptions): Figure {
  const canvas = el("div", {class: "drawing"});
  let width = 0;
  const show = (alone: boolean): SVGSVGElement => {
    const drawing = options.draw(width, alone);
    drawing.setAttribute("role", "img");
    drawing.setAttribute("aria-label", options.label());
    canvas.replaceChildren(drawing);
    return drawing;
  };
  const redraw = (): void => {
    if (width > 0) show(false);
  };
  const save = button(
    "Save SVG",
    () => {
      if (width === 0) return;
      download(`${options.id}.svg`, "image/svg+xml", svgText(show(true)));
      show(false);
    },
    `Save "${options.title}" as SVG`,
  );
  save.className = "save";
  const root = el(
    "figure",
    {id: options.id},
    el("div", {class: "figure-head"}, el("h3", {}, options.title), save),
    options.controls ? el("div", {class: "controls"}, ...options.controls) : null,
    canvas,
    options.caption ? el("figcaption", {}, ...options.caption) : null,
  );
  new ResizeObserver(([entry]) => {
    const now = Math.floor(entry?.contentRect.width ?? 0);
    if (now === width) return;
    width = now;
    redraw();
  }).observe(canvas);
  return {root, redraw};
}

// A plot without the style element that Plot adds: the policy of the page allows its own style only
// (style.css holds what is needed).
export function plot(options: Plot.PlotOptions): SVGSVGElement & Plot.Plot {
  const drawing = Plot.plot({
    ...options,
    className: "plot",
    figure: false,
    style: {background: "none", overflow: "visible"},
  } as Plot.PlotOptions) as SVGSVGElement & Plot.Plot;
  drawing.querySelectorAll("style").forEach((style) => style.remove());
  return drawing;
}

// The note under the pointer.
export function tip<T>(data: T[], options: Plot.TipOptions): Plot.Markish {
  return Plot.tip(data, {lineHeight: 1.35, stroke: "var(--ink-soft)", ...options});
}

// Writes the datum of each mark of the group `name` onto it, as data-* attributes. REQUIRES: the
// mark was given `data` without gaps, in this order.
export function tag<T>(
  drawing: SVGSVGElement,
  name: string,
  data: T[],
  facts: (datum: T) => Record<string, string | number>,
): void {
  drawing.querySelectorAll<SVGElement>(`g.${name} > *`).forEach((mark, k) => {
    const datum = data[k];
    if (datum === undefined) return;
    for (const [key, value] of Object.entries(facts(datum))) mark.dataset[key] = String(value);
  });
}

// Ticks of a logarithmic axis over `values`: 1, 2, 5 in each decade, or powers of ten alone.
function logTicks(values: number[]): number[] {
  const positive = values.filter((value) => value > 0);
  if (positive.length === 0) return [];
  const low = Math.min(...positive),
    high = Math.max(...positive);
  const decades = Math.log10(high / low);
  const steps = decades < 0.7 ? [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9] : decades < 2.5 ? [1, 2, 5] : [1];
  const stride = Math.max(1, Math.round(decades / 7));
  const first = Math.floor(Math.log10(low) / stride) * stride;
  const ticks: number[] = [];
  for (let power = first; power <= Math.log10(high); power += stride) {
    ticks.push(
      ...steps.map((step) => Number(`${step}e${power}`)).filter((tick) => tick >= low && tick <= high),
    );
  }
  return ticks.length > 1 ? ticks : [low, high];
}

// Axis and grid at these ticks, given as marks: a scale's own axis would drop labels.
export function axisMarks(
  side: "x" | "y",
  ticks: number[],
  options: Plot.AxisXOptions & Plot.AxisYOptions,
): Plot.Markish[] {
  const text = (value: number): string => num(value, 4);
  return side === "x"
    ? [Plot.gridX(ticks), Plot.axisX(ticks, {text, ...options})]
    : [Plot.gridY(ticks), Plot.axisY(ticks, {text, ...options})];
}

// The same over logarithmic `values`.
export function logAxis(
  side: "x" | "y",
  values: number[],
  options: Plot.AxisXOptions & Plot.AxisYOptions,
): Plot.Markish[] {
  return axisMarks(side, logTicks(values), options);
}
