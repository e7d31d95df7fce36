// SPDX-License-Identifier: Apache-2.0
#include "training/trial_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "base/hash.h"
#include "base/text.h"
#include "encoding/params.h"
#include "io/json_input.h"
#include "training/trial_json.h"

namespace sextant {
namespace {

constexpr std::size_t kStem = 40;  // characters of a folder's name that one can read
constexpr std::uint64_t kFolderSeed = 0x747269616C000001;
constexpr std::uint64_t kMostResultBytes = std::uint64_t{1} << 28;

std::string stem(std::string_view spec) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  std::string text;
  for (const char c : spec.substr(0, kStem)) {
    if (plain(c)) {
      text += c;
    } else if (!text.empty() && text.back() != '-') {
      text += '-';
    }
  }
  if (text.ends_with('-')) text.pop_back();
  return text.empty() ? "trial" : text;
}

// Some sites refuse a position only when they are asked for it.
void try_position(const Effects& effects, const TransformerShape& model, Index position) {
  const auto t = static_cast<double>(position);
  Vector row(static_cast<std::size_t>(model.dim));
  if (effects.input) effects.input->row(t, row);
  if (effects.logit) effects.logit->at(0, t, 0.0);
  if (effects.key_offset) effects.key_offset->at(0, t, 0.0);
}

// The canonical spec. A seed of a first draw that the user set stays, though it be the default:
// without one the draw is that of the trial's seed.
std::string trial_spec(const EncodingSpec& parsed, const Encoding& encoding) {
  EncodingSpec result = EncodingSpec::parse(encoding.spec());
  for (std::size_t i = 0; i < result.terms.size(); ++i) {
    EncodingSpec::Term& term = result.terms[i];
    const EncodingInfo& info = sextant::encodings().info(term.name);
    if (info.needs_values && sets(parsed.terms[i], "seed") && !sets(term, "seed"))
      term.arguments.push_back({"seed", std::string(find_param(info, "seed")->default_text), 0});
  }
  return result.text();
}

bool has_term(const EncodingSpec& spec, std::string_view name) {
  return std::ranges::find(spec.terms, name, &EncodingSpec::Term::name) != spec.terms.end();
}

}  // namespace

std::vector<std::string> trial_encodings(std::span<const std::string> specs, const Trial& common) {
  Index longest = std::max(common.train_length, common.attention_length);
  for (const Index length : common.test_lengths) longest = std::max(longest, length);
  std::vector<std::string> result;
  result.reserve(specs.size());
  for (const std::string& spec : specs) {
    EncodingSpec parsed = EncodingSpec::parse(spec);
    for (EncodingSpec::Term& term : parsed.terms) add_training_length(term, common.train_length);
    const std::unique_ptr<Encoding> encoding = encodings().make(parsed.text());
    try_position(transformer_effects(*encoding, common.model, longest), common.model, longest - 1);
    std::string canonical = trial_spec(parsed, *encoding);
    require(std::ranges::find(result, canonical) == result.end(), escaped(spec),
            "stands twice in the list of encodings");
    result.push_back(std::move(canonical));
  }
  for (const std::string& name : common.learn) {
    require(
        std::ranges::any_of(
            result, [&](const auto& spec) { return has_term(EncodingSpec::parse(spec), name); }),
        "--learn", "'{}' is in none of the encodings", escaped(name));
  }
  return result;
}

std::vector<PlannedTrial> trial_plan(const Trial& common, std::span<const std::string> encodings,
                                     Index seeds) {
  std::vector<PlannedTrial> plan;
  plan.reserve(static_cast<std::size_t>(seeds) * encodings.size());
  for (Index i = 0; i < seeds; ++i) {
    for (const std::string& encoding : encodings) {
      Trial trial = common;
      trial.encoding = encoding;
      std::erase_if(trial.learn, [spec = EncodingSpec::parse(encoding)](const std::string& name) {
        return !has_term(spec, name);
      });
      trial.seed = common.seed + static_cast<std::uint64_t>(i);
      std::string folder = trial_folder(trial);
      plan.push_back({std::move(trial), std::move(folder)});
    }
  }
  return plan;
}

Index part_of_trial(Index number, Index encodings, Index parts) {
  // One after the other, and a step more each time that encodings and parts come round together.
  return (number + number / std::max<Index>(1, std::lcm(encodings, parts))) % parts;
}

std::string trial_folder(const Trial& trial) {
  return fmt::format("{}-s{}-{:016x}", stem(trial.encoding), trial.seed,
                     hash(trial_key(trial), kFolderSeed));
}

std::optional<TrialResult> finished_trial(const std::filesystem::path& folder, const Trial& trial,
                                          const std::string& corpus_hash,
                                          const std::string& files_hash) {
  const std::filesystem::path file = folder / kResultName;
  std::error_code none;
  if (!std::filesystem::exists(file, none)) return {};
  TrialResult result;
  try {
    result = read_trial_result(read_json(file, kMostResultBytes), path_text(file));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kMalformed) throw;
    fail(ErrorCode::kCheckpoint, error.what(), "delete it to train this trial anew");
  }
  if (trial_key(result.trial) != trial_key(trial)) return {};
  if (result.corpus_hash != corpus_hash) {
    fail(ErrorCode::kCheckpoint, path_text(file),
         "the corpus is not the one of this trial; --force starts anew");
  }
  if (result.files_hash != files_hash) {
    fail(ErrorCode::kCheckpoint, path_text(file),
         "a file that the trial names is not the one of then; --force starts anew");
  }
  return result;
}

}  // namespace sextant
