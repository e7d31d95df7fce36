// SPDX-License-Identifier: Apache-2.0
// Light or dark: what the system says, until the reader says otherwise.
import {button} from "./dom";

export function themeButton(): HTMLButtonElement {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  let chosen: boolean | null = null;
  const isDark = (): boolean => chosen ?? system.matches;
  const show = (): void => {
    root.dataset.theme = isDark() ? "dark" : "light";
    toggle.textContent = isDark() ? "Light" : "Dark";
    toggle.setAttribute("aria-label", isDark() ? "Use light colours" : "Use dark colours");
  };
  const toggle = button("", () => {
    chosen = !isDark();
    show();
  });
  toggle.id = "theme";
  system.addEventListener("change", show);
  show();
  return toggle;
}
