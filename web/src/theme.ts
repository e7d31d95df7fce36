// SPDX-License-Identifier: Apache-2.0
// Light or dark: what the system says, until the reader says otherwise.
import {button} from "./dom";

export function themeButton(): HTMLButtonElement {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  const isDark = (): boolean => (root.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark";
  const toggle = button("", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    show();
  });
  const show = (): void => {
    toggle.textContent = isDark() ? "Light" : "Dark";
    toggle.setAttribute("aria-label", isDark() ? "Use light colours" : "Use dark colours");
  };
  dark.addEventListener("change", show);
  toggle.id = "theme";
  show();
  return toggle;
}
