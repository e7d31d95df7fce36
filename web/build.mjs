// SPDX-License-Identifier: Apache-2.0
// node build.mjs OUTPUT: bundles src/ and the notes of docs/math/ into one page with script and style
// inside. The policy of the page names both by their hashes, so that no other script or style can act
// in it.
import {createHash} from "node:crypto";
import {mkdirSync, readFileSync, readdirSync, writeFileSync} from "node:fs";
import {dirname, join, resolve} from "node:path";
import {fileURLToPath} from "node:url";

import {build} from "esbuild";

import {notesOf} from "./notes.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const output = resolve(process.argv[2] ?? "dist/report-template.html");

const notes = JSON.stringify(notesOf(join(here, "..", "docs", "math")));

const used = new Set(); // files in the page, relative to this folder

async function bundle(entry) {
  const result = await build({
    entryPoints: [join(here, "src", entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["es2022"],
    charset: "ascii",
    legalComments: "none",
    loader: {".html": "text"},
    define: {NOTES: notes},
    absWorkingDir: here,
    metafile: true,
  });
  Object.keys(result.metafile.inputs).forEach((file) => used.add(file));
  // An inline script ends at the first "</script".
  return result.outputFiles[0].text.trim().replaceAll("</script", "<\\/script");
}

// The licences of the packages in the page, each text once, after the names that share it.
function licences() {
  const names = new Set(
    [...used].flatMap((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []),
  );
  const texts = new Map();
  for (const name of [...names].sort()) {
    const folder = join(here, "node_modules", name);
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file
      ? readFileSync(join(folder, file), "utf8").trim()
      : JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).license;
    texts.set(text, [...(texts.get(text) ?? []), name]);
  }
  return [...texts]
    .map(([text, owners]) => `${owners.join(", ")}:\n${text}`)
    .join("\n\n")
    .replaceAll("--", "- -");
}

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const script = await bundle("main.ts");
const style = await bundle("style.css");
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)}`,
  `style-src ${hash(style)}`,
  "img-src data: blob:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
const parts = {POLICY: policy, STYLE: style, SCRIPT: script, LICENCES: licences()};
const page = readFileSync(join(here, "src", "page.html"), "utf8").replace(
  /@(POLICY|STYLE|SCRIPT|LICENCES)@/g,
  (_, name) => parts[name],
);
mkdirSync(dirname(output), {recursive: true});
writeFileSync(output, page);
