// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/output.h"

namespace sextant::cli {
namespace {

constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr auto kLine = std::chrono::seconds(10);
constexpr double kRateAfter = 1.0;  // seconds until a rate means something
// Work begins slower than it goes on: the time to go is told after some seconds and a share of the
// work, or, where that share takes long, after half a minute.
constexpr double kEtaAfter = 3.0, kEtaShare = 0.01, kEtaAnyway = 30.0;

bool tells_time_to_go(double share, double seconds) {
  return share > 0.0 && share < 1.0 && seconds >= kEtaAfter &&
         (share >= kEtaShare || seconds >= kEtaAnyway);
}

std::string clock_text(double seconds) {
  const auto whole = std::lround(std::min(seconds, 359999.0));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace

std::string progress_line(std::string_view stage, std::uint64_t done, std::uint64_t total,
                          double seconds, std::string_view detail, int columns, bool bytes) {
  std::string line(stage);
  const auto amount = static_cast<double>(done);
  const double share = total > 0 ? std::min(1.0, amount / static_cast<double>(total)) : 0.0;
  if (total > 0) {
    constexpr int kBar = 20;
    const auto filled = static_cast<std::size_t>(share * kBar);
    line += fmt::format(" [{}{}] {:3.0f} %", std::string(filled, '#'),
                        std::string(kBar - filled, '.'), 100.0 * share);
  }
  if (bytes && seconds > kRateAfter && done > 0)
    line += fmt::format("  {:.1f} MB/s", amount / seconds * 1e-6);
  if (tells_time_to_go(share, seconds))
    line += fmt::format("  {} to go", clock_text((1.0 - share) * seconds / share));
  if (!detail.empty()) line += fmt::format("  {}", detail);
  return line.substr(0, static_cast<std::size_t>(std::max(columns - 1, 1)));
}

Progress::Progress(const Globals& globals)
    : quiet_(globals.quiet),
      terminal_(isatty(STDERR_FILENO) == 1),
      started_(Clock::now()),
      shown_(started_) {}

Progress::~Progress() { clear(); }

void Progress::show(const std::string& line) {
  const std::string text = terminal_ ? "\r\033[K" + line : line + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
  drawn_ = terminal_;
  shown_ = Clock::now();
}

void Progress::stage(std::string_view name) {
  const std::lock_guard lock(mutex_);
  stage_ = name;
  started_ = Clock::now();
  if (!quiet_ && terminal_) show(stage_ + " ...");
}

void Progress::show_now_and_then(const std::function<std::string(double)>& line) {
  if (quiet_) return;
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (now - shown_ < (terminal_ ? Clock::duration(kRedraw) : Clock::duration(kLine))) return;
  show(line(std::chrono::duration<double>(now - started_).count()));
}

void Progress::update(std::uint64_t done, std::uint64_t total, std::string_view detail) {
  show_now_and_then([&](double seconds) {
    return progress_line(stage_, done, total, seconds, detail, terminal_ ? output_width() : 1000);
  });
}

void Progress::part(double done, std::string_view detail) {
  constexpr double kWhole = 1e6;
  show_now_and_then([&](double seconds) {
    return progress_line(stage_, static_cast<std::uint64_t>(kWhole * done),
                         static_cast<std::uint64_t>(kWhole), seconds, detail,
                         terminal_ ? output_width() : 1000, false);
  });
}

void Progress::clear() {
  const std::lock_guard lock(mutex_);
  if (!drawn_) return;
  std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

}  // namespace sextant::cli
