// SPDX-License-Identifier: Apache-2.0
// Elements, and the small controls that several sections use.

export type Child = Node | string | null;
type Attributes = Record<string, string | number | boolean | null | EventListener>;

// el("a", {href: "#x", onclick: f}, "text"): text is never read as markup.
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.filter((child): child is Node | string => child !== null));
  return node;
}

export function button(text: string, action: () => void, label?: string): HTMLButtonElement {
  return el(
    "button",
    {type: "button", "aria-label": label ?? null, title: label ?? null, onclick: action},
    text,
  );
}

export interface Choice<T extends string> {
  value: T;
  text: string;
}

// Radio buttons in a row; the browser gives them their keys.
export function choose<T extends string>(
  name: string,
  legend: string,
  choices: Choice<T>[],
  chosen: T,
  changed: (value: T) => void,
): HTMLElement {
  const group = el("fieldset", {class: "choice"}, el("legend", {}, legend));
  for (const {value, text} of choices) {
    const input = el("input", {type: "radio", name, value, onchange: () => changed(value)});
    input.checked = value === chosen;
    group.append(el("label", {}, input, el("span", {}, text)));
  }
  return group;
}

export function checkbox(name: string, text: string, changed: (on: boolean) => void): HTMLElement {
  const input = el("input", {type: "checkbox", name, onchange: () => changed(input.checked)});
  return el("label", {class: "check"}, input, ` ${text}`);
}

export function select(
  name: string,
  label: string,
  values: string[],
  chosen: string,
  changed: (value: string) => void,
): HTMLElement {
  const list = el(
    "select",
    {name, "aria-label": label, onchange: () => changed(list.value)},
    ...values.map((value) => el("option", {value}, value)),
  );
  list.value = chosen;
  return el("label", {class: "pick"}, `${label} `, list);
}

// A section of the page with its heading and one line that says what to see.
export function section(id: string, title: string, lead: string | null, ...children: Child[]): HTMLElement {
  return el(
    "section",
    {id, "aria-labelledby": `${id}-title`, tabindex: -1},
    el("h2", {id: `${id}-title`}, title),
    lead === null ? null : el("p", {class: "lead"}, lead),
    ...children,
  );
}

export function facts(pairs: [string, string][]): HTMLElement {
  const list = el("dl", {class: "facts"});
  for (const [name, value] of pairs) list.append(el("div", {}, el("dt", {}, name), el("dd", {}, value)));
  return list;
}
