// SPDX-License-Identifier: Apache-2.0
// A browser that is offline, and pages to open in it. SEXTANT_REPORT names a folder with report.html
// and report.json that the program made; without it pages are made from the samples, from the
// template that SEXTANT_PAGE names or from dist/.
import {spawnSync} from "node:child_process";
import {existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {dirname, join} from "node:path";
import {after, before} from "node:test";
import {fileURLToPath, pathToFileURL} from "node:url";

import {chromium} from "playwright-core";

import {samples} from "./sample.mjs";

const here = dirname(fileURLToPath(import.meta.url));

export function browserPath() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const found = spawnSync("sh", ["-c", "command -v chromium"], {encoding: "utf8"});
  return found.status === 0 ? found.stdout.trim() : null;
}

const launch = () =>
  chromium.launch({
    executablePath: browserPath(),
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });

// The escapes of src/report/page.cpp.
const escaped = (json) =>
  json.replaceAll("<", "\\u003c").replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");

// {name, file, report} of each page to test; pageOf(name, report) makes another where it can; remove().
function pages() {
  const given = process.env.SEXTANT_REPORT;
  if (given) {
    const report = JSON.parse(readFileSync(join(given, "report.json"), "utf8"));
    return {
      list: [{name: "given", file: join(given, "report.html"), report}],
      pageOf: null,
      remove: () => {},
    };
  }
  const source = process.env.SEXTANT_PAGE ?? join(here, "..", "dist", "report-template.html");
  if (!existsSync(source)) throw new Error(`${source}: no page; run npm run build first`);
  const template = readFileSync(source, "utf8");
  const folder = mkdtempSync(join(tmpdir(), "sextant-page-"));
  const pageOf = (name, report) => {
    const file = join(folder, `${name}.html`);
    writeFileSync(
      file,
      template.replace("@SEXTANT_REPORT@", () => escaped(JSON.stringify(report))),
    );
    return {name, file, report};
  };
  const list = Object.entries(samples).map(([name, make]) => pageOf(name, make()));
  return {list, pageOf, remove: () => rmSync(folder, {recursive: true})};
}

// Charts are drawn when they have a width, which on a busy machine is some frames later: to be called
// after anything that makes new ones.
export const drawn = (page) =>
  page.waitForFunction(() => {
    const places = [...document.querySelectorAll("main figure .drawing")].filter((each) =>
      each.checkVisibility(),
    );
    return document.querySelector("main figure svg") && places.every((each) => each.childElementCount > 0);
  });

// Opens a page and collects what must not happen: errors, complaints of the policy, requests.
async function openIn(browser, file, options = {}) {
  const context = await browser.newContext({
    viewport: {width: 1280, height: 900},
    acceptDownloads: true,
    ...options,
  });
  context.setDefaultTimeout(180_000); // a busy machine is slow, not wrong
  await context.setOffline(true);
  const page = await context.newPage();
  const faults = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) faults.push(`request: ${request.url()}`);
  });
  await page.goto(pathToFileURL(file).href);
  await drawn(page);
  return {page, faults, close: () => context.close()};
}

// For the tests of one file: the pages, and a browser from their first to their last.
//   open(file, options): a view {page, faults, close};
//   shared(file, ready): the same within describe(), closed after its tests; ready(page) goes first.
export function visit() {
  const {list, pageOf, remove} = pages();
  let browser;
  before(async () => {
    browser = await launch();
  });
  after(async () => {
    await browser.close();
    remove();
  });
  const open = (file, options) => openIn(browser, file, options);
  const shared = (file, ready = () => {}) => {
    const view = {};
    before(async () => {
      Object.assign(view, await open(file));
      await ready(view.page);
    });
    after(() => view.close());
    return view;
  };
  return {list, pageOf, open, shared};
}

// The text of the file that a click saves, and its name.
export async function saved(page, click) {
  const [file] = await Promise.all([page.waitForEvent("download"), click()]);
  return {name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8")};
}

// The same without a file: a browser takes a second to write one.
export const offered = (page, selector) =>
  page.evaluate(async (button) => {
    const {createObjectURL} = URL,
      {click} = HTMLAnchorElement.prototype;
    let blob, name;
    URL.createObjectURL = (given) => createObjectURL.call(URL, (blob = given));
    HTMLAnchorElement.prototype.click = function () {
      name = this.download;
    };
    document.querySelector(button).click();
    URL.createObjectURL = createObjectURL;
    HTMLAnchorElement.prototype.click = click;
    return {name, text: await blob.text()};
  }, selector);

// The root element of an XML text, "parsererror" where it is none. `blank` is a page without policy.
export const rootOf = (blank, text) =>
  blank.evaluate(
    (xml) => new DOMParser().parseFromString(xml, "image/svg+xml").documentElement.nodeName,
    text,
  );

export const key = (row) => `${row.encoding} ${row.geometry}`;
export const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
