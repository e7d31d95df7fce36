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
import {followHash} from "./notes";
import {positions} from "./positions";
import {profiles} from "./profiles";
import {provenance} from "./provenance";
import {ranking} from "./ranking";
import {ranks} from "./ranks";
import {parseReport} from "./report";
import {spectrum} from "./spectrum";
import {table} from "./table";
import {themeButton} from "./theme";
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
  table: "Table",
  metrics: "Metrics",
  methods: "Methods",
  provenance: "Provenance",
};

function show(): void {
  const report = parseReport(document.getElementById("report")?.textContent ?? "");
  const parts = [
    verdict,
    ranking,
    matrices,
    spectrum,
    curve,
    ranks,
    positions,
    kernels,
    groups,
    profiles,
    claims,
    table,
    metrics,
    methods,
    provenance,
  ]
    .map((part) => part(report))
    .filter((part): part is HTMLElement => part !== null);
  if (report.corpus.name) document.title = `${report.corpus.name} \u2013 Sextant report`;
  document.body.prepend(
    el("a", {class: "skip", href: "#verdict"}, "To the verdict"),
    el(
      "header",
      {},
      el("span", {class: "brand"}, "Sextant"),
      el("span", {class: "corpus"}, report.corpus.name ?? ""),
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
