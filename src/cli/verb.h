// SPDX-License-Identifier: Apache-2.0
// What a verb of the command line is. One file per verb in verbs/, each with
// register_<verb>(VerbRegistry&); nothing else includes them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sextant/matrix.h"

// <CLI/CLI.hpp> takes longer to compile than most of what would include it: only the units that
// define options, read them back or parse do.
namespace CLI {
class App;
}

namespace sextant {
class Communicator;
Communicator& alone();
}  // namespace sextant

namespace sextant::cli {

inline constexpr char kProgramDoc[] = "a laboratory for positional encodings";

enum class Color { kAuto, kAlways, kNever };

// Options that stand before or after the verb.
struct Globals {
  bool json = false;
  bool quiet = false;
  Color color = Color::kAuto;
  Index threads = 1;
  std::optional<Index> seed = {};
  Communicator* ranks = &alone();  // the processes of this job
};

struct Example {
  std::string_view command;
  std::string_view meaning;
};

struct Verb {
  std::string name;
  std::string doc;          // one sentence without a full stop
  CLI::App* app = nullptr;  // its options and its positional arguments
  std::vector<Example> examples = {};
  bool argument_is_optional = false;
  // Which global options do something here; the others are a usage error beside this verb.
  // --quiet and --color are always welcome: what they promise holds for every verb.
  bool takes_json = false;
  bool takes_threads = false;
  bool takes_seed = false;
  bool takes_ranks = false;       // under mpirun and srun its work is shared by the ranks
  std::function<int()> run = {};  // returns the exit status
};

class VerbRegistry {
 public:
  VerbRegistry(CLI::App& root, const Globals& globals) : root_(root), globals_(globals) {}

  // The reference stays valid.
  Verb& add(const std::string& name, const std::string& doc);

  const CLI::App& root() const { return root_; }
  const Globals& globals() const { return globals_; }
  const std::vector<std::unique_ptr<Verb>>& verbs() const { return verbs_; }

 private:
  CLI::App& root_;
  const Globals& globals_;
  std::vector<std::unique_ptr<Verb>> verbs_;
};

}  // namespace sextant::cli
