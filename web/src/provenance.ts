// SPDX-License-Identifier: Apache-2.0
// What made these numbers, so that they can be made again.
import {facts, section} from "./dom";
import type {Report} from "./report";

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "n/a";
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  if (typeof value !== "object") return String(value);
  return Object.entries(value)
    .map(([name, part]) => `${name} ${textOf(part)}`)
    .join(", ");
}

export const named = (record: Record<string, unknown>): [string, string][] =>
  Object.entries(record).map(([name, value]) => [name.replaceAll("_", " "), textOf(value)]);

export function provenance(report: Report): HTMLElement {
  return section(
    "provenance",
    "Provenance",
    "The same input and the same numeric options give the same bytes. This page draws report.json and nothing else.",
    facts([
      ["version", textOf(report.version)],
      ["corpus hash", textOf(report.corpus.hash)],
      ...named(report.provenance).filter(([name]) => name !== "version"),
      ...named(report.options).map(([name, value]): [string, string] => [`option ${name}`, value]),
    ]),
  );
}
