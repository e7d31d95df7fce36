// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_text.h"

#include <fmt/format.h>

#include "run/bench_document.h"

namespace sextant::cli {
namespace {

constexpr int kSpeedColumn = 10, kRivalColumn = 32, kTimeColumn = 10;

std::string seconds_text(double seconds) {
  if (seconds >= 1.0) return fmt::format("{:.3g} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (seconds >= 1e-6) return fmt::format("{:.3g} us", seconds * 1e6);
  return fmt::format("{:.3g} ns", seconds * 1e9);
}

std::string verdict_text(const BenchRow& row, const SpeedGoal& goal, const BenchSize& size,
                         const Style& style) {
  const GoalVerdict verdict = judged(row, goal, size);
  const std::string text = goal_text(goal, row.unit);
  if (!verdict.met) return style.dim(fmt::format("{}: not judged, {}", text, verdict.reason));
  return *verdict.met ? style.good(text + ": met") : style.bad(text + ": missed");
}

std::string rival_line(std::string_view name, double seconds, double speed) {
  return fmt::format("{:>{}.3g} x  {:<{}} {:>{}}\n", speed, kSpeedColumn - 2, name, kRivalColumn,
                     seconds_text(seconds), kTimeColumn);
}

std::string row_text(const BenchRow& row, const BenchSize& size, const Style& style) {
  std::string text =
      fmt::format("{}  {}\n", style.bold(row.measured->name), row.measured->measures);
  if (!row.error.empty()) return text + fmt::format("  {}\n", style.bad(row.error));
  text += fmt::format("  {}: {}, {}\n", row.size, style.bold(seconds_text(row.ours.shortest)),
                      rate_text(row.per_second(), row.unit));
  for (const RivalTime& rival : row.rivals)
    text += rival_line(rival.name, rival.shortest, rival.shortest / row.ours.shortest);
  for (const PeerTime& peer : row.peers) {
    text += peer.shortest
                ? rival_line(peer.library, *peer.shortest, *peer.shortest / row.ours.shortest)
                : fmt::format("{:>{}}  {}: {}\n", "-", kSpeedColumn, peer.library, peer.error);
  }
  for (const SpeedGoal& goal : row.measured->goals)
    text += fmt::format("  {}\n", verdict_text(row, goal, size, style));
  if (row.measured->goals.empty()) text += fmt::format("  {}\n", style.dim("no goal"));
  return text;
}

}  // namespace

std::string bench_list_text(std::span<const BenchCase* const> cases, const Style& style) {
  constexpr int kNameColumn = 24;
  std::string text;
  for (const BenchCase* each : cases) {
    const std::string padded = fmt::format("{:<{}}", each->name, kNameColumn);
    text += fmt::format("{}{}\n", style.bold(padded),
                        wrapped(each->measures, output_width(), kNameColumn));
  }
  return text;
}

std::string bench_text(std::span<const BenchRow> rows, const BenchSize& size, const Style& style) {
  const Json provenance = bench_provenance_json();
  std::string text =
      fmt::format("{}, {}, {} thread{}; x is our speed over that of the line\n",
                  provenance["processor"].get<std::string>(),
                  provenance["simd"].is_null() ? "no SIMD" : provenance["simd"].get<std::string>(),
                  size.threads, size.threads == 1 ? "" : "s");
  for (const BenchRow& row : rows) text += "\n" + row_text(row, size, style);
  return text;
}

std::string missing_peers_text(std::span<const PeerLibrary> libraries) {
  std::string text;
  for (const PeerLibrary& library : libraries) {
    if (!library.version.empty()) continue;
    text +=
        fmt::format("{}{} ({})", text.empty() ? "without " : ", ", library.name, library.reason);
  }
  return text;
}

}  // namespace sextant::cli
