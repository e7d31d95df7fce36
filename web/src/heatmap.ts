// SPDX-License-Identifier: Apache-2.0
// One square of distances on a canvas, with a window into it and a cursor. What several of them
// share (window, cursor, colours) lives in matrices.ts.
import {interpolateViridis, rgb} from "d3";

import {el} from "./dom";
import {exists} from "./format";

// Rows and columns shown: `size` cells from (row, column).
export interface Window {
  row: number;
  column: number;
  size: number;
}

export interface Cell {
  row: number;
  column: number;
}

export type Cells = (row: number, column: number) => number | null;

export interface HeatmapEvents {
  point: (cell: Cell) => void;
  key: (event: KeyboardEvent) => void;
  zoomTo: (window: Window) => void;
  zoomAt: (cell: Cell, factor: number) => void;
}

const table = Array.from({length: 256}, (_, k) => rgb(interpolateViridis(k / 255)));

function colorAt(value: number, low: number, high: number): [number, number, number] {
  const share = high > low ? (value - low) / (high - low) : 0.5;
  const {r, g, b} = table[Math.max(0, Math.min(255, Math.round(255 * share)))]!;
  return [r, g, b];
}

// The colours from near to far, as a strip.
export function ramp(): HTMLCanvasElement {
  const strip = el("canvas", {class: "ramp", width: table.length, height: 1, "aria-hidden": "true"});
  const context = strip.getContext("2d");
  table.forEach((color, k) => {
    if (!context) return;
    context.fillStyle = String(color);
    context.fillRect(k, 0, 1, 1);
  });
  return strip;
}

export class Heatmap {
  readonly canvas: HTMLCanvasElement;
  private readonly picture = document.createElement("canvas");
  private cells: Cells = () => null;
  private pressed: {x: number; y: number} | null = null;
  private dragged: Window | null = null;

  constructor(
    readonly id: string,
    private readonly size: number,
    private readonly events: HeatmapEvents,
  ) {
    this.canvas = el("canvas", {id, tabindex: 0, role: "application", "aria-roledescription": "heat map"});
    this.picture.width = this.picture.height = Math.max(1, size);
    this.listen();
  }

  // Paints all cells into the picture from which draw() copies.
  paint(cells: Cells, low: number, high: number): void {
    this.cells = cells;
    const context = this.picture.getContext("2d");
    if (!context || this.size === 0) return;
    const image = context.createImageData(this.size, this.size);
    for (let row = 0; row < this.size; ++row) {
      for (let column = 0; column < this.size; ++column) {
        const value = this.cells(row, column);
        if (!exists(value)) continue; // stays transparent: the paper shows
        const [r, g, b] = colorAt(value, low, high);
        image.data.set([r, g, b, 255], 4 * (row * this.size + column));
      }
    }
    context.putImageData(image, 0, 0);
    Object.assign(this.canvas.dataset, {low: String(low), high: String(high)});
  }

  draw(window: Window, cursor: Cell): void {
    const side = Math.max(1, Math.round(this.canvas.clientWidth * devicePixelRatio));
    if (this.canvas.width !== side) this.canvas.width = this.canvas.height = side;
    const context = this.canvas.getContext("2d");
    if (!context) return;
    context.clearRect(0, 0, side, side);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.picture, window.column, window.row, window.size, window.size, 0, 0, side, side);
    const unit = side / window.size;
    const x = (cursor.column - window.column) * unit,
      y = (cursor.row - window.row) * unit;
    // Two lines, one light and one dark, are seen on every colour.
    for (const [color, wide] of [
      ["#000", 3],
      ["#fff", 1],
    ] as const) {
      context.strokeStyle = color;
      context.lineWidth = wide * devicePixelRatio;
      context.strokeRect(x, y, unit, unit);
    }
    if (this.dragged) {
      const {row, column, size} = this.dragged;
      context.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
      context.strokeRect(
        (column - window.column) * unit,
        (row - window.row) * unit,
        size * unit,
        size * unit,
      );
      context.setLineDash([]);
    }
    Object.assign(this.canvas.dataset, {
      row: String(window.row),
      column: String(window.column),
      size: String(window.size),
    });
  }

  // The window as a PNG, several pixels per cell: a viewer that smooths does little harm.
  image(window: Window): string {
    const side = window.size * Math.max(1, Math.floor(768 / window.size));
    const copy = el("canvas", {width: side, height: side});
    const context = copy.getContext("2d");
    if (context) {
      context.imageSmoothingEnabled = false;
      context.drawImage(this.picture, window.column, window.row, window.size, window.size, 0, 0, side, side);
    }
    return copy.toDataURL("image/png");
  }

  private cellAt(x: number, y: number): Cell {
    const {row, column, size} = this.canvas.dataset;
    const unit = this.canvas.clientWidth / Number(size);
    const inside = (start: number, offset: number): number =>
      Math.max(0, Math.min(this.size - 1, start + Math.floor(offset / unit)));
    return {row: inside(Number(row), y), column: inside(Number(column), x)};
  }

  // The square that holds both corners of the drag.
  private square(x: number, y: number): Window | null {
    if (!this.pressed || Math.hypot(x - this.pressed.x, y - this.pressed.y) < 8) return null;
    const a = this.cellAt(this.pressed.x, this.pressed.y),
      b = this.cellAt(x, y);
    const size = Math.max(Math.abs(a.row - b.row), Math.abs(a.column - b.column)) + 1;
    return {row: Math.min(a.row, b.row), column: Math.min(a.column, b.column), size};
  }

  private listen(): void {
    const {canvas, events} = this;
    canvas.addEventListener("pointermove", ({offsetX, offsetY}) => {
      this.dragged = this.square(offsetX, offsetY);
      events.point(this.cellAt(offsetX, offsetY));
    });
    canvas.addEventListener("pointerdown", ({offsetX, offsetY, pointerType, pointerId}) => {
      events.point(this.cellAt(offsetX, offsetY));
      if (pointerType === "touch") return; // a finger scrolls the page; buttons zoom
      this.pressed = {x: offsetX, y: offsetY};
      canvas.setPointerCapture(pointerId);
    });
    canvas.addEventListener("pointerup", ({offsetX, offsetY}) => {
      const chosen = this.square(offsetX, offsetY);
      this.pressed = this.dragged = null;
      if (chosen) events.zoomTo(chosen);
    });
    canvas.addEventListener("pointercancel", () => {
      this.pressed = this.dragged = null;
    });
    canvas.addEventListener(
      "wheel",
      (event) => {
        // The wheel scrolls the page until the reader is inside the map.
        if (document.activeElement !== canvas && !event.ctrlKey) return;
        event.preventDefault();
        events.zoomAt(this.cellAt(event.offsetX, event.offsetY), event.deltaY < 0 ? 0.8 : 1.25);
      },
      {passive: false},
    );
    canvas.addEventListener("keydown", (event) => events.key(event));
  }
}
