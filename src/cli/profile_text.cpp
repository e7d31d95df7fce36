// SPDX-License-Identifier: Apache-2.0
#include "cli/profile_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/classify_text.h"

namespace sextant::cli {
namespace {

constexpr std::size_t kNameWidth = 17;
constexpr std::size_t kActsWidth = 11;

std::string shown_name(const EncodingProfile& profile) {
  return profile.encoding + (profile.initial_draw ? " *" : "");
}

// `text` in a column, or on a line of its own where it is longer.
std::string cell(const std::string& text, std::size_t width) {
  if (text.size() <= width) return fmt::format("{:<{}}", text, width);
  return fmt::format("{}\n{:<{}}", text, "", width);
}

std::string name_and_acts(const EncodingProfile& profile) {
  if (profile.acts.size() > kActsWidth)
    return cell(fmt::format("{}  {}", shown_name(profile), profile.acts),
                kNameWidth + 1 + kActsWidth);
  return fmt::format("{} {:<{}}", cell(shown_name(profile), kNameWidth), profile.acts, kActsWidth);
}

// At most seven columns.
std::string short_number(double value) {
  if (std::isnan(value)) return "-";
  std::string text = fmt::format("{:.3g}", value);
  if (text.size() > 7) text = fmt::format("{:.1e}", value);
  return text.size() > 7 ? fmt::format("{:.0e}", value) : text;
}

// Of position t, or "-" where the encoding has ended.
std::string point_text(const EncodingProfile& profile, Index t, double ProfilePoint::*value) {
  const auto at = static_cast<std::size_t>(t);
  return at < profile.points.size() ? short_number(profile.points[at].*value) : "-";
}

std::string actions_table(std::span<const EncodingProfile> profiles, const ProfileOptions& options,
                          const Style& style) {
  const Index n = options.train, last = options.to - 1;
  std::string text = style.bold("What positions do") + "\n";
  text += style.dim(fmt::format("{:<17} {:<11} {:>15} {:>15}\n", "", "", "norm at", "nearest at"));
  text += style.dim(fmt::format("{:<17} {:<11} {:>7} {:>7} {:>7} {:>7} {:>8} {}\n", "encoding",
                                "acts by", n, last, n, last, "distinct", "tail"));
  for (const EncodingProfile& profile : profiles) {
    if (profile.points.empty()) continue;
    text += fmt::format(
        "{} {:>7} {:>7} {:>7} {:>7} {:>8} {}\n", name_and_acts(profile),
        point_text(profile, n, &ProfilePoint::norm), point_text(profile, last, &ProfilePoint::norm),
        point_text(profile, n, &ProfilePoint::nearest),
        point_text(profile, last, &ProfilePoint::nearest), profile.distinct, name(profile.tail));
  }
  return text;
}

std::string departures_table(std::span<const EncodingProfile> profiles, const Style& style) {
  // Nothing stays within a range that ends first.
  const auto without = [](const EncodingProfile& profile) {
    return profile.reason.empty() ? "." : "-";
  };
  std::string text = style.bold("First position outside of the range of training") + "\n";
  text +=
      style.dim(fmt::format("{:<17} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7}\n", "encoding",
                            "norm", "nearest", "alike", "gram", "logit", "beyond", "keys", "lag"));
  for (const EncodingProfile& profile : profiles) {
    if (profile.points.empty()) continue;
    text += cell(shown_name(profile), kNameWidth);
    for (const EncodingProfile::Departure& departure : profile.departures)
      text += departure.position ? fmt::format(" {:>7}", *departure.position)
                                 : fmt::format(" {:>7}", without(profile));
    text += "\n";
  }
  return text;
}

std::string reasons(std::span<const EncodingProfile> profiles) {
  std::string text;
  for (const EncodingProfile& profile : profiles) {
    if (profile.reason.empty()) continue;
    const std::string what = profile.points.empty()
                                 ? "no profile"
                                 : fmt::format("ends after {} positions", profile.points.size());
    text += wrapped(fmt::format("{}: {}: {}", profile.encoding, what, profile.reason),
                    output_width(), 2) +
            "\n";
  }
  return text;
}

std::string legend(const ProfileOptions& options) {
  const std::string sentences[] = {
      fmt::format("A position t stands for row t of a table and for lag t of everything relative; "
                  "training is 0 to {}.",
                  options.train - 1),
      ("norm: of the row, operator (Frobenius over sqrt d), bias over the heads. nearest: distance "
       "to the closest other position. alike: how many other positions do the same, within "
       "rounding; distinct: how many different ones there are."),
      ("gram: drift of the kernel of the latest positions against that of the first. logit: of q = "
       "k = (1, ..., 1) in the first head; its range is that of all pairs of training, and a query "
       "departs by any of its keys."),
      ("beyond, keys, lag: attention without content in the first head (ALiBi: its steepest; "
       "others reach farther): weight on keys beyond training (new rows of a table, else new "
       "lags), "
       "exp of the entropy, mean lag. tail: the weights of the last query on such keys."),
      ("A dot stays within the range of training, a dash ends first. A star is learned: an initial "
       "draw, not trained values. docs/profile.md has the definitions.")};
  std::string text;
  for (const std::string& sentence : sentences) text += wrapped(sentence, output_width(), 0) + "\n";
  return text;
}

PlotSeries series_of(const EncodingProfile& profile, double ProfilePoint::*value) {
  Vector values;
  values.reserve(profile.points.size());
  for (const ProfilePoint& point : profile.points) values.push_back(point.*value);
  return lag_series(profile.encoding, values);
}

PlotSeries logarithms(const EncodingProfile& profile) {
  Vector values;
  values.reserve(profile.weights.size());
  for (const double weight : profile.weights) values.push_back(std::log10(weight));
  return lag_series(profile.encoding, values);
}

}  // namespace

std::string profile_text(std::span<const EncodingProfile> profiles, const ProfileOptions& options,
                         const Style& style) {
  std::string text = actions_table(profiles, options, style) + "\n";
  text += departures_table(profiles, style) + "\n";
  if (const std::string missing = reasons(profiles); !missing.empty()) text += missing + "\n";
  text += style.dim(legend(options));
  // T12 stands beside every extrapolation.
  text += wrapped(
              "No bound promises that a trained model generalises to longer sequences: none can be "
              "computed even for two-layer C-RASP programs (T12, arXiv:2603.02238).",
              output_width(), 0) +
          "\n";
  return text;
}

std::string profile_plots(std::span<const EncodingProfile> profiles, const Style& style) {
  std::vector<PlotSeries> norms, logits, weights;
  for (const EncodingProfile& profile : profiles) {
    norms.push_back(series_of(profile, &ProfilePoint::norm));
    logits.push_back(series_of(profile, &ProfilePoint::logit));
    weights.push_back(logarithms(profile));
  }
  return "\n" + lag_plot(norms, "norm of what a position does", style, "position") + "\n" +
         lag_plot(logits, "logit of query t at key 0 without content, first head", style) + "\n" +
         lag_plot(weights, "log10 of the attention weights of the last query", style);
}

}  // namespace sextant::cli
