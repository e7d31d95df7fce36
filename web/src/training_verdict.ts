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
  yardstickAt,
  type Summary,
  type Training,
} from "./training_data";

export const level = 0.05; // of the tests

type Standing = "better" | "reaching" | "undecided" | "worse";

// Against the best baseline of its length: by the 95 % interval of the mean where it is wholly on one
// side, else by the mean. A mean on the worse side reaches nothing, however wide its interval is.
function standing(training: Training, summary: Summary & {mean: number}, value: number): Standing {
  const [low, high] = summary.ci ?? [summary.mean, summary.mean];
  const open = low <= value && value <= high;
  if (order(training, summary.mean, value) <= 0) return open ? "reaching" : "better";
  return open ? "undecided" : "worse";
}

function standingsAt(training: Training, length: number): Map<string, Standing> {
  const best = yardstickAt(training, length);
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

function cautions(training: Training, length: number): string[] {
  return baselinesAt(training, length).flatMap(({name, value, caution}) =>
    caution ? [`${name}, ${num(value)}, is ${caution}, and decides nothing.`] : [],
  );
}

function homeSentences(training: Training): string[] {
  const home = homeLength(training);
  const best = yardstickAt(training, home);
  if (!best)
    return [
      "The task has no baseline for this metric: values can be compared with each other only.",
      ...cautions(training, home),
    ];
  const standings = standingsAt(training, home);
  return [
    `The best baseline at length ${home} is ${best.name}, ${num(best.value)}.`,
    ...cautions(training, home),
    ...sentence("Better", named(standings, "better")),
    ...sentence("Reach it by their mean, while the interval contains it", named(standings, "reaching")),
    ...sentence("Undecided with these seeds", named(standings, "undecided")),
    ...sentence("Worse", named(standings, "worse")),
  ];
}

const longer = ({options}: Training): number[] =>
  options.test_lengths.filter((length) => length > options.train_length).sort((a, b) => a - b);

interface Fate {
  encoding: string;
  end: "kept" | "undecided" | "lost";
  from?: number; // the first length at which it is so
}

// What becomes, at longer lengths, of those that reach the best baseline in training: they lose it
// where they are worse than the best one there, or have no number.
function fates(training: Training): Fate[] {
  const beyond = longer(training).map((length) => ({length, standings: standingsAt(training, length)}));
  const home = standingsAt(training, homeLength(training));
  return [...named(home, "better"), ...named(home, "reaching")].map((encoding): Fate => {
    const first = (kind: Standing): number | undefined =>
      beyond.find(({standings}) => (standings.get(encoding) ?? "worse") === kind)?.length;
    const lost = first("worse"),
      undecided = first("undecided");
    if (lost !== undefined) return {encoding, end: "lost", from: lost};
    return undecided === undefined ? {encoding, end: "kept"} : {encoding, end: "undecided", from: undecided};
  });
}

function beyondSentences(training: Training): string[] {
  const lengths = longer(training);
  const found = fates(training);
  if (lengths.length === 0 || found.length === 0) return [];
  const those = (end: Fate["end"]): string[] =>
    found
      .filter((fate) => fate.end === end)
      .map(({encoding, from}) => (from === undefined ? encoding : `${encoding} (from ${from})`));
  return [
    ...sentence(`Reach the best baseline of ${listed(lengths)} too`, those("kept")),
    ...sentence("Reach it in training and are undecided beyond with these seeds", those("undecided")),
    ...sentence("Reach it in training and lose it beyond", those("lost")),
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

const undecided = (count: number): string => (count > 0 ? ` (${count} undecided)` : "");

function headline(training: Training): string {
  const home = homeLength(training);
  const all = summariesAt(training, home);
  if (all.length === 0) return `No encoding has a result on ${training.task}.`;
  const where = home === training.options.train_length ? "the length of training" : `length ${home}`;
  if (!yardstickAt(training, home))
    return `At ${where} the best of ${all.length} encodings on ${training.task} is \u201c${all[0]!.encoding}\u201d.`;
  const found = fates(training);
  const open = named(standingsAt(training, home), "undecided").length;
  const first = `At ${where} ${found.length} of ${all.length} encodings reach the best baseline of ${training.task}${undecided(open)}`;
  if (found.length === 0 || longer(training).length === 0) return `${first}.`;
  const count = (end: Fate["end"]): number => found.filter((fate) => fate.end === end).length;
  const kept = count("kept");
  const keep = kept === 0 ? "no encoding keeps it" : kept === 1 ? "one keeps it" : `${kept} keep it`;
  return `${first}; ${keep} beyond${undecided(count("undecided"))}.`;
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
