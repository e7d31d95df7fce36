// SPDX-License-Identifier: Apache-2.0
#include "cli/inspect_text.h"

#include <fmt/format.h>

#include "base/text.h"

namespace sextant::cli {
namespace {

std::string row(std::string_view label, const std::string& value) {
  return fmt::format("  {:<16} {}\n", label, value);
}

// A row whose value may take several lines.
std::string long_row(std::string_view label, std::string_view value) {
  constexpr std::size_t kIndent = 19;
  const std::string lines =
      wrapped(std::string(kIndent, '.').append(value), output_width(), static_cast<int>(kIndent));
  return row(label, lines.substr(kIndent));
}

// A spec with long lists cut: they are in the JSON.
std::string shown_spec(const std::string& spec) {
  constexpr std::size_t kMost = 200;
  return spec.size() <= kMost ? spec : fmt::format("{} ...", spec.substr(0, kMost));
}

// "0-4, 6-10, ... (40 layers)".
std::string shown_layers(const std::vector<Index>& layers) {
  if (layers.empty()) return "all";
  constexpr int kMostRanges = 6;
  std::string text;
  int ranges = 0;
  for (std::size_t i = 0; i < layers.size() && ranges <= kMostRanges; ++ranges) {
    std::size_t last = i;
    while (last + 1 < layers.size() && layers[last + 1] == layers[last] + 1) ++last;
    if (!text.empty()) text += ", ";
    if (ranges == kMostRanges)
      text += "...";
    else
      text +=
          last == i ? fmt::format("{}", layers[i]) : fmt::format("{}-{}", layers[i], layers[last]);
    i = last + 1;
  }
  return fmt::format("{} ({} layer{})", text, layers.size(), layers.size() == 1 ? "" : "s");
}

std::string rotary_text(const GroupReading& reading) {
  const RotaryOperator& rotary = *reading.rotary;
  std::string text =
      row("pairing", fmt::format("{}, {} of {} coordinates turn", name(rotary.pairing),
                                 rotary.rotary_dim, rotary.head_dim));
  text += row("inv_freq", fmt::format("{:.9g} .. {:.9g}, {} pairs", rotary.inv_freq.front().high,
                                      rotary.inv_freq.back().high, rotary.inv_freq.size()));
  text += row("magnitude", fmt::format("{:.10g}", rotary.magnitude.high));
  if (rotary.softmax_factor != DoubleDouble(1.0))
    text += row("softmax factor", fmt::format("{:.10g}", rotary.softmax_factor.high));
  text += row("wavelengths", fmt::format("longest {:.0f} positions", reading.longest_wavelength));
  if (reading.trained > 0.0)
    text += row("", fmt::format("{} of {} pairs make no full turn in {:.0f} positions",
                                reading.incomplete, rotary.inv_freq.size(), reading.trained));
  for (const std::string& assumption : rotary.assumptions) text += long_row("assumed", assumption);
  return text;
}

std::string group_text(const GroupReading& reading, const Style& style) {
  std::string text = fmt::format("\n{}  {}\n", style.bold(escaped(reading.group.name)),
                                 shown_layers(reading.group.layers));
  if (!reading.error.empty())
    return text + row("encoding", style.bad("cannot be evaluated")) + long_row("", reading.error);
  text += row("encoding", shown_spec(reading.spec));
  return reading.rotary ? text + rotary_text(reading) : text;
}

std::string keys_text(const Model& model, const Style& style) {
  std::string read, ignored;
  for (const KeyUse& use : model.keys) {
    if (!use.consumed)
      ignored += fmt::format("  {}: {}\n", use.pointer, use.reason);
    else
      read += read.empty() ? use.pointer : ", " + use.pointer;
  }
  std::string text;
  if (!read.empty())
    text +=
        fmt::format("\n{}\n  {}\n", style.bold("Keys read"), wrapped(read, output_width() - 2, 2));
  if (!ignored.empty()) text += fmt::format("\n{}\n{}", style.bold("Keys ignored"), ignored);
  return text;
}

}  // namespace

std::string model_text(const ModelReading& reading, const Style& style) {
  const Model& model = reading.model;
  std::string text = fmt::format("{}  {}\n", style.bold(model.source),
                                 model.family.empty() ? "no family named" : escaped(model.family));
  text += row("engine", std::string(release(reading.engine)));
  text +=
      row("sizes", fmt::format("{} layers, {} wide, {} heads ({} of keys), head {}", model.layers,
                               model.hidden, model.heads, model.kv_heads, model.head_dim));
  if (model.max_positions > 0) text += row("positions", fmt::format("{}", model.max_positions));
  if (model.table_rows > 0)
    text += row("table",
                fmt::format("{} rows, {} before position 0", model.table_rows, model.first_row));
  if (!reading.fingerprint.empty()) text += row("fingerprint", reading.fingerprint);
  for (const std::string& line : model.notes) text += long_row("note", line);
  for (const GroupReading& group : reading.groups) text += group_text(group, style);
  return text + keys_text(model, style);
}

}  // namespace sextant::cli
