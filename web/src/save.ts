// SPDX-License-Identifier: Apache-2.0
// Files that the reader takes away: drawings as SVG, tables as CSV.

export function download(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], {type}));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

// Colours of the page are CSS variables; a file of its own has none, so their values are written.
function resolved(text: string, style: CSSStyleDeclaration): string {
  return text
    .replace(
      /var\((--[\w-]+)(?:,[^)]*)?\)/g,
      (whole, name: string) => style.getPropertyValue(name).trim() || whole,
    )
    .replaceAll("currentColor", style.color);
}

export function svgText(drawing: SVGSVGElement): string {
  const style = getComputedStyle(drawing);
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("font-family", "system-ui, sans-serif");
  copy.setAttribute("color", style.color);
  for (const node of [copy, ...copy.querySelectorAll("*")]) {
    for (const attribute of [...node.attributes]) {
      const text = resolved(attribute.value, style);
      if (text !== attribute.value) attribute.value = text;
    }
  }
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  paper.setAttribute("width", "100%");
  paper.setAttribute("height", "100%");
  paper.setAttribute("fill", style.getPropertyValue("--paper").trim() || "white");
  copy.prepend(paper);
  return `${new XMLSerializer().serializeToString(copy)}\n`;
}

// RFC 4180: quotes where a field needs them; null is an empty field.
export function csvText(header: string[], rows: unknown[][]): string {
  const field = (value: unknown): string => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [header, ...rows].map((row) => `${row.map(field).join(",")}\r\n`).join("");
}
