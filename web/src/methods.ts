// SPDX-License-Identifier: Apache-2.0
// How each number is made. The text is fixed (methods.html); nothing of the report is in it.
import {el, section} from "./dom";
import text from "./methods.html";
import type {Report} from "./report";

export function methods(_report: Report): HTMLElement {
  const body = el("div", {class: "prose"});
  body.innerHTML = text;
  return section("methods", "How the numbers are made", null, body);
}
