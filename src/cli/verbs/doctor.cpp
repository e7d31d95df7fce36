// SPDX-License-Identifier: Apache-2.0
// sextant doctor: what this build consists of, what this computer offers, and whether the numbers
// come out right here.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>

#include "base/memory.h"
#include "cli/output.h"
#include "cli/table_file.h"
#include "io/json.h"
#include "kernels/targets.h"
#include "run/provenance.h"
#include "run/table_plan.h"
#include "sextant/error.h"
#include "sextant/registry.h"
#include "sextant/table.h"

namespace sextant::cli {
namespace {

namespace fs = std::filesystem;

struct Check {
  std::string name;
  bool passed = false;
  std::string detail;
  ErrorCode failure = ErrorCode::kNumeric;  // what the exit status says of it
};

struct Fact {
  std::string_view name;
  std::string value;
};

std::vector<Fact> versions() {
  std::vector<Fact> facts = {{"sextant", std::string(version())},
                             {"compiler", compiler()},
                             {"CLI11", SEXTANT_CLI11_VERSION}};
  for (const LibraryVersion& library : library_versions())
    facts.push_back({library.name, std::string(library.version)});
  return facts;
}

std::string targets_text(const std::vector<SimdTarget>& targets) {
  std::string text;
  bool chosen = false;
  for (const SimdTarget& target : targets) {
    const bool usable = target.compiled && target.supported;
    const std::string_view state = usable && !chosen  ? " (used)"
                                   : usable           ? ""
                                   : target.supported ? " (not compiled)"
                                                      : " (not on this processor)";
    chosen = chosen || usable;
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", target.name, state);
  }
  return text;
}

std::vector<Fact> computer() {
  const std::optional<std::uint64_t> memory = available_memory();
  return {{"SIMD", targets_text(simd_targets())},
          {"cores", std::to_string(std::thread::hardware_concurrency())},
          {"memory", memory ? gigabytes(static_cast<double>(*memory)) + " available" : "unknown"},
          {"output", fmt::format("{}, {}",
                                 isatty(STDOUT_FILENO) == 1
                                     ? fmt::format("terminal of {} columns", output_width())
                                     : "no terminal",
                                 output_is_utf8() ? "UTF-8" : "not UTF-8: plots are in ASCII")}};
}

Check subnormals() {
  volatile double least = std::numeric_limits<double>::min();
  volatile double half = least / 2.0;
  const bool kept = half > 0.0 && half * 2.0 == least;
  return {"subnormal numbers are kept", kept, kept ? "" : "flush-to-zero is on"};
}

Check rounding() {
  volatile double one = 1.0, tiny = 0x1p-60;
  const bool nearest = std::fegetround() == FE_TONEAREST && one + tiny == one && one - tiny == one;
  return {"rounding is to nearest", nearest, nearest ? "" : "another mode is set"};
}

// cos and sin of 10^7 10000^(-2j/64), rounded to float. Computed with 90 decimal digits (Python's
// decimal module: Machin's formula for pi, Taylor series after reduction), not with this library.
struct ExactTurn {
  Index pair;
  float cos, sin;
};
constexpr ExactTurn kExact[] = {{0, -0x1.d085bep-1F, 0x1.aea414p-2F},
                                {1, -0x1.2f7abcp-2F, -0x1.e8ff7ep-1F},
                                {7, -0x1.f84b46p-1F, -0x1.61fbe2p-3F},
                                {16, -0x1.ffac38p-1F, 0x1.24daaap-5F},
                                {31, 0x1.5a4f3ep-4F, 0x1.fe2aaep-1F}};

Check exact_turns() {
  constexpr double kFar = 1e7;
  TableRequest request;
  request.positions = Positions::range(1, kFar);
  request.extent = {.positions = 1, .dim = 64, .heads = 1};
  const std::unique_ptr<Encoding> rope = encodings().make("rope");
  request.kind = TableKind::kCos;
  const Table cos = make_table(*rope, request);
  request.kind = TableKind::kSin;
  const Table sin = make_table(*rope, request);
  for (const ExactTurn& exact : kExact) {
    if (value_at(cos, exact.pair) != static_cast<double>(exact.cos) ||
        value_at(sin, exact.pair) != static_cast<double>(exact.sin)) {
      return {"rope is exact at position 10^7", false, fmt::format("pair {} differs", exact.pair)};
    }
  }
  return {"rope is exact at position 10^7", true, fmt::format("{} pairs", std::size(kExact))};
}

// Written, renamed, read and taken away again, as outputs are.
Check file_writing() {
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  const fs::path path = folder / fmt::format("sextant-doctor-{}", getpid());
  const fs::path temporary = path.string() + ".tmp";
  constexpr std::string_view kText = "sextant\n";
  if (!error) std::ofstream(temporary) << kText;
  if (!error) fs::rename(temporary, path, error);
  const bool whole = !error && fs::file_size(path, error) == kText.size();
  const std::string reason = error ? error.message() : "";
  fs::remove(path, error);
  return {"a file can be written and renamed", whole, reason.empty() ? folder.string() : reason,
          ErrorCode::kUnwritable};
}

std::string section(const Style& style, std::string_view title, const std::vector<Fact>& facts) {
  constexpr int kIndent = 17;
  std::string text = style.bold(title) + "\n";
  for (const Fact& fact : facts) {
    text += fmt::format("  {:<{}}{}\n", fact.name, kIndent - 2,
                        wrapped(fact.value, output_width(), kIndent));
  }
  return text + "\n";
}

std::string report_text(const Style& style, const std::vector<Check>& checks) {
  std::string text = section(style, "Versions", versions()) +
                     section(style, "Computer", computer()) + style.bold("Checks") + "\n";
  for (const Check& check : checks) {
    text += fmt::format("  {}  {}{}\n", check.passed ? style.good("ok  ") : style.bad("FAIL"),
                        check.name, check.detail.empty() ? "" : " (" + check.detail + ")");
  }
  return text;
}

Json report_json(const std::vector<Check>& checks, bool passed) {
  Json json;
  json["schema"] = 1;
  json["verb"] = "doctor";
  for (const Fact& fact : versions()) json["versions"][std::string(fact.name)] = fact.value;
  json["simd"] = Json::array();
  for (const SimdTarget& target : simd_targets()) {
    json["simd"].push_back(
        {{"name", target.name}, {"compiled", target.compiled}, {"supported", target.supported}});
  }
  json["cores"] = std::thread::hardware_concurrency();
  const std::optional<std::uint64_t> memory = available_memory();
  json["memory_available"] = memory ? Json(*memory) : Json(nullptr);
  json["utf8"] = output_is_utf8();
  json["checks"] = Json::array();
  for (const Check& check : checks) {
    json["checks"].push_back(
        {{"name", check.name}, {"passed", check.passed}, {"detail", check.detail}});
  }
  json["passed"] = passed;
  return json;
}

}  // namespace

void register_doctor(VerbRegistry& verbs) {
  Verb& verb = verbs.add("doctor", "Check this build on this computer; show versions");
  verb.examples = {{"sextant doctor", "versions, instruction sets, memory and self-checks"},
                   {"sextant doctor --json", "the same for programs"}};
  verb.takes_json = true;
  verb.run = [&globals = verbs.globals()] {
    const std::vector<Check> checks = {subnormals(), rounding(), exact_turns(), file_writing()};
    const auto failed = std::ranges::find(checks, false, &Check::passed);
    const bool passed = failed == checks.end();
    print(globals.json ? to_text(report_json(checks, passed))
                       : report_text(Style(globals.color), checks));
    return passed ? 0 : exit_status(failed->failure);
  };
}

}  // namespace sextant::cli
