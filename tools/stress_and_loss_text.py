# SPDX-License-Identifier: Apache-2.0
"""The numbers of stress_and_loss.py as sentences and tables; which sentence it is, they decide."""

import math

from rank_statistics import mean

ALPHA = 0.05
LOW_RELIABILITY = 0.5  # below it, seeds make more of the differences than encodings do
OUTCOMES = {"loss": "the loss at the training length",
            "growth": "the growth of the loss beyond the training length"}


def number(value, digits=3):
    return "" if value is None else f"{value:.{digits}f}"


def small(value):
    return "" if value is None else f"{value:.2g}"


def p_text(p, draws):
    """p of `draws` reorderings is never below 1 / (draws + 1)."""
    return f"p < {2 / draws:.1g}" if p * draws < 2 else f"p = {p:.2g}"


def deviation(values):
    if len(values) < 2:
        return None
    centre = mean(values)
    return math.sqrt(math.fsum((each - centre) ** 2 for each in values) / (len(values) - 1))


def with_spread(values, digits=3):
    if not values:
        return ""
    spread = deviation(values)
    return number(mean(values), digits) + ("" if spread is None else f" +- {number(spread, digits)}")


def tested(correlations):
    return sum(each["p"] is not None for each in correlations)


def finding(each, draws, tests):
    """One correlation in words."""
    what = f"{each['predictor']} and {OUTCOMES[each['outcome']]}"
    value = each["value"]
    if value is None:
        return f"{what}: no correlation, since one of them is the same for all encodings."
    interval = each["interval"]
    numbers = f"Spearman {value:+.2f}" + (
        f" (bootstrap {interval[0]:+.2f} to {interval[1]:+.2f})" if interval else "")
    numbers += f", {each['n']} encodings, {p_text(each['p'], draws)}"
    if each["p_holm"] < ALPHA:
        way = "rise together" if value > 0 else "go opposite ways"
        return f"{what} {way}: {numbers}; {small(each['p_holm'])} after Holm's correction over {tests}."
    if each["p"] < ALPHA:
        return (f"{what}: {numbers}. Alone that would count; it does not after Holm's correction "
                f"over the {tests} correlations of the study ({small(each['p_holm'])}).")
    return f"{what}: not shown; {numbers}, and one chance in twenty is beyond {each['critical']:.2f}."


def answer(task, correlations):
    """Of corrected stress, with and without the encodings whose values are drawn."""
    chosen = [each for each in correlations
              if each["task"] == task["name"] and each["outcome"] == "loss" and
              each["kind"] == "Spearman" and each["predictor"] == "corrected stress" and
              each["value"] is not None]
    shown = [each for each in chosen if each["p_holm"] < ALPHA]
    if not chosen:
        return "Stress predicts nothing here that could be counted: too few encodings have both."
    if len(shown) == len(chosen) and all(each["value"] > 0 for each in shown):
        return "Here lower corrected stress goes with lower loss, in every reading that was made."
    if len(shown) == len(chosen) and all(each["value"] < 0 for each in shown):
        return "Here lower corrected stress goes with higher loss, in every reading that was made."
    if shown:
        return (f"Whether corrected stress predicts the loss depends on the reading: it does in "
                f"{len(shown)} of {len(chosen)}.")
    return "This study does not show that corrected stress predicts the loss."


def noise(task, outcome):
    value = task["reliability"][outcome]
    if value is None:
        return f"The noise of {OUTCOMES[outcome]} cannot be told from one seed or one encoding."
    share = f"{100 * min(1.0, 1 - value):.0f} %"
    text = (f"Seeds make {share} of the variance of {OUTCOMES[outcome]} between encodings "
            f"(means over seeds; reliability {value:.2f})")
    if value <= 0:
        return text + ": these seeds show no difference between encodings that could be predicted."
    text += f", so that a perfect predictor would reach a correlation of about {math.sqrt(value):.2f}"
    return text + (": too noisy for an answer." if value < LOW_RELIABILITY else ".")


def spread_of_loss(task):
    means = {each["encoding"]: mean(each["outcomes"]["loss"]) for each in task["encodings"]
             if each["outcomes"]["loss"]}
    if len(means) < 2:
        return "Fewer than two encodings have a loss."
    best, worst = min(means, key=means.get), max(means, key=means.get)
    text = f"The loss goes from {means[best]:.3f} ({best}) to {means[worst]:.3f} ({worst})"
    if "none" in means:
        better = sum(each < means["none"] for each in means.values())
        text += f"; without an encoding it is {means['none']:.3f}, and {better} of {len(means) - 1} " \
                "encodings are below that"
    return text + "."


def sentences(document):
    """{task: [sentence]}."""
    correlations = document["correlations"]
    tests, draws = tested(correlations), document["setup"]["reorderings"]
    result = {}
    for task in document["tasks"]:
        said = [answer(task, correlations), spread_of_loss(task)]
        for outcome in task["reliability"]:
            said.append(noise(task, outcome))
            for each in correlations:
                headline = each["kind"] == "Spearman" and each["subset"] == "all" and (
                    outcome == "growth" or each["predictor"] == "corrected stress")
                if headline and each["task"] == task["name"] and each["outcome"] == outcome:
                    text = finding(each, draws, tests)
                    said.append(text[0].upper() + text[1:])
        result[task["name"]] = said
    return result


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]


def encoding_table(task):
    lengths = [str(length) for length in task["setup"]["tests"]]
    profile = next((each["profile"] for each in task["encodings"] if each["profile"]), {})
    head = ["encoding", *(f"loss at {length}" for length in lengths), "raw", "scaled", "corrected",
            "corrected, brownian", *profile]
    rows = []
    order = lambda each: mean(each["outcomes"]["loss"]) if each["outcomes"]["loss"] else math.inf
    for each in sorted(task["encodings"], key=order):
        line, brownian = each["stress"]["line"] or {}, each["stress"]["brownian"] or {}
        rows.append([f"`{each['encoding']}`" + (" (drawn)" if each["drawn"] else ""),
                     *(with_spread(each["losses"].get(length)) for length in lengths),
                     *(number(line.get(kind)) for kind in ("raw", "scaled", "corrected")),
                     number(brownian.get("corrected")),
                     *(small((each["profile"] or {}).get(name)) for name in profile)])
    return table(head, rows)


def correlation_table(task, correlations):
    rows = []
    for each in correlations:
        if each["task"] == task["name"]:
            interval = each["interval"]
            rows.append([each["subset"], each["outcome"], each["predictor"], each["kind"], each["n"],
                         number(each["value"], 2),
                         f"{interval[0]:.2f} to {interval[1]:.2f}" if interval else "",
                         small(each["p"]), small(each["p_holm"]),
                         ", ".join(number(value, 2) for value in each["by_seed"])])
    return table(["encodings", "outcome", "predictor", "kind", "n", "value", "95 %", "p", "p (Holm)",
                  "each seed"], rows)


def left_out(task):
    no_stress = [each["encoding"] for each in task["encodings"] if each["stress"]["line"] is None]
    drawn = [each["encoding"] for each in task["encodings"] if each["drawn"]]
    lines = ["No stress, since every distance is 0 or would be negative, and hence in no correlation "
             "with it: " +
             (", ".join(f"`{each}`" for each in no_stress) or "none of them") + ".",
             "Values drawn at random, whose stress is that of noise: " +
             (", ".join(f"`{each}`" for each in drawn) or "none of them") + "."]
    if task["left_out_causal_only"]:
        lines.append("Not trained, since they need a causal mask: " +
                     ", ".join(f"`{each}`" for each in task["left_out_causal_only"]) + ".")
    for each in task["missing"]:
        lines.append(f"No loss: `{each['encoding']}`, seed {each['seed']}, length {each['length']}: "
                     f"{each['reason']}. The encoding is left out at this length.")
    return [f"- {line}" for line in lines]


def setup_text(task, setup):
    at = task["setup"]
    facts = task["geometry"]
    lines = [f"`{task['task']}`: {setup['layers']} layers, width {setup['dim']}, {setup['heads']} heads, "
             f"{setup['hidden']} hidden units, {at['steps']} steps of {setup['batch']} sequences of length "
             f"{at['train']}, largest rate {setup['rate']:g}, {setup['seeds']} seeds, {setup['vocabulary']} "
             f"words and one for all others, {'causal' if at['causal'] else 'bidirectional'}; "
             f"{at['test_sequences']} sequences for each test.",
             "",
             f"Geometry: {facts['positions']} positions (`--length {at['count']}`), {facts['sequences']} "
             f"sequences, {facts['left_out']} positions left out, signal fraction "
             f"{facts['signal_fraction']:.2f}, stationary floor {number(facts['stationary_floor'])}, "
             f"ceiling {number(facts['ceiling'])}."]
    known = [f"{each['name']} {each['value']:.3f}" for each in task["baselines"]
             if each["metric"] == "loss" and each["length"] == at["train"]]
    return lines + ["", f"Losses that need no learning, at length {at['train']}: {', '.join(known)}."]


def markdown(document):
    setup = document["setup"]
    lines = ["# Stress and loss", "", document["question"], ""]
    if setup["quick"]:
        lines += ["**A quick run: a few steps, which decide nothing.**", ""]
    for task in document["tasks"]:
        lines += [f"## {task['name']}", "", *setup_text(task, setup), ""]
        lines += [f"- {each}" for each in document["sentences"][task["name"]]]
        lines += ["", "### Encodings", "", *encoding_table(task), "", *left_out(task), "",
                  "### Correlations", "", *correlation_table(task, document["correlations"]), ""]
    lines += ["## How it was counted", "",
              "A correlation is across encodings, of means over seeds; *each seed* repeats it for one seed. "
              f"p is two-sided, by all reorderings where there are at most {setup['reorderings']}, else by "
              "so many drawn ones; Holm's correction is over all "
              f"{tested(document['correlations'])} correlations of both tasks. *95 %* is a bootstrap over "
              "encodings. Encodings are a choice, not a sample, and some are alike: p and interval take them for "
              "independent and are too good. What is not shown may still be there.", ""]
    lines += ["## Commands", "", "```", *(" ".join(f"'{word}'" if set(word) & set("(){},") else word
                                                   for word in each)
                                          for each in document["commands"]), "```"]
    return "\n".join(lines) + "\n"
