// SPDX-License-Identifier: Apache-2.0
// Where the command line writes: results on stdout, everything else on stderr.
#pragma once

#include <string>
#include <string_view>

#include "cli/verb.h"

namespace sextant::cli {

// Throws kUnwritable when stdout does not take the text. A reader that has gone away (`| head`) has
// what it wanted: the rest is dropped in silence.
void print(std::string_view text);

// From here on print() drops what it is given: ranks other than the first compute alike and are not
// heard.
void mute_output();

// Writes what print() holds back. Throws like print().
void flush_output();

// One line "sextant: note: ..." on stderr, unless --quiet.
void note(const Globals& globals, std::string_view text);

// Escape sequences for stdout, or nothing where colour is off.
class Style {
 public:
  explicit Style(Color color);
  std::string bold(std::string_view text) const { return wrapped("1", text); }
  std::string dim(std::string_view text) const { return wrapped("2", text); }
  std::string good(std::string_view text) const { return wrapped("32", text); }
  std::string bad(std::string_view text) const { return wrapped("1;31", text); }
  bool on() const { return on_; }

 private:
  std::string wrapped(std::string_view code, std::string_view text) const;
  bool on_;
};

// Columns of the terminal, at most 100; 80 where there is none.
int output_width();

// True when LC_ALL, LC_CTYPE or LANG, the first that is set, asks for UTF-8.
bool output_is_utf8();

// `text` in lines of at most `width` columns, each after the first with `indent` blanks before it.
std::string wrapped(std::string_view text, int width, int indent);

// What a terminal shows of a text in ASCII or UTF-8, in columns.
int columns(std::string_view text);

}  // namespace sextant::cli
