// SPDX-License-Identifier: Apache-2.0
// Reads the report out of the page and puts the sections in order.
import {claims} from "./claims";
import {curve} from "./curve";
import {el} from "./dom";
import {groups} from "./groups";
import {kernels} from "./kernels";
import {matrices} from "./matrices";
import {methods} from "./methods";
import {metrics} from "./metrics";
import {model} from "./model";
import {followHash} from "./notes";
import {positions} from "./positions";
import {profiles} from "./profiles";
import {provenance} from "./provenance";
import {ranking} from "./ranking";
import {ranks} from "./ranks";
import {parseReport, type Report} from "./report";
import {spectrum} from "./spectrum";
import {table} from "./table";
import {themeButton} from "./theme";
import {training} from "./training";
import {verdict} from "./verdict";

const short: Record<string, string> = {
  verdict: "Verdict",
  ranking: "Ranking",
  matrices: "Distances",
  spectrum: "Spectrum",
  curve: "Curve",
  ranks: "Rank",
  positions: "Corpus",
  kernels: "Kernels",
  groups: "Families",
  profiles: "Beyond N",
  claims: "Claims",
  training: "Training",
  model: "Model",
  table: "Table",
  metrics: "Metrics",
  methods: "Methods",
  provenance: "Provenance",
};

type Part = (report: Report) => HTMLElement | null;

// Of a corpus; what any report may have; how it was all made.
const geometry: Part[] = [verdict, ranking, matrices, spectrum, curve, ranks, positions, kernels];
const others: Part[] = [groups, profiles, claims, training, model];
const rest: Part[] = [table, metrics, methods, provenance];

function show(): void {
  const report = parseReport(document.getElementById("report")?.textContent ?? "");
  const parts = (report.geometry ? [...geometry, ...others, ...rest] : others)
    .map((part) => part(report))
    .filter((part): part is HTMLElement => part !== null);
  const subject = report.corpus.name ?? report.training?.task ?? report.model?.source;
  if (subject) document.title = `${subject} \u2013 Sextant report`;
  document.body.prepend(
    el("a", {class: "skip", href: `#${parts[0]?.id ?? ""}`}, "To the verdict"),
    el(
      "header",
      {},
      el("span", {class: "brand"}, "Sextant"),
      el("span", {class: "corpus"}, subject ?? ""),
      el(
        "nav",
        {"aria-label": "Sections"},
        ...parts.map((part) => el("a", {href: `#${part.id}`}, short[part.id] ?? part.id)),
      ),
      themeButton(),
    ),
    el("main", {}, ...parts),
  );
  followHash();
}

show();
