// SPDX-License-Identifier: Apache-2.0
// Small charts, one per measure, of the chosen encodings; the weights of the last query below them.
import {choose, el} from "./dom";
import {figure, type Figure} from "./figure";
import {missing} from "./format";
import {drawLines, lineOf, type Axis, type Line} from "./lines";
import {measures, type Measure} from "./profile_measures";
import type {EncodingProfile, Num, ProfileRow, Profiles} from "./report";

type Vertical = "symlog" | "linear";

// An encoding that was chosen, with the place it has among the looks of lines.
export interface Shown {
  profile: EncodingProfile;
  rows: ProfileRow[];
  slot: number;
}

// The word on the weights beyond training.
export function tailWord(profile: EncodingProfile): string {
  return profile.tail && profile.tail !== "undefined" ? profile.tail : missing;
}

const smallestWeight = 1e-8;
const ruleAt = ({train}: Profiles) => ({x: train, text: `N = ${train}`});
const namesOf = (shown: Shown[]): string => shown.map(({profile}) => profile.encoding).join(", ") || "none";

function measureChart(
  found: Profiles,
  measure: Measure,
  shown: () => Shown[],
  vertical: () => Vertical,
): Figure {
  const x: Axis = {label: "position t", scale: "linear"};
  const lines = (y: Axis): Line[] =>
    shown().map(({profile, rows, slot}) =>
      lineOf(
        profile.encoding,
        slot,
        rows.map((row) => row.position),
        rows.map((row) => row[measure.id] as Num),
        x,
        y,
      ),
    );
  return figure({
    id: `profile-${measure.id}`,
    title: measure.title,
    label: () => `${measure.title} against position t, training ends at ${found.train}: ${namesOf(shown())}.`,
    draw: (width, alone) => {
      const y: Axis = {label: measure.axis, scale: vertical(), unit: measure.unit};
      return drawLines({width, lines: lines(y), x, y, rule: ruleAt(found), legend: alone});
    },
    caption: [measure.meaning],
  });
}

function weightsChart(found: Profiles, shown: () => Shown[]): Figure {
  const x: Axis = {label: "lag", scale: "linear"};
  const y: Axis = {label: "weight", scale: "log", floor: smallestWeight};
  const lines = (): Line[] =>
    shown()
      .filter(({profile}) => (profile.weights?.values ?? []).length > 0)
      .map(({profile, slot}) =>
        lineOf(
          `${profile.encoding}: ${tailWord(profile)}`,
          slot,
          profile.weights!.lags,
          profile.weights!.values,
          x,
          y,
        ),
      );
  return figure({
    id: "profile-weights",
    title: `Weights of the last query, at position ${found.to - 1}`,
    label: () =>
      `Attention weights against the lag on a logarithmic axis, training ends at ${found.train}: ${lines()
        .map(({name}) => name)
        .join(", ")}.`,
    draw: (width) => drawLines({width, lines: lines(), x, y, rule: ruleAt(found), legend: true}),
    caption: [
      "The first head (ALiBi: its steepest; others reach farther) without content: what the encoding alone does. The word says how the weights go on over keys beyond training (new rows of a table, else lags past the broken line): they decay, stay flat, grow, or do so erratically. Weights below 1e\u22128 are not drawn.",
    ],
  });
}

export interface Charts {
  root: HTMLElement;
  redraw: () => void;
}

export function profileCharts(found: Profiles, shown: () => Shown[]): Charts {
  let vertical: Vertical = "symlog";
  const charts = measures.map((measure) => measureChart(found, measure, shown, () => vertical));
  const weights = weightsChart(found, shown);
  const redraw = (): void => [...charts, weights].forEach((chart) => chart.redraw());
  const scale = choose<Vertical>(
    "profile-scale",
    "Vertical axis",
    [
      {value: "symlog", text: "Compressed"},
      {value: "linear", text: "Linear"},
    ],
    vertical,
    (value) => {
      vertical = value;
      redraw();
    },
  );
  return {
    root: el(
      "div",
      {},
      el(
        "div",
        {class: "controls"},
        scale,
        el("span", {class: "small"}, "compressed: linear near 0, logarithmic beyond"),
      ),
      el("div", {class: "pair"}, ...charts.map((chart) => chart.root)),
      weights.root,
    ),
    redraw,
  };
}
