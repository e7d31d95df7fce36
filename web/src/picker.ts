// SPDX-License-Identifier: Apache-2.0
// Encodings to choose for charts of lines.
import {el} from "./dom";
import {look, swatch} from "./lines";

interface Pickable {
  encoding: string;
  title?: string;
}

// Encodings as buttons, which are the legend too. A chosen one keeps its look until it is left.
export function picker(
  all: Pickable[],
  first: Pickable[],
  changed: () => void,
): {root: HTMLElement; slots: Map<string, number>} {
  const slots = new Map(first.map(({encoding}, k) => [encoding, k]));
  const chips = all.map(({encoding, title}) => {
    const chip = el(
      "button",
      {type: "button", class: "chip", title: title ?? encoding, "data-encoding": encoding},
      encoding,
    );
    const show = (): void => {
      const slot = slots.get(encoding);
      chip.setAttribute("aria-pressed", String(slot !== undefined));
      chip.replaceChildren(...(slot === undefined ? [] : [swatch(look(slot))]), encoding);
    };
    chip.addEventListener("click", () => {
      const taken = new Set(slots.values());
      let free = 0;
      while (taken.has(free)) ++free;
      if (!slots.delete(encoding)) slots.set(encoding, free);
      show();
      changed();
    });
    show();
    return chip;
  });
  const root = el(
    "div",
    {class: "chips picker", role: "group", "aria-label": "Encodings to compare"},
    ...chips,
  );
  return {root, slots};
}
