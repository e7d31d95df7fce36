// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "encoding/compose.h"
#include "encoding/params.h"
#include "lab/learned.h"

namespace sextant {
namespace {

std::unique_ptr<Encoding> make_term(const EncodingSpec::Term& term, const TensorMap& values = {}) {
  return encodings().make(EncodingSpec{.terms = {term}}.text(), values);
}

void check_learn(const std::vector<std::string>& learn, const EncodingSpec& spec) {
  for (const std::string& name : learn) {
    require(std::ranges::any_of(spec.terms, [&](const auto& term) { return term.name == name; }),
            "learn", "'{}' must be an encoding of {}", escaped(name), spec.text());
    require(learned_encodings().find(name) != nullptr, "learn",
            "{} has nothing to train; these have: {}", name,
            fmt::join(learned_encodings().names(), ", "));
  }
}

// Where the term draws numbers, its first or its only ones, and does not say from which seed.
EncodingSpec::Term with_seed(EncodingSpec::Term term, std::uint64_t seed) {
  const EncodingInfo& info = encodings().info(term.name);
  if (find_param(info, "seed") != nullptr && !sets(term, "seed") && !sets(term, "file"))
    term.arguments.push_back({"seed", std::to_string(seed), 0});
  return term;
}

}  // namespace

EncodingModule::EncodingModule(const std::string& spec, const TransformerShape& shape,
                               Index train_length, const std::vector<std::string>& learn,
                               std::uint64_t seed, const torch::TensorOptions& options)
    : torch::nn::Module("encoding"), shape_(shape), options_(options) {
  const EncodingSpec parsed = EncodingSpec::parse(spec);
  check_learn(learn, parsed);
  for (EncodingSpec::Term term : parsed.terms) {
    add_training_length(term, train_length);
    const LearnedRegistry::Entry* entry = learned_encodings().find(term.name);
    const bool trains =
        entry != nullptr && (entry->always || std::ranges::find(learn, term.name) != learn.end());
    if (!trains) {
      term = with_seed(std::move(term), seed);
      std::unique_ptr<Encoding> fixed = make_term(term);
      terms_.push_back({.term = std::move(term), .fixed = std::move(fixed), .learned = nullptr});
      continue;
    }
    const EncodingSpec::Term start = with_seed(term, seed);
    const std::unique_ptr<Encoding> made = make_term(start);
    auto learned = entry->make({.term = start,
                                .shape = shape,
                                .train_length = train_length,
                                .options = options,
                                .encoding = made.get()});
    // Modules have no dots in their names; two terms of one encoding have different places.
    register_module(fmt::format("{}_{}", term.name, terms_.size()), learned);
    terms_.push_back({.term = std::move(term), .fixed = nullptr, .learned = std::move(learned)});
  }
  plain();  // refuses terms that do not go together
}

SiteTensors EncodingModule::sites(Index n) {
  if (!constants_.contains(n)) {
    SiteTensors fixed;
    for (const Term& term : terms_)
      if (term.fixed)
        fixed =
            fixed + site_tensors(transformer_effects(*term.fixed, shape_, n), shape_, n, options_);
    constants_.emplace(n, std::move(fixed));
  }
  SiteTensors result = constants_.at(n);
  for (const Term& term : terms_)
    if (term.learned) result = result + term.learned->sites(n);
  return result;
}

std::unique_ptr<Encoding> EncodingModule::plain() const {
  std::vector<std::unique_ptr<Encoding>> parts;
  parts.reserve(terms_.size());
  for (const Term& term : terms_)
    parts.push_back(term.learned ? make_term(for_values(term.term), term.learned->values())
                                 : make_term(term.term));
  return compose(std::move(parts));
}

std::vector<EncodingModule::Trained> EncodingModule::trained() const {
  std::vector<Trained> result;
  for (const Term& term : terms_)
    if (term.learned)
      result.push_back({.encoding = EncodingSpec{.terms = {for_values(term.term)}}.text(),
                        .values = term.learned->values()});
  return result;
}

}  // namespace sextant
