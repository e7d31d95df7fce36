// SPDX-License-Identifier: Apache-2.0
// sextant profile: what encodings do beyond the length they were trained at.
#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/profile_text.h"
#include "cli/progress.h"
#include "cli/study_output.h"
#include "run/profile_document.h"

namespace sextant::cli {
namespace {

constexpr Index kTimesTraining = 8;  // how far to look where --to is not given
constexpr std::size_t kMostPlotted = 3;

struct Options {
  std::vector<std::string> specs;
  std::optional<Index> train, to, dim, heads;
  bool all = false;
};

ProfileOptions profile_options(const Options& options) {
  ProfileOptions result;
  result.train = options.train.value_or(result.train);
  result.to = options.to.value_or(result.train < kMostProfilePositions / kTimesTraining
                                      ? kTimesTraining * result.train
                                      : kMostProfilePositions);
  result.dim = options.dim.value_or(result.dim);
  result.heads = options.heads.value_or(result.heads);
  return result;
}

int run(const Options& options, const Globals& globals) {
  require(!options.all || options.specs.empty(), "--all", "must not go with SPEC");
  ProfileOptions wanted = profile_options(options);
  validate(wanted);
  Progress progress(globals);
  progress.stage("profiles");
  wanted.progress = [&progress](double part) { progress.part(part); };
  const std::vector<EncodingProfile> profiles =
      extrapolation_profiles(options.specs, wanted, globals.threads);
  progress.clear();
  // In the catalogue a missing profile is a result; one that was asked for by name is an error.
  for (const EncodingProfile& profile : profiles)
    require(options.specs.empty() || !profile.points.empty(), profile.encoding, "{}",
            profile.reason);
  if (globals.json) {
    Json document = new_document("profile");
    document.update(profiles_json(profiles, wanted, ProfileRows::kAll));
    print(to_text(document));
    return 0;
  }
  const Style style(globals.color);
  std::string text = profile_text(profiles, wanted, style);
  text += profiles.size() <= kMostPlotted
              ? profile_plots(profiles, style)
              : fmt::format(
                    "no plots: more than {} encodings; name fewer, or see the page of "
                    "'sextant report'\n",
                    kMostPlotted);
  print(text);
  return 0;
}

}  // namespace

void register_profile(VerbRegistry& verbs) {
  Verb& verb = verbs.add("profile", "Show what encodings do beyond the length of training");
  const auto options = std::make_shared<Options>();
  const ProfileOptions defaults;
  CLI::App& app = *verb.app;
  add_texts(app, "SPEC", options->specs, "SPEC",
            fmt::format("Encodings: rope, alibi, \"rope(base=500000)+alibi\"; plots for at most {}",
                        kMostPlotted));
  add_flag(app, "--all", options->all, "The whole catalogue; the same as no SPEC");
  add_integer(app, "--train", options->train, 2, kLargest,
              fmt::format("Positions of training, N (default {})", defaults.train));
  add_integer(app, "--to", options->to, 1, kLargest,
              fmt::format("Positions looked at, M > N, at most {} (default {} N, or that)",
                          kMostProfilePositions, kTimesTraining));
  add_integer(app, "--dim", options->dim, 1, kMostDim,
              fmt::format("Width of queries and keys (default {})", defaults.dim));
  add_integer(app, "--heads", options->heads, 1, kMostHeads,
              fmt::format("Heads (default: those of the spec, or {})", defaults.heads));
  verb.argument_is_optional = true;
  verb.examples = {
      {"sextant profile", "the whole catalogue, trained at 64 and looked at to 512"},
      {"sextant profile rope alibi --train 512 --to 4096", "two encodings, with pictures"},
      {"sextant profile 'wavelet(train=50)' --train 50 --to 200",
       "how many positions share one code"},
      {"sextant profile --train 128 --json > profiles.json", "every number of every position"},
  };
  verb.takes_json = verb.takes_threads = true;
  verb.run = [options, &globals = verbs.globals()] { return run(*options, globals); };
}

}  // namespace sextant::cli
