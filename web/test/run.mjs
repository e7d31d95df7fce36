// SPDX-License-Identifier: Apache-2.0
// node run.mjs [FILE...]: these tests or all of this folder; exit status 77 where there is no browser.
import {spawnSync} from "node:child_process";
import {readdirSync} from "node:fs";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";

import {browserPath} from "./browser.mjs";

if (!browserPath()) {
  console.log("skipped: chromium is not on PATH and CHROMIUM is not set");
  process.exit(77);
}
const here = dirname(fileURLToPath(import.meta.url));
const all = readdirSync(here)
  .filter((name) => name.endsWith(".test.mjs"))
  .sort();
const files = process.argv.length > 2 ? process.argv.slice(2) : all;
const done = spawnSync(process.execPath, ["--test", ...files.map((name) => join(here, name))], {
  stdio: "inherit",
});
process.exit(done.status ?? 1);
