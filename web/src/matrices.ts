// SPDX-License-Identifier: Apache-2.0
// Distance matrices side by side: one window and one cursor for all, so that a place can be
// compared.
import {button, checkbox, el, section, select} from "./dom";
import {exists, num} from "./format";
import {Heatmap, ramp, type Cell, type Cells, type Window} from "./heatmap";
import {heatmapSvg} from "./heatmap_svg";
import {rowKey, type OwnMatrix, type Report} from "./report";
import {download} from "./save";

interface Panel {
  name: string;
  map: Heatmap;
  cells: Cells;
  unit: number; // the factor that fits it best to the text
  range: [number, number]; // of its colours
  caption: HTMLElement;
}

const arrows: Record<string, [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};
const smallest = 3; // cells in a window
const within = (low: number, value: number, high: number): number => Math.max(low, Math.min(high, value));

function pairIndex(size: number, i: number, j: number): number {
  return i < j ? (i * (2 * size - i - 1)) / 2 + j - i - 1 : pairIndex(size, j, i);
}

function cellsOf(size: number, {upper, lag}: OwnMatrix): Cells {
  return (i, j) => {
    if (i === j) return null;
    return (upper ? upper[pairIndex(size, i, j)] : lag?.[Math.abs(i - j)]) ?? null;
  };
}

function rangeOf(size: number, cells: Cells): [number, number] {
  let low = Infinity,
    high = -Infinity;
  for (let i = 0; i < size; ++i) {
    for (let j = i + 1; j < size; ++j) {
      const value = cells(i, j);
      if (!exists(value)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  return low <= high ? [low, high] : [0, 1];
}

class MatrixView {
  readonly grid = el("div", {class: "maps"});
  readonly readout = el("output", {id: "matrix-readout", "aria-live": "polite"});
  readonly binned: boolean;
  private readonly size: number;
  private readonly panels: Panel[];
  private readonly own: Panel | null; // of the chosen encoding
  private window: Window;
  private cursor: Cell;
  private shared = false;

  constructor(private readonly report: Report) {
    const {size, plain, corrected, null: shuffled, encodings} = report.matrices;
    this.size = size;
    this.binned = size < report.positions - report.excluded.length;
    this.window = {row: 0, column: 0, size};
    this.cursor = {row: 0, column: Math.min(1, size - 1)};
    this.panels = [
      this.panel("plain", "Real text", plain),
      this.panel("corrected", "Corrected", corrected),
      this.panel("null", "Null", shuffled),
    ];
    const names = Object.keys(encodings);
    this.own = names.length > 0 ? this.panel("encoding", "Encoding", []) : null;
    if (this.own) this.panels.push(this.own);
    for (const panel of this.panels) {
      const title =
        panel === this.own
          ? select("matrix", "Encoding", names, names[0]!, (name) => this.choose(name))
          : el("span", {}, panel.name);
      this.grid.append(
        el(
          "div",
          {class: "map"},
          el("div", {class: "map-head"}, title, this.saveButton(panel)),
          panel.map.canvas,
          ramp(),
          panel.caption,
        ),
      );
    }
    new ResizeObserver(() => this.draw()).observe(this.grid);
    if (names[0] !== undefined) this.choose(names[0]);
    else this.paint();
  }

  showAll(): void {
    this.show({row: 0, column: 0, size: this.size});
  }

  zoom(factor: number): void {
    this.zoomAt(this.cursor, factor);
  }

  share(on: boolean): void {
    this.shared = on;
    this.paint();
  }

  private panel(id: string, name: string, upper: number[]): Panel {
    const map = new Heatmap(`map-${id}`, this.report.matrices.size, {
      point: (cell) => {
        this.cursor = cell;
        this.draw();
      },
      key: (event) => this.key(event),
      zoomTo: (window) => this.show(window),
      zoomAt: (cell, factor) => this.zoomAt(cell, factor),
    });
    return {
      name,
      map,
      cells: cellsOf(this.report.matrices.size, {upper}),
      unit: 1,
      range: [0, 1],
      caption: el("span", {class: "range"}),
    };
  }

  private saveButton(panel: Panel): HTMLElement {
    const save = button(
      "SVG",
      () => {
        const {row, column, size} = this.window;
        const corners = {
          rows: [this.placeOf(row), this.placeOf(row + size - 1)] as [string, string],
          columns: [this.placeOf(column), this.placeOf(column + size - 1)] as [string, string],
        };
        download(
          `${panel.map.id}.svg`,
          "image/svg+xml",
          heatmapSvg(panel.name, panel.map.image(this.window), panel.range, corners),
        );
      },
      `Save "${panel.name}" as SVG`,
    );
    save.className = "save";
    return save;
  }

  // The position, or the first and last one of a bin.
  private placeOf(k: number): string {
    const {starts} = this.report.matrices;
    const from = starts[k] ?? k;
    const kept = this.report.positions - this.report.excluded.filter((e) => e.position >= from).length;
    const to = (starts[k + 1] ?? kept) - 1;
    return this.binned && to > from ? `${from}\u2013${to}` : String(from);
  }

  private choose(name: string): void {
    if (!this.own) return;
    this.own.cells = cellsOf(this.size, this.report.matrices.encodings[name] ?? {});
    this.own.name = name;
    const scale = this.report.rows.find((row) => rowKey(row) === name)?.scale;
    this.own.unit = exists(scale) && scale > 0 ? scale : 1;
    this.paint();
  }

  private show(window: Window): void {
    const size = within(Math.min(smallest, this.size), Math.round(window.size), this.size);
    const inside = (start: number): number => within(0, Math.round(start), this.size - size);
    this.window = {row: inside(window.row), column: inside(window.column), size};
    this.draw();
  }

  private zoomAt({row, column}: Cell, factor: number): void {
    const side = this.window.size * factor;
    this.show({
      row: row - (row - this.window.row) * factor,
      column: column - (column - this.window.column) * factor,
      size: factor < 1 ? Math.floor(side) : Math.ceil(side),
    });
  }

  private key(event: KeyboardEvent): void {
    const arrow = arrows[event.key];
    if (arrow) this.step(arrow, event.shiftKey ? 5 : 1);
    else if (event.key === "+" || event.key === "=") this.zoom(0.7);
    else if (event.key === "-") this.zoom(1.4);
    else if (event.key === "0" || event.key === "Escape") this.showAll();
    else return;
    event.preventDefault();
  }

  // Moves the cursor, and the window where the cursor would leave it.
  private step([rows, columns]: [number, number], cells: number): void {
    this.cursor = {
      row: within(0, this.cursor.row + rows * cells, this.size - 1),
      column: within(0, this.cursor.column + columns * cells, this.size - 1),
    };
    const keep = (start: number, at: number): number => within(at - this.window.size + 1, start, at);
    this.show({
      ...this.window,
      row: keep(this.window.row, this.cursor.row),
      column: keep(this.window.column, this.cursor.column),
    });
  }

  private paint(): void {
    const ranges = this.panels.map((panel) => rangeOf(this.size, panel.cells));
    const high = Math.max(...ranges.map(([, top], k) => top * this.panels[k]!.unit));
    this.panels.forEach((panel, k) => {
      panel.range = this.shared ? [0, high / panel.unit] : ranges[k]!;
      panel.map.paint(panel.cells, ...panel.range);
      const factor = panel.unit !== 1 ? `, times ${num(panel.unit, 3)}` : "";
      panel.caption.textContent = this.shared
        ? `0 to ${num(high, 3)}${factor}`
        : panel.range.map((end) => num(end, 3)).join(" to ");
    });
    this.draw();
  }

  private valueAt(panel: Panel): string {
    const {row, column} = this.cursor;
    if (row === column) return this.binned ? "within one bin" : "0";
    return num(panel.cells(row, column));
  }

  private draw(): void {
    const place = `i = ${this.placeOf(this.cursor.row)}, j = ${this.placeOf(this.cursor.column)}`;
    const values = this.panels.map((panel) => {
      const value = panel.cells(this.cursor.row, this.cursor.column);
      const scaled = panel.unit !== 1 && exists(value) ? ` (scaled ${num(value * panel.unit)})` : "";
      return el(
        "span",
        {class: "value", "data-map": panel.map.id},
        `${panel.name} `,
        el("b", {}, this.valueAt(panel)),
        scaled,
      );
    });
    this.readout.replaceChildren(el("b", {}, place), ...values);
    for (const panel of this.panels) {
      panel.map.draw(this.window, this.cursor);
      panel.map.canvas.setAttribute(
        "aria-label",
        `${panel.name}: ${place}, distance ${this.valueAt(panel)}. Arrow keys move, plus and minus zoom, 0 shows all.`,
      );
    }
  }
}

export function matrices(report: Report): HTMLElement | null {
  if (report.matrices.size < 2) return null;
  const view = new MatrixView(report);
  const bins = view.binned ? ` Neighbours are averaged into ${report.matrices.size} bins.` : "";
  return section(
    "matrices",
    "Distances between positions",
    "Dark is near, bright is far. The null is the same text, shuffled. Where real text and null look alike, the distances are noise; the corrected map holds what is left.",
    el(
      "div",
      {class: "controls"},
      checkbox("shared", "one colour scale for all", (on) => view.share(on)),
      button("+", () => view.zoom(0.7), "Zoom in"),
      button("\u2212", () => view.zoom(1.4), "Zoom out"),
      button("Reset", () => view.showAll(), "Show all positions"),
    ),
    view.grid,
    view.readout,
    el(
      "p",
      {class: "small"},
      `Drag to zoom; click a map for wheel and arrow keys.${bins} On one colour scale an encoding is multiplied by its best scale.`,
    ),
  );
}
