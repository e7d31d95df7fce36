// SPDX-License-Identifier: Apache-2.0
// A heat map as a file: the picture inside an SVG with title, corners and the range of colours.
import {create} from "d3";

import {ramp} from "./heatmap";
import {num} from "./format";

// The first and the last position of rows and columns.
export interface Corners {
  rows: [string, string];
  columns: [string, string];
}

const side = 480,
  left = 60,
  top = 40;

export function heatmapSvg(title: string, image: string, range: [number, number], corners: Corners): string {
  const drawing = create("svg")
    .attr("xmlns", "http://www.w3.org/2000/svg")
    .attr("width", left + side + 20)
    .attr("height", top + side + 70)
    .attr("font-family", "system-ui, sans-serif")
    .attr("font-size", 13);
  const write = (x: number, y: number, text: string, anchor: string): void => {
    drawing.append("text").attr("x", x).attr("y", y).attr("text-anchor", anchor).text(text);
  };
  drawing.append("rect").attr("width", "100%").attr("height", "100%").attr("fill", "white");
  write(left, 24, title, "start");
  drawing
    .append("image")
    .attr("x", left)
    .attr("y", top)
    .attr("width", side)
    .attr("height", side)
    .attr("href", image);
  write(left - 6, top + 12, corners.rows[0], "end");
  write(left - 6, top + side, corners.rows[1], "end");
  write(left, top + side + 16, corners.columns[0], "start");
  write(left + side, top + side + 16, corners.columns[1], "end");
  drawing
    .append("image")
    .attr("x", left)
    .attr("y", top + side + 28)
    .attr("width", side)
    .attr("height", 10)
    .attr("preserveAspectRatio", "none")
    .attr("href", ramp().toDataURL("image/png"));
  write(left, top + side + 56, num(range[0]), "start");
  write(left + side, top + side + 56, num(range[1]), "end");
  return `${new XMLSerializer().serializeToString(drawing.node()!)}\n`;
}
