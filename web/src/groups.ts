// SPDX-License-Identifier: Apache-2.0
// Which one-parameter group each encoding is, if any: a map of the families, a card of the chosen
// encoding, kernels of its family, and how far numbers reach.
import {el, section} from "./dom";
import {groupCard} from "./group_card";
import {horizons} from "./group_horizons";
import {kernelChart} from "./group_kernels";
import type {GroupRow, Groups, Report} from "./report";

interface Zone {
  id: string;
  title: string;
  meaning: string;
}

const inside: Zone = {id: "inside", title: "Inside", meaning: "a one-parameter group, A(lag) = exp(lag X)"};
const zones: Zone[] = [
  inside,
  {id: "lifted", title: "After a lift", meaning: "C exp(lag X) B"},
  {id: "outside", title: "Outside", meaning: "no such group was found"},
  {id: "undecided", title: "Undecided", meaning: "no values"},
];
const zoneOfPlace: Record<string, string> = {
  lift: "lifted",
  "relative only": "outside",
  absolute: "outside",
  "needs values": "undecided",
};

// Begins where there is most to compare: in the place with the most kernels.
function firstChoice({places, rows}: Groups): GroupRow {
  const drawn = rows.filter((row) => (row.kernel ?? []).length > 0);
  const members = places.map(({name}) => drawn.filter((row) => row.place === name));
  const fullest = members.reduce((best, list) => (list.length > best.length ? list : best), []);
  return fullest[0] ?? rows[0]!;
}

function placeBox(
  place: {name: string; meaning: string},
  rows: GroupRow[],
  choose: (row: GroupRow) => void,
): HTMLElement {
  const chips = rows.map((row) =>
    el(
      "button",
      {
        type: "button",
        class: "chip",
        title: row.title ?? row.encoding,
        "data-encoding": row.encoding,
        onclick: () => choose(row),
      },
      row.encoding,
    ),
  );
  return el(
    "div",
    {class: rows.length > 0 ? "place" : "place vacant", "data-place": place.name},
    el("h4", {}, place.name),
    el("p", {}, place.meaning),
    rows.length > 0 ? el("div", {class: "chips"}, ...chips) : el("p", {class: "vacancy"}, "no encoding"),
  );
}

function map({places, rows}: Groups, choose: (row: GroupRow) => void): HTMLElement {
  const boxes = zones.map((zone) => {
    const own = places.filter(({name}) => (zoneOfPlace[name] ?? inside.id) === zone.id);
    if (own.length === 0) return null;
    return el(
      "div",
      {class: `zone ${zone.id}`, role: "group", "aria-label": `${zone.title}: ${zone.meaning}`},
      el("h3", {}, zone.title, " ", el("small", {}, zone.meaning)),
      el(
        "div",
        {class: "places"},
        ...own.map((place) =>
          placeBox(
            place,
            rows.filter((row) => row.place === place.name),
            choose,
          ),
        ),
      ),
    );
  });
  return el("div", {class: "zones"}, ...boxes);
}

export function groups(report: Report): HTMLElement | null {
  const found = report.groups;
  if (!found || found.rows.length === 0) return null;
  let chosen = firstChoice(found);
  const members = (): GroupRow[] => found.rows.filter((row) => row.place === chosen.place);
  const chart = kernelChart(() => ({place: chosen.place, rows: members(), chosen}));
  const title = chart.root.querySelector("h3")!;
  const about = el("div", {id: "group-card", "aria-live": "polite"});
  const choose = (row: GroupRow): void => {
    chosen = row;
    about.replaceChildren(groupCard(row));
    title.textContent = `Kernels of \u201c${row.place}\u201d against the lag`;
    for (const chip of boxes.querySelectorAll<HTMLElement>(".chip"))
      chip.setAttribute("aria-pressed", String(chip.dataset.encoding === row.encoding));
    chart.redraw();
  };
  const boxes = map(found, choose);
  choose(chosen);
  return section(
    "groups",
    "Families of encodings",
    `An encoding that is linear, continuous and sees only the lag is A(lag) = exp(lag X) when A(0) is invertible, and the blocks of X decide what it can do. ` +
      `Each encoding of the catalogue was tested at dimension ${found.dim}; choose one to see why it stands where it does.`,
    boxes,
    about,
    chart.root,
    horizons(found.rows),
  );
}
