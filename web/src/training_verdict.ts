// SPDX-License-Identifier: Apache-2.0
// What a training run says, in words: who reaches the best baseline, who keeps that at longer
// lengths, whom the seeds cannot tell apart, what failed.
import {exists, num} from "./format";
import {
  baselinesAt,
  homeLength,
  order,
  summariesAt,
  unfinished,
  type Summary,
  type Training,
} from "./training_data";

export const level = 0.05; // of the tests

type Standing = "better" | "alike" | "worse";

// Against the best baseline of its length: by the 95 % interval of the mean, by the value where there
// is none.
function standing(training: Training, summary: Summary & {mean: number}, value: number): Standing {
  const [low, high] = summary.ci ?? [summary.mean, summary.mean];
  if (low <= value && value <= high) return "alike";
  return order(training, summary.mean, value) < 0 ? "better" : "worse";
}

function standingsAt(training: Training, length: number): Map<string, Standing> {
  const best = baselinesAt(training, length)[0];
  if (!best) return new Map();
  return new Map(
    summariesAt(training, length).map((summary) => [
      summary.encoding,
      standing(training, summary, best.value),
    ]),
  );
}

const named = (standings: Map<string, Standing>, kind: Standing): string[] =>
  [...standings].filter(([, own]) => own === kind).map(([encoding]) => encoding);

const listed = (words: (string | number)[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

const sentence = (head: string, names: string[]): string[] =>
  names.length > 0 ? [`${head}: ${names.join(", ")}.`] : [];

function homeSentences(training: Training): string[] {
  const home = homeLength(training);
  const best = baselinesAt(training, home)[0];
  if (!best)
    return ["The task has no baseline for this metric: values can be compared with each other only."];
  const standings = standingsAt(training, home);
  return [
    `The best baseline at length ${home} is ${best.name}, ${num(best.value)}.`,
    ...sentence("Better", named(standings, "better")),
    ...sentence("Cannot be told from it", named(standings, "alike")),
    ...sentence("Worse", named(standings, "worse")),
  ];
}

const longer = ({options}: Training): number[] =>
  options.test_lengths.filter((length) => length > options.train_length).sort((a, b) => a - b);

// Those that reach the best baseline in training, with the first longer length at which they are worse
// than the best one there, or have no number.
function lossesBeyond(training: Training): {encoding: string; lost: number | null}[] {
  const beyond = longer(training).map((length) => ({length, standings: standingsAt(training, length)}));
  const home = standingsAt(training, homeLength(training));
  return [...named(home, "better"), ...named(home, "alike")].map((encoding) => ({
    encoding,
    lost: beyond.find(({standings}) => (standings.get(encoding) ?? "worse") === "worse")?.length ?? null,
  }));
}

function beyondSentences(training: Training): string[] {
  const lengths = longer(training);
  const found = lossesBeyond(training);
  if (lengths.length === 0 || found.length === 0) return [];
  const kept = found.filter(({lost}) => lost === null).map(({encoding}) => encoding);
  const lost = found.flatMap(({encoding, lost: at}) => (at === null ? [] : [`${encoding} (from ${at})`]));
  return [
    ...sentence(`Reach the best baseline of ${listed(lengths)} too`, kept),
    ...sentence("Reach it in training and lose it beyond", lost),
  ];
}

function testSentence(training: Training, length: number): string[] {
  const reference = training.options.against ?? summariesAt(training, length)[0]?.encoding;
  const pairs = training.comparisons.filter(({b, length: at}) => at === length && b === reference);
  if (pairs.length === 0) return [];
  const alike = pairs.filter(({p_holm}) => !exists(p_holm) || p_holm >= level).map(({a}) => a);
  const who = training.options.against ? reference : `${reference}, the best`;
  return alike.length > 0
    ? [`At length ${length} these seeds cannot tell from ${who}: ${alike.join(", ")}.`]
    : [`At length ${length} all differ from ${who}, by more than seeds explain.`];
}

function testSentences(training: Training): string[] {
  if (training.options.seeds < 2) return ["With one seed nothing can be tested."];
  const lengths = new Set([homeLength(training), ...longer(training).slice(-1)]);
  return [...lengths].flatMap((length) => testSentence(training, length));
}

function failureSentence(training: Training): string[] {
  const failed = unfinished(training);
  if (failed.length === 0) return [];
  const names = failed.slice(0, 6).map(({encoding, seed, end}) => `${encoding} seed ${seed} (${end})`);
  const more = failed.length > names.length ? ["others"] : [];
  return [
    `${failed.length} of ${training.trials.length} trials ${failed.length === 1 ? "has" : "have"} no result: ${listed([...names, ...more])}.`,
  ];
}

function headline(training: Training): string {
  const home = homeLength(training);
  const all = summariesAt(training, home);
  if (all.length === 0) return `No encoding has a result on ${training.task}.`;
  const where = home === training.options.train_length ? "the length of training" : `length ${home}`;
  const best = baselinesAt(training, home)[0];
  if (!best) return `At ${where} ${all[0]!.encoding} is the best of ${all.length} on ${training.task}.`;
  const found = lossesBeyond(training);
  const kept = found.filter(({lost}) => lost === null).length;
  const first = `At ${where} ${found.length} of ${all.length} encodings reach the best baseline of ${training.task}`;
  if (found.length === 0 || longer(training).length === 0) return `${first}.`;
  return `${first}; ${kept === 0 ? "none keeps it" : kept === 1 ? "one keeps it" : `${kept} keep it`} beyond.`;
}

// Each paragraph is on one question.
export function trainingVerdict(training: Training): {headline: string; paragraphs: string[]} {
  return {
    headline: headline(training),
    paragraphs: [
      homeSentences(training),
      beyondSentences(training),
      testSentences(training),
      failureSentence(training),
    ]
      .map((sentences) => sentences.join(" "))
      .filter((text) => text !== ""),
  };
}
