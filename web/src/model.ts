// SPDX-License-Identifier: Apache-2.0
// A model or a learned table: what it does with positions, group by group of its layers.
import {el, facts, section, select, type Child} from "./dom";
import {exists, missing, whole} from "./format";
import {rotaryCharts} from "./model_charts";
import {ranges, type LayerGroup, type ModelPage} from "./model_data";
import {tableCharts} from "./model_table";
import type {Report} from "./report";

const layersText = ({layers}: LayerGroup): string => (layers.length > 0 ? ranges(layers) : "all");

function headline({source, groups, table}: ModelPage): string {
  if (table) return `A learned table of ${whole(table.rows)} positions, ${whole(table.dim)} wide.`;
  const kinds = [...new Set(groups.map(({kind}) => kind))];
  if (kinds.length === 1 && groups.length === 1)
    return `${source} encodes positions by one rule: ${kinds[0]}.`;
  return `${source} has ${groups.length} groups of layers that treat positions differently: ${kinds.join(", ")}.`;
}

function groupTable(groups: LayerGroup[]): HTMLElement | null {
  if (groups.length === 0) return null;
  const head = ["Group", "Layers", "Kind", "Specification"];
  return el(
    "div",
    {class: "scroll", tabindex: 0, role: "region", "aria-label": "Groups of layers"},
    el(
      "table",
      {id: "model-groups"},
      el("thead", {}, el("tr", {}, ...head.map((text) => el("th", {scope: "col"}, text)))),
      el(
        "tbody",
        {},
        ...groups.map((group) =>
          el(
            "tr",
            {},
            el("th", {scope: "row"}, group.name),
            el("td", {class: "words"}, layersText(group)),
            el("td", {class: "words"}, group.kind),
            el(
              "td",
              {class: "words"},
              group.error ? `cannot be evaluated: ${group.error}` : (group.spec ?? missing),
            ),
          ),
        ),
      ),
    ),
  );
}

function list(id: string, title: string, items: string[]): HTMLElement | null {
  if (items.length === 0) return null;
  return el(
    "details",
    {id, open: true},
    el("summary", {}, `${title} (${items.length})`),
    el("ul", {class: "plain"}, ...items.map((item) => el("li", {}, item))),
  );
}

function sizes(page: ModelPage): HTMLElement | null {
  if (page.groups.length === 0) return null;
  const counts = (["layers", "heads", "kv_heads", "head_dim", "hidden", "max_positions"] as const).flatMap(
    (key): [string, string][] => (exists(page[key]) ? [[key.replaceAll("_", " "), whole(page[key])]] : []),
  );
  return facts([
    ["family", page.family || missing],
    ...counts,
    ["dtype", page.dtype ?? missing],
    ["pairing", page.pairing ?? missing],
    ["fingerprint", page.fingerprint ?? missing],
    ["as read by", `${page.engine ?? missing} ${page.release ?? ""}`.trim()],
  ]);
}

// The charts of one group at a time, where there are several that turn.
function rotaryPart(groups: LayerGroup[]): Child[] {
  const turning = groups.filter((group) => group.rotary);
  if (turning.length === 0) return [];
  const title = (group: LayerGroup): string => `${group.name} (layers ${layersText(group)})`;
  const place = el("div", {id: "model-rotary"});
  const show = (group: LayerGroup): void => place.replaceChildren(rotaryCharts("model", group.rotary!));
  show(turning[0]!);
  if (turning.length === 1) return [place];
  const names = turning.map(title);
  return [
    el(
      "div",
      {class: "controls"},
      select("model-group", "Group of layers", names, names[0]!, (name) =>
        show(turning[names.indexOf(name)]!),
      ),
    ),
    place,
  ];
}

export function model(report: Report): HTMLElement | null {
  const page = report.model;
  if (!page) return null;
  const assumptions = page.groups.flatMap((group) => group.assumptions ?? []);
  return section(
    "model",
    page.table ? "Learned table" : "Model",
    page.table
      ? `Read from ${page.source}.`
      : `What ${page.source} says of positions, and what follows from it.`,
    el(report.geometry ? "p" : "h1", {id: "model-headline", class: "headline"}, headline(page)),
    sizes(page),
    groupTable(page.groups),
    list("model-assumptions", "What the engine assumes", [...new Set(assumptions)]),
    list("model-notes", "Notes", page.notes),
    ...rotaryPart(page.groups),
    page.table ? tableCharts(page.table) : null,
  );
}
