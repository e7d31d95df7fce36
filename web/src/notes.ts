// SPDX-License-Identifier: Apache-2.0
// The notes of docs/math/, which the page holds as HTML since it was built: nothing of the report is
// in them.
import {el} from "./dom";

declare const NOTES: Record<string, string>; // build.mjs

// "docs/math/NAME.md" as NAME, where the page has that note.
export function noteName(path: string | undefined): string | null {
  const name = /([\w-]+)\.md$/.exec(path ?? "")?.[1] ?? "";
  return Object.hasOwn(NOTES, name) ? name : null;
}

export function noteLink(name: string, text: string): HTMLElement {
  return el("a", {href: `#note-${name}`, onclick: () => reveal(`note-${name}`)}, text);
}

export function note(name: string): HTMLElement {
  const body = el("div", {class: "prose"});
  body.innerHTML = NOTES[name]!;
  for (const part of body.querySelectorAll<HTMLElement>("[data-style]")) {
    part.style.cssText = part.dataset.style!;
    delete part.dataset.style;
  }
  return el("details", {class: "note", id: `note-${name}`}, el("summary", {}, "The note"), body);
}

// What a link asks for is shown, even if it was closed or filtered out.
function reveal(id: string): void {
  const target = document.getElementById(id);
  for (let at = target; at; at = at.parentElement) {
    at.hidden = false;
    if (at instanceof HTMLDetailsElement) at.open = true;
  }
  target?.scrollIntoView();
}

// REQUIRES: the page is complete.
export function followHash(): void {
  const follow = (): void => {
    if (location.hash.startsWith("#note-")) reveal(decodeURIComponent(location.hash.slice(1)));
  };
  addEventListener("hashchange", follow);
  follow();
}
