// SPDX-License-Identifier: Apache-2.0
// Compares the ids of `sextant tokenize` with those of Hugging Face's tokenizers on every assigned
// code point in several contexts and on random strings. Not part of ./test: it needs `npm ci` here
// and files of real tokenizers.
//
// usage: node unicode_ids.js SEXTANT TOKENIZER.json [TOKENS [PEER]]
//   SEXTANT         the program
//   TOKENIZER.json  what the peer loads
//   TOKENS          what sextant loads (default tokenizer:TOKENIZER.json); vocab.txt and GPT-2's
//                   folder must give the ids of the json too
//   PEER            tokenizers (default: the reference, in Rust) or @huggingface/tokenizers (its
//                   port to JavaScript)
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [sextant, jsonFile, tokens = `tokenizer:${jsonFile}`, peer = "tokenizers"] =
  process.argv.slice(2);

const CONTEXTS = [
  (c) => c,
  (c) => `a${c}b`,
  (c) => ` ${c}${c} 1${c}2`,
  (c) => `X\u00e9${c}\u0301.${c}'s`,
];
const RANDOM_STRINGS = 30000;

// xorshift32: the same strings in every run.
let state = 20240607;
function random(below) {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % below;
}

function allTexts() {
  const texts = [];
  const assigned = [];
  for (let c = 1; c < 0x110000; ++c) {
    const text = String.fromCodePoint(c);
    const isPrivate = /\p{Co}/u.test(text) && c % 997 !== 0;
    if (/\p{Assigned}/u.test(text) && !/\p{Cs}/u.test(text) && !isPrivate) assigned.push(text);
  }
  for (const c of assigned) for (const context of CONTEXTS) texts.push(context(c));
  for (let i = 0; i < RANDOM_STRINGS; ++i) {
    let text = "";
    for (let n = 1 + random(16); n > 0; --n) {
      const kind = random(4);
      if (kind === 0) text += " ";
      else if (kind === 1) text += String.fromCodePoint(33 + random(94));
      else if (kind === 2) text += assigned[random(4000)];
      else text += assigned[random(assigned.length)];
    }
    texts.push(text);
  }
  return { texts, codePoints: assigned.length };
}

// The numbers of a one-dimensional .npy of our own.
function readNpy(file) {
  const bytes = readFileSync(file);
  const start = 10 + bytes.readUInt16LE(8);
  const wide = bytes.toString("latin1", 10, start).includes("<i8");
  const data = bytes.buffer.slice(bytes.byteOffset + start, bytes.byteOffset + bytes.length);
  return wide ? Array.from(new BigInt64Array(data), Number) : new Int32Array(data);
}

function ourIds(texts) {
  const folder = mkdtempSync(join(tmpdir(), "sextant-oracle-"));
  try {
    const input = join(folder, "texts.jsonl");
    writeFileSync(input, texts.map((text) => JSON.stringify({ text })).join("\n") + "\n");
    const output = join(folder, "ids.npy");
    execFileSync(sextant, ["tokenize", input, "--tokens", tokens, "-o", output, "--quiet"]);
    const ids = readNpy(output);
    let at = 0;
    return readNpy(join(folder, "ids.lengths.npy")).map((n) => ids.subarray(at, (at += n)));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function peerEncoder() {
  const json = JSON.parse(readFileSync(jsonFile, "utf8"));
  json.truncation = json.padding = null;
  const module = await import(peer);
  if (peer === "tokenizers") {
    const tokenizer = (module.default ?? module).Tokenizer.fromString(JSON.stringify(json));
    const options = { addSpecialTokens: false };
    return async (texts) =>
      (await tokenizer.encodeBatch(texts, options)).map((encoding) => encoding.getIds());
  }
  const tokenizer = new module.Tokenizer(json, {});
  return async (texts) =>
    texts.map((text) => tokenizer.encode(text, { add_special_tokens: false }).ids);
}

const { texts, codePoints } = allTexts();
const ours = ourIds(texts);
const encode = await peerEncoder();
const differing = new Map(); // the first character of a context beyond ASCII -> an example
let wrong = 0;
const STEP = 10000;
for (let from = 0; from < texts.length; from += STEP) {
  const theirs = await encode(texts.slice(from, from + STEP));
  theirs.forEach((ids, i) => {
    const at = from + i;
    if (ids.length === ours[at].length && ids.every((id, j) => id === ours[at][j])) return;
    ++wrong;
    const isRandom = at >= codePoints * CONTEXTS.length;
    const key = isRandom ? "random" : texts[at - (at % CONTEXTS.length)].codePointAt(0);
    if (!differing.has(key))
      differing.set(key, { text: texts[at], ours: [...ours[at]], theirs: [...ids] });
  });
}
console.log(`${peer} ${tokens}: ${codePoints} code points, ${texts.length} texts, ${wrong} differ`);
const keys = [...differing.keys()];
console.log(keys.map((k) => (k === "random" ? k : k.toString(16))).join(" ").slice(0, 2000));
for (const key of keys.slice(0, 5)) console.log(JSON.stringify(differing.get(key)));
process.exitCode = wrong === 0 ? 0 : 1;
