// SPDX-License-Identifier: Apache-2.0
// The first position at which each measure leaves the range it had in training, per encoding.
import {el} from "./dom";
import {exists, missing, num, whole} from "./format";
import {tailWord} from "./profile_charts";
import {measures} from "./profile_measures";
import type {Departure, EncodingProfile} from "./report";
import {sorting, type Column} from "./sorting";

const departure = (profile: EncodingProfile, id: string): Departure | null =>
  profile.first_departure?.[id] ?? null;

// A measure that does not apply has no range. One that stays within its range never leaves it, unless
// the encoding ends with training and cannot.
function positionText(found: Departure | null, ends: boolean): string {
  if (!found || (!exists(found.position) && !exists(found.low) && !exists(found.high))) return missing;
  if (exists(found.position)) return whole(found.position);
  return ends ? "ends" : "never";
}

const columnsOf = (ends: Set<EncodingProfile>): Column<EncodingProfile>[] => [
  {
    id: "encoding",
    title: "Encoding",
    meaning: "specification",
    value: (profile) => profile.encoding,
    text: (profile) => profile.encoding,
  },
  {
    id: "acts",
    title: "Acts by",
    meaning: "what stands for a position",
    value: (profile) => profile.acts ?? "",
    text: (profile) => profile.acts ?? missing,
  },
  {
    id: "tail",
    title: "Tail",
    meaning: "how the weights of the last query go on over keys beyond training",
    value: tailWord,
    text: tailWord,
  },
  {
    id: "distinct",
    title: "Distinct",
    meaning: "different actions among all positions",
    value: (profile) => profile.distinct,
    text: (profile) => whole(profile.distinct),
  },
  ...measures.map(
    ({id, title, column, meaning}): Column<EncodingProfile> => ({
      id,
      title: column,
      meaning: `${title}. ${meaning}`,
      value: (profile) => departure(profile, id)?.position,
      text: (profile) => positionText(departure(profile, id), ends.has(profile)),
    }),
  ),
];

const wordColumns = 3;

function line(columns: Column<EncodingProfile>[], profile: EncodingProfile): HTMLElement {
  return el(
    "tr",
    {"data-encoding": profile.encoding},
    ...columns.map(({id, text}, k) => {
      const range = departure(profile, id);
      const said = text(profile);
      return el(
        k === 0 ? "th" : "td",
        {
          "data-column": id,
          class: k < wordColumns ? "words" : !range || exists(range.position) ? null : "never",
          title: k === 0 ? (profile.title ?? null) : rangeText(range),
          ...(k === 0 ? {scope: "row"} : {}),
        },
        said,
      );
    }),
  );
}

function rangeText(range: Departure | null): string | null {
  return range && exists(range.low) && exists(range.high)
    ? `in training ${num(range.low)} to ${num(range.high)}`
    : null;
}

// `ends`: those without any position beyond training.
export function departureTable(profiles: EncodingProfile[], ends: Set<EncodingProfile>): HTMLElement {
  const columns = columnsOf(ends);
  const body = el("tbody", {});
  const order = sorting(columns, () => show());
  const show = (): void =>
    body.replaceChildren(...order.sorted(profiles).map((profile) => line(columns, profile)));
  show();
  return el(
    "div",
    {
      class: "scroll",
      tabindex: 0,
      role: "region",
      "aria-label": "First departures from the range of training",
    },
    el("table", {id: "departures"}, order.head, body),
  );
}
