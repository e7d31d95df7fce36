// SPDX-License-Identifier: Apache-2.0
// One encoding as a one-parameter group: what was decided, why, and what follows from it.
import {extent, groups} from "d3";

import {el, facts} from "./dom";
import {exists, num, whole} from "./format";
import type {Family, GroupRow, Horizon, NumberFormat} from "./report";

export const formats: NumberFormat[] = ["f16", "bf16", "f32", "f64"];

function range(name: string, values: number[]): string {
  const [low = 0, high = 0] = extent(values);
  if (low === 0 && high === 0) return "";
  return low === high ? `, ${name} = ${num(low, 3)}` : `, ${name} = ${num(low, 3)} to ${num(high, 3)}`;
}

// A line per kind and size: "32 x rotation, w = 0.000178 to 1".
function familyLines(families: Family[]): string[] {
  return groups(
    families,
    (family) => `${family.kind}${family.size > 1 ? ` of order ${family.size}` : ""}`,
  ).map(([kind, list]) => {
    const count = list.reduce((sum, family) => sum + family.count, 0);
    const decay = range(
      "a",
      list.map((family) => family.decay),
    );
    const frequency = range(
      "w",
      list.map((family) => family.frequency),
    );
    return `${whole(count)} \u00d7 ${kind}${decay}${frequency}`;
  });
}

function lags(horizon: Horizon | undefined): string {
  const finite = formats.filter((format) => exists(horizon?.[format]));
  return finite.length > 0
    ? finite.map((format) => `${format} ${num(horizon![format], 3)}`).join(", ")
    : "never";
}

function pairsOf(row: GroupRow): [string, string][] {
  const pairs: [string, string][] = [["Verdict", row.verdict ?? ""]];
  if (row.verdict === "group") {
    pairs.push(
      ["As the lag grows", `${row.stability}; for keys ahead of the query: ${row.stability_back}`],
      ["Norms", row.norm_preserving ? "kept" : "not kept"],
      ["Causal mask", row.needs_causal_mask ? "needed" : "not needed"],
      ["Overflows at lag", lags(row.horizon)],
      ["Overflows at position, as two factors", lags(row.split_horizon)],
      ["Vanishes from lag", lags(row.vanishing)],
    );
  }
  if (row.realisation) {
    pairs.push([
      "Order of the lift",
      `${row.realisation.order}, residual ${num(row.realisation.residual, 2)}`,
    ]);
  }
  if (row.hankel) {
    pairs.push([
      "Hankel rank of the kernel",
      row.hankel.tolerances.map(({tolerance, rank}) => `${rank} at ${num(tolerance, 2)}`).join(", "),
    ]);
    if (row.kernel_of === "bias") pairs.push(["Finite-dimensional kernel", row.hankel.finite ? "yes" : "no"]);
  }
  return pairs;
}

function blocks(title: string, families: Family[]): HTMLElement | null {
  if (families.length === 0) return null;
  return el(
    "div",
    {},
    el("p", {class: "small"}, title),
    el("ul", {class: "plain families"}, ...familyLines(families).map((line) => el("li", {}, line))),
  );
}

export function groupCard(row: GroupRow): HTMLElement {
  const head = el(
    "p",
    {},
    el("b", {}, row.title ?? row.encoding),
    " ",
    el("code", {class: "formula"}, row.encoding),
    " ",
    el("span", {class: "small"}, row.place),
  );
  if (row.missing) return el("div", {class: "card"}, head, el("p", {}, row.missing));
  const notes = [
    ...(row.ambiguous
      ? ["With ten times less or more noise other blocks are found: do not trust these."]
      : []),
    ...(row.initial_draw ? ["its values are learned; this is an initial draw"] : []),
    ...(row.warnings ?? []),
  ];
  return el(
    "div",
    {class: "card"},
    head,
    el("p", {class: "reason"}, row.reason ?? ""),
    facts(pairsOf(row)),
    blocks("Blocks of X, e^(a lag) R(w lag):", row.families ?? []),
    row.closed_form
      ? el("p", {class: "small"}, "exp(lag X) = ", el("code", {class: "formula"}, row.closed_form))
      : null,
    blocks("Blocks of X in the lift C exp(lag X) B:", row.realisation?.families ?? []),
    ...notes.map((note) => el("p", {class: "small"}, note)),
  );
}
