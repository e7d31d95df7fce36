// SPDX-License-Identifier: Apache-2.0
// Notes in Markdown with formulas in TeX ($...$, $$...$$) as HTML with MathML, which browsers draw
// without fonts or scripts of ours.
import {readFileSync, readdirSync} from "node:fs";
import {basename, join} from "node:path";

import {Marked} from "marked";
import temml from "temml";

// The policy of the page forbids style attributes: they travel as data-style (src/notes.ts).
function mathml(file, formula, displayMode) {
  try {
    return temml
      .renderToString(formula.trim(), {displayMode, throwOnError: true})
      .replaceAll(' style="', ' data-style="');
  } catch (error) {
    const [reason] = error.message.trim().split(/:?\s*\n/);
    throw new Error(`${file}: ${reason} in the formula ${formula.trim()}`);
  }
}

const display = /^\$\$([^$]+)\$\$/;
const inline = /^\$((?:\\\$|[^$])+)\$/;

function mathExtensions(file) {
  const token = (found, displayMode) =>
    found ? {type: "math", raw: found[0], formula: found[1], displayMode} : undefined;
  const renderer = ({formula, displayMode}) => mathml(file, formula, displayMode);
  return [
    {
      name: "mathBlock",
      level: "block",
      start: (text) => text.match(/(?:^|\n)\$\$/)?.index,
      tokenizer: (text) => {
        const made = token(/^\$\$([^$]+)\$\$ *(?:\n|$)/.exec(text), true);
        return made && {...made, type: "mathBlock"};
      },
      renderer: (math) => `<p>${renderer(math)}</p>\n`,
    },
    {
      name: "math",
      level: "inline",
      start: (text) => text.match(/\$/)?.index,
      tokenizer: (text) => token(display.exec(text), true) ?? token(inline.exec(text), false),
      renderer,
    },
  ];
}

// Headings stand below that of the claim. A link leads to another note or out of the page; files of
// the source tree are not in it.
function renderer(file, names) {
  return {
    heading({tokens, depth}) {
      const level = Math.min(depth + 3, 6);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
    },
    link({href, tokens}) {
      const text = this.parser.parseInline(tokens);
      const name = /^([\w-]+)\.md$/.exec(href)?.[1];
      const target = names.includes(name) ? `#note-${name}` : /^https?:/.test(href) ? href : null;
      return target ? `<a href="${target}">${text}</a>` : text;
    },
    html({text}) {
      throw new Error(`${file}: a note has no HTML: ${text.trim()}`);
    },
  };
}

export function noteHtml(file, text, names) {
  const marked = new Marked({extensions: mathExtensions(file), renderer: renderer(file, names)});
  try {
    return marked.parse(text.replace(/^# .*\n/, "")).trim(); // the claim has its title already
  } catch (error) {
    throw new Error(error.message.split("\nPlease report this")[0]); // it is the note that is wrong
  }
}

// {name: HTML} of the notes of a folder.
export function notesOf(folder) {
  const names = readdirSync(folder)
    .filter((file) => file.endsWith(".md") && file !== "README.md")
    .map((file) => basename(file, ".md"))
    .sort();
  return Object.fromEntries(
    names.map((name) => {
      const file = join(folder, `${name}.md`);
      return [name, noteHtml(file, readFileSync(file, "utf8"), names)];
    }),
  );
}
