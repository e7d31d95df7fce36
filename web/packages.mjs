// SPDX-License-Identifier: Apache-2.0
// node packages.mjs [NPM]: makes node_modules what package-lock.json says; does nothing when it is.
import {spawnSync} from "node:child_process";
import {copyFileSync, existsSync, readFileSync} from "node:fs";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const lock = join(here, "package-lock.json");
const installed = join(here, "node_modules", ".installed-lock.json");

if (!existsSync(installed) || !readFileSync(installed).equals(readFileSync(lock))) {
  // No package needs to run a script of its own.
  const npm = spawnSync(
    process.argv[2] ?? "npm",
    ["ci", "--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts"],
    {cwd: here, stdio: ["ignore", "inherit", "inherit"]},
  );
  if (npm.status !== 0) {
    console.error("web/: npm could not fetch the packages; SEXTANT_BUILD_PAGE=OFF builds without the page");
    process.exit(1);
  }
  copyFileSync(lock, installed);
}
