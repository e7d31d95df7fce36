// SPDX-License-Identifier: Apache-2.0
// What `sextant bench` measures: a case is work with an answer that can be checked, beside a plain
// loop over the same bytes and other ways to the same answer. The cases are a catalogue: one file
// per group in bench_cases/.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sextant/matrix.h"

namespace sextant {

struct BenchSize {
  bool quick = false;  // small sizes; goals do not speak of them
  Index threads = 1;   // of our work and of the plain loops
};

// Something that is timed in turns with a case.
struct Rival {
  std::string name = {};  // "read and write in place"
  std::function<void()> run = {};
};

// The same work in Python: a function of run/bench_peers.py, for some of its libraries.
struct PeerTask {
  std::string function = {};                              // "rotary"
  std::vector<std::string> libraries = {};                // "numpy", "torch", "scipy"
  std::vector<std::pair<std::string, Index>> sizes = {};  // its arguments, by name
  std::string dtype = "f32";
  double bytes = 0.0;  // of memory that it takes
};

// A speed to reach: `least` times that of a rival or a library, or `least` units in a second.
struct SpeedGoal {
  std::string_view id = {};       // "R1", as docs/bench.md numbers them
  std::string_view against = {};  // the name of a rival or a library; empty: units in a second
  double least = 0.0;
};

// A case at one size, ready to run.
struct BenchWork {
  std::string size = {};            // "2048 tokens, 32 + 8 heads of 128, f32"
  double amount = 0.0;              // what one run() handles
  std::string_view unit = "bytes";  // of `amount`, in the plural
  std::function<void()> run = {};
  // What is wrong with the answer after the first run(); empty: it is right.
  std::function<std::string()> fault = {};
  Rival plain = {};  // a loop over the same bytes
  std::vector<Rival> others = {};
  Index most_repeats = 1000;  // fewer for work of many seconds
  std::optional<PeerTask> peer = {};
};

struct BenchCase {
  std::string_view name = {};      // as typed: [a-z0-9-]+
  std::string_view measures = {};  // one sentence without a full stop
  std::vector<SpeedGoal> goals = {};
  std::function<double(const BenchSize&)> bytes = {};  // of memory that prepare() and run() take
  std::function<BenchWork(const BenchSize&)> prepare = {};
};

class BenchRegistry {
 public:
  void add(BenchCase each) { cases_.push_back(std::move(each)); }
  std::span<const BenchCase> cases() const { return cases_; }
  std::vector<std::string> names() const;

  // The cases of these names in the order of the catalogue, each once; all for no name. The words
  // that a name begins with stand for all that begin so: "rotary" for "rotary-table" too. Throws
  // kUsage with the nearest name where there is none.
  std::vector<const BenchCase*> chosen(std::span<const std::string> names) const;

 private:
  std::vector<BenchCase> cases_;
};

// All cases of the library.
const BenchRegistry& bench_cases();

}  // namespace sextant
