// SPDX-License-Identifier: Apache-2.0
#include "run/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace sextant {
namespace {

constexpr double kCoarse = 0.05;         // stress between halves above which little can be said
constexpr double kSlack = 0.02;          // of the floor that counts as reaching it
constexpr double kLengthsExplain = 0.9;  // correlation with the length-only model
constexpr double kMostlyNoise = 0.1;     // signal fraction below which the first line warns
constexpr double kManyRepeats =
    0.1;  // share of repeated runs above which halves are not independent
constexpr std::size_t kNamesInALine = 6;

std::string named(const ScoreRow& row) {
  const Candidate& c = *row.candidate;
  const bool two_rules = c.geometry == "line" || c.geometry == "brownian";
  return two_rules ? fmt::format("{} ({})", c.encoding, c.geometry) : c.encoding;
}

// Two digits that matter, and no more places than that takes.
std::string number(double value) { return fmt::format("{:.2g}", value); }

std::string thousands(double value) {
  std::string digits = fmt::format("{:.0f}", value), result;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) result += ',';
    result += digits[i];
  }
  return result;
}

// A number that is only an estimate: its first digit or two.
std::string about(double value) {
  const double unit = std::pow(10.0, std::max(0.0, std::floor(std::log10(value)) - 1.0));
  return thousands(std::round(value / unit) * unit);
}

std::string listed(const std::vector<std::string>& names) {
  if (names.size() == 1) return names.front();
  std::string result;
  const std::size_t shown = std::min(names.size(), kNamesInALine);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) result += i + 1 == names.size() ? " and " : ", ";
    result += names[i];
  }
  if (shown < names.size()) result += fmt::format(" and {} more", names.size() - shown);
  return result;
}

// Given laws have no noise: there the plain stress is the true one.
std::optional<double> stress(const ScoreRow& row) {
  return row.stress_corrected ? row.stress_corrected : row.stress_scaled;
}

bool given_laws(const Study& study) { return study.counts.sequences == 0; }

// Rows of encodings, best first; those with an error and the controls are left out.
std::vector<const ScoreRow*> contenders(const Study& study) {
  std::vector<const ScoreRow*> result;
  for (const ScoreRow& row : study.score.rows)
    if (!row.candidate->control && stress(row)) result.push_back(&row);
  return result;
}

const ScoreRow* control(const Study& study, std::string_view encoding) {
  for (const ScoreRow& row : study.score.rows)
    if (row.candidate->encoding == encoding && stress(row)) return &row;
  return nullptr;
}

std::string headline(const Study& study, const std::vector<const ScoreRow*>& rows) {
  if (study.target.positions.size() < 2) return "One position has no geometry.";
  if (study.target.indistinguishable)
    return "All positions have the same distribution of tokens: there is no geometry to match.";
  if (rows.empty()) return "No encoding could be scored.";
  std::vector<std::string> tied;
  for (const ScoreRow* row : rows) {
    if (row == rows.front()) continue;
    if (!row->difference || !row->difference->interval) continue;
    if ((*row->difference->interval)[0] <= 0.0) tied.push_back(named(*row));
  }
  std::string text =
      fmt::format("{} comes closest to the geometry of this corpus", named(*rows.front()));
  if (rows.size() == 1) {
    text = fmt::format("Only {} was scored: a stress of {} (0 is a perfect match)",
                       named(*rows.front()), number(*stress(*rows.front())));
    text += ".";
  } else if (tied.empty()) {
    text += rows.front()->interval || given_laws(study)
                ? ", and no other is as close."
                : "; how sure that is could not be estimated.";
  } else {
    text += fmt::format("; {} cannot be told from it.", listed(tied));
  }
  return text;
}

void add_noise(const Study& study, std::vector<std::string>& out) {
  const Target& target = study.target;
  if (given_laws(study)) {
    out.emplace_back("The laws are given, not counted: there is no noise to take out.");
    return;
  }
  if (!target.signal_fraction) {
    out.emplace_back(
        "The corpus cannot be split into halves, so that noise cannot be taken out: read the plain "
        "numbers with care.");
    return;
  }
  out.push_back(fmt::format(
      "{:.0f} % of the mean squared distance between positions is real; {:.0f} % is what samples "
      "of "
      "this size show even when all positions have one law. Stresses are against the real part.",
      100.0 * std::max(0.0, *target.signal_fraction),
      100.0 * std::min(1.0, 1.0 - *target.signal_fraction)));
  if (target.rank_supported) {
    out.push_back(
        fmt::format("The data support {} of {} dimensions: so many eigenvalues stand above those "
                    "of shuffled text.",
                    *target.rank_supported, target.positions.size() - 1));
  }
}

void add_controls(const Study& study, const std::vector<const ScoreRow*>& rows,
                  std::vector<std::string>& out) {
  const ScoreRow* flat = control(study, "equidistant");
  if (flat == nullptr || rows.empty()) return;
  std::set<std::string> all, better;
  for (const ScoreRow* row : rows) {
    all.insert(row->candidate->encoding);
    if (*stress(*row) < *stress(*flat)) better.insert(row->candidate->encoding);
  }
  out.push_back(fmt::format(
      "{} of {} encodings do better than equidistant points ({}), which know nothing "
      "of order; the best "
      "has a stress of {} (0 is a perfect match).",
      better.size(), all.size(), number(*stress(*flat)), number(*stress(*rows.front()))));
}

void add_floor(const Study& study, const std::vector<const ScoreRow*>& rows,
               std::vector<std::string>& out) {
  if (!study.target.stationary_floor || rows.empty()) return;
  const double floor = *study.target.stationary_floor, best = *stress(*rows.front());
  if (study.target.ceiling) {
    out.push_back(
        fmt::format("Two halves of this corpus agree with each other to a stress of {}: a match "
                    "cannot be judged "
                    "more finely than that.",
                    number(*study.target.ceiling)));
  }
  const double noise = study.target.ceiling.value_or(0.0);
  if (floor <= kSlack * kSlack) return;  // two positions, or equal steps: any lag will do
  if (best > floor && floor <= 2.0 * noise && noise > kCoarse) {
    out.push_back(
        fmt::format("Any relative encoding stays above {}, but so coarse a corpus cannot tell "
                    "whether an absolute "
                    "one would do better.",
                    number(floor)));
  } else if (floor > 2.0 * noise && best > floor) {
    out.push_back(
        fmt::format("No relative encoding of any kind can go below {}: the geometry depends on "
                    "where a token stands "
                    "and not only on how far apart two stand. For a choice this speaks for an "
                    "absolute part, such "
                    "as a learned or fitted table, beside a relative one.",
                    number(floor)));
  } else if (best < floor * (1.0 - kSlack) && !rows.front()->candidate->by_lag_only()) {
    out.push_back(
        fmt::format("The best encoding is below {}, the least that any relative encoding can "
                    "reach: it is absolute, "
                    "and here that matters.",
                    number(floor)));
  } else {
    out.push_back(
        fmt::format("A relative encoding can go down to {}: for this corpus the lag says nearly "
                    "all, and a relative "
                    "encoding is a sound choice.",
                    number(floor)));
  }
}

}  // namespace

std::string warning(const Study& study) {
  const Target& target = study.target;
  if (target.signal_fraction && *target.signal_fraction < kMostlyNoise) {
    std::string text = fmt::format(
        "Only {:.1f} % of the distance between positions is signal; the rest is the noise "
        "of {} sequences.",
        100.0 * std::max(0.0, *target.signal_fraction), thousands(target.sequences.front()));
    if (target.sequences_needed && target.sequences_needed_at_this_rate) {
      text += fmt::format(
          " At least {} sequences would be needed for one half; at the rate at which the noise "
          "falls "
          "here, about {}.",
          about(*target.sequences_needed), about(*target.sequences_needed_at_this_rate));
    } else if (*target.signal_fraction <= 0.0) {
      text += " No signal was found.";
    }
    return text;
  }
  const Overlap& overlap = study.counts.overlap;
  if (overlap.runs > 0 &&
      static_cast<double>(overlap.repeated) > kManyRepeats * static_cast<double>(overlap.runs)) {
    return fmt::format(
        "{:.0f} % of the sampled eight-token runs occur in more than one sequence: rows are copies "
        "or "
        "parts of each other, so that halves of this corpus are not independent and the corrected "
        "numbers are too sure. Give --group-column where rows have a common source.",
        100.0 * static_cast<double>(overlap.repeated) / static_cast<double>(overlap.runs));
  }
  return "";
}

Verdict verdict(const Study& study) {
  const std::vector<const ScoreRow*> rows = contenders(study);
  Verdict result{.warning = warning(study), .headline = headline(study, rows), .sentences = {}};
  if (study.target.indistinguishable || study.target.positions.size() < 2) return result;
  add_noise(study, result.sentences);
  add_controls(study, rows, result.sentences);
  add_floor(study, rows, result.sentences);
  if (study.target.length_only) {
    const double r = pearson(study.target.plain.values(), study.target.length_only->values());
    result.sentences.push_back(
        fmt::format("The sequences are padded: a model that knows only their lengths explains the "
                    "distances with "
                    "r = {:.3f}.{}",
                    r, r > kLengthsExplain ? " This measures lengths, not language." : ""));
  }
  if (!study.target.excluded.empty()) {
    result.sentences.push_back(
        fmt::format("{} of {} positions are left out of all numbers: too few sequences, or halves "
                    "that disagree.",
                    study.target.excluded.size(), study.target.counts.size()));
  }
  return result;
}

}  // namespace sextant
