// SPDX-License-Identifier: Apache-2.0
// Distance matrices side by side: one window and one cursor for all, so that a place can be
// compared.
import {button, checkbox, el, section, select} from "./dom";
import {exists, num} from "./format";
import {Heatmap, ramp, type Cell, type Cells, type Window} from "./heatmap";
import {heatmapSvg, type Corners} from "./heatmap_svg";
import {rowKey, type OwnMatrix, type Report} from "./report";
import {download} from "./save";

interface Panel {
  name: string;
  map: Heatmap;
  cells: Cells;
  unit: number;  // factor of the shared scale
  caption: HTMLElement;
  low: number;
  high: number;
}

function pairIndex(size: number, i: number, j: number): number {
  return i < j ? (i * (2 * size - i - 1)) / 2 + j - i - 1 : pairIndex(size, j, i);
}

function cellsOf(size: number, matrix: OwnMatrix): Cells {
  const {upper, lag} = matrix;
  return (i, j) => {
    if (i === j) return null;
    return (upper ? upper[pairIndex(size, i, j)] : lag?.[Math.abs(i - j)]) ?? null;
  };
}

function rangeOf(size: number, cells: Cells): [number, number] {
  let low = Infinity, high = -Infinity;
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

export function matrices(report: Report): HTMLElement {
  const {size, starts, encodings} = report.matrices;
  const names = Object.keys(encodings);
  const last = report.positions - report.excluded.filter((e) => e.position >= (starts.at(-1) ?? 0)).length - 1;
  const placeOf = (k: number): string => {
    const from = starts[k] ?? k;
    const to = (starts[k + 1] ?? last + 1) - 1;
    return to > from && starts.length < report.positions - report.excluded.length ? `${from}\u2013${to}` : String(from);
  };
  const all: Window = {row: 0, column: 0, size};
  let shown: Window = {...all};
  let cursor: Cell = {row: 0, column: Math.min(1, size - 1)};
  let shared = false;
  let chosen = names[0] ?? "";

  const readout = el("output", {id: "matrix-readout", "aria-live": "polite"});
  const moveTo = (cell: Cell): void => { cursor = cell; draw(); };
  const show = (window: Window): void => {
    const side = Math.max(Math.min(3, size), Math.min(size, Math.round(window.size)));
    const inside = (start: number): number => Math.max(0, Math.min(size - side, Math.round(start)));
    shown = {row: inside(window.row), column: inside(window.column), size: side};
    draw();
  };
  const zoomAt = ({row, column}: Cell, factor: number): void => {
    const side = shown.size * factor;
    show({row: row - (row - shown.row) * factor, column: column - (column - shown.column) * factor,
          size: factor < 1 ? Math.floor(side) : Math.ceil(side)});
  };
  const key = (event: KeyboardEvent): void => {
    const step = event.shiftKey ? 5 : 1;
    const moves: Record<string, [number, number]> = {ArrowUp: [-step, 0], ArrowDown: [step, 0], ArrowLeft: [0, -step], ArrowRight: [0, step]};
    const move = moves[event.key];
    if (move) {
      const inside = (k: number): number => Math.max(0, Math.min(size - 1, k));
      cursor = {row: inside(cursor.row + move[0]), column: inside(cursor.column + move[1])};
      const keep = (start: number, at: number): number => Math.max(at - shown.size + 1, Math.min(at, start));
      show({...shown, row: keep(shown.row, cursor.row), column: keep(shown.column, cursor.column)});
    } else if (event.key === "+" || event.key === "=") zoomAt(cursor, 0.7);
    else if (event.key === "-") zoomAt(cursor, 1.4);
    else if (event.key === "0" || event.key === "Escape") show(all);
    else return;
    event.preventDefault();
  };
  const cornersOf = ({row, column, size: side}: Window): Corners => ({
    rows: [placeOf(row), placeOf(row + side - 1)], columns: [placeOf(column), placeOf(column + side - 1)]});
  const events = {point: moveTo, key, zoomTo: show, zoomAt};

  const panelOf = (id: string, name: string, matrix: OwnMatrix): Panel =>
    ({name, map: new Heatmap(`map-${id}`, size, events), cells: cellsOf(size, matrix), unit: 1,
      caption: el("span", {class: "range"}), low: 0, high: 1});
  const panels = [
    panelOf("plain", "Real text", {upper: report.matrices.plain}),
    panelOf("corrected", "Corrected", {upper: report.matrices.corrected}),
    panelOf("null", "Null", {upper: report.matrices.null}),
  ];
  if (names.length > 0) panels.push(panelOf("encoding", "Encoding", {}));

  const choose = (name: string): void => {
    const panel = panels[3];
    if (!panel) return;
    chosen = name;
    panel.cells = cellsOf(size, encodings[name] ?? {});
    panel.name = name;
    panel.unit = report.rows.find((row) => rowKey(row) === name)?.scale ?? 1;
    paint();
  };
  const paint = (): void => {
    const ranges = panels.map((panel) => rangeOf(size, panel.cells));
    const low = 0, high = Math.max(...ranges.map(([, top], k) => top * panels[k]!.unit));
    panels.forEach((panel, k) => {
      [panel.low, panel.high] = shared ? [low, high / panel.unit] : ranges[k]!;
      panel.map.paint(panel.cells, panel.low, panel.high);
      const factor = panel.unit !== 1 ? `, times ${num(panel.unit, 3)}` : "";
      panel.caption.textContent = shared ? `0 to ${num(high, 3)}${factor}` : `${num(panel.low, 3)} to ${num(panel.high, 3)}`;
    });
    draw();
  };
  const valueAt = (panel: Panel): string => {
    if (cursor.row === cursor.column) return starts.length < report.positions - report.excluded.length ? "within one bin" : "0";
    return num(panel.cells(cursor.row, cursor.column));
  };
  const draw = (): void => {
    const place = `i = ${placeOf(cursor.row)}, j = ${placeOf(cursor.column)}`;
    readout.replaceChildren(el("b", {}, place), ...panels.map((panel, k) => {
      const value = valueAt(panel);
      const scaled = k === 3 && panel.unit !== 1 && cursor.row !== cursor.column
        ? ` (scaled ${num((panel.cells(cursor.row, cursor.column) ?? NaN) * panel.unit)})` : "";
      return el("span", {class: "value", "data-map": panel.map.id}, `${panel.name} `, el("b", {}, value), scaled);
    }));
    for (const panel of panels) {
      panel.map.draw(shown, cursor);
      panel.map.canvas.setAttribute("aria-label",
        `${panel.name}: ${place}, distance ${valueAt(panel)}. Arrow keys move, plus and minus zoom, 0 shows all.`);
    }
  };

  const grid = el("div", {class: "maps"});
  for (const panel of panels) {
    const save = button("SVG", () => download(`${panel.map.id}.svg`, "image/svg+xml",
      heatmapSvg(panel.name, panel.map.image(shown), [panel.low, panel.high], cornersOf(shown))), `Save "${panel.name}" as SVG`);
    save.className = "save";
    const title = panel === panels[3]
      ? select("matrix", "Encoding", names, chosen, choose) : el("span", {}, panel.name);
    grid.append(el("div", {class: "map"}, el("div", {class: "map-head"}, title, save), panel.map.canvas, ramp(), panel.caption));
  }
  new ResizeObserver(draw).observe(grid);
  if (panels[3]) choose(chosen); else paint();
  const bins = size < report.positions - report.excluded.length ? ` Neighbours are averaged into ${size} bins.` : "";
  return section("matrices", "Distances between positions",
    "Dark is near, bright is far. The null is the same text, shuffled. Where real text and null look alike, the distances are noise; the corrected map holds what is left.",
    el("div", {class: "controls"},
       checkbox("shared", "one colour scale for all", (on) => { shared = on; paint(); }),
       button("+", () => zoomAt(cursor, 0.7), "Zoom in"), button("\u2212", () => zoomAt(cursor, 1.4), "Zoom out"),
       button("Reset", () => show(all), "Show all positions")),
    grid, readout,
    el("p", {class: "small"}, `Drag to zoom; click a map for wheel and arrow keys.${bins} On one colour scale an encoding is multiplied by its best scale.`));
}
