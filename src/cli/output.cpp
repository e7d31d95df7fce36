// SPDX-License-Identifier: Apache-2.0
// Streams, colour and widths of the command line.
#include "cli/output.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/check.h"
#include "base/text.h"

namespace sextant::cli {
namespace {

bool is_mute = false;

void check_output(bool written) {
  if (written || errno == EPIPE) return;
  fail(ErrorCode::kUnwritable, "standard output", "{}", std::strerror(errno));
}

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

}  // namespace

void mute_output() { is_mute = true; }

void print(std::string_view text) {
  if (is_mute) return;
  check_output(std::fwrite(text.data(), 1, text.size(), stdout) == text.size());
}

void flush_output() { check_output(std::fflush(stdout) == 0); }

void note(const Globals& globals, std::string_view text) {
  if (globals.quiet) return;
  const std::string line = fmt::format("sextant: note: {}\n", text);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

Style::Style(Color color)
    : on_(color == Color::kAlways ||
          (color == Color::kAuto && environment("NO_COLOR").empty() &&
           environment("TERM") != "dumb" && isatty(STDOUT_FILENO) == 1)) {}

std::string Style::wrapped(std::string_view code, std::string_view text) const {
  return on_ ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
}

int output_width() {
  constexpr int kUsual = 80, kWidest = 100, kNarrowest = 40;
  winsize size = {};
  if (isatty(STDOUT_FILENO) != 1 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 ||
      size.ws_col == 0) {
    return kUsual;
  }
  return std::clamp(static_cast<int>(size.ws_col), kNarrowest, kWidest);
}

bool output_is_utf8() {
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string locale(environment(variable));
    if (locale.empty()) continue;
    std::transform(locale.begin(), locale.end(), locale.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return locale.find("utf-8") != locale.npos || locale.find("utf8") != locale.npos;
  }
  return false;
}

std::string wrapped(std::string_view text, int width, int indent) {
  std::string result;
  int column = 0;
  for (const std::string_view word : split(text, ' ')) {
    if (word.empty()) continue;
    const int length = columns(word);
    if (column > 0 && column + 1 + length > width) {
      result += '\n';
      result.append(static_cast<std::size_t>(indent), ' ');
      column = indent;
    } else if (column > 0) {
      result += ' ';
      ++column;
    } else {
      column = indent;
    }
    result += word;
    column += length;
  }
  return result;
}

int columns(std::string_view text) {
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [&](char c) { return !continues(c); }));
}

}  // namespace sextant::cli
