// SPDX-License-Identifier: Apache-2.0
// Encodings whose numbers are trained. One file per encoding in learned/; an encoding without one
// is fixed: its sites are constants.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lab/sites.h"
#include "sextant/registry.h"

namespace sextant {

// One term of a spec whose numbers are parameters of the module.
class LearnedTerm : public torch::nn::Module {
 public:
  // Gradients flow from these into parameters(). Throws kUsage for positions it does not cover.
  virtual SiteTensors sites(Index n) = 0;

  // The numbers as the file parameter of the same encoding takes them: make(spec, values()) does
  // in double what sites() does.
  virtual TensorMap values() const = 0;
};

// What a term starts from.
struct LearnedStart {
  EncodingSpec::Term term;  // with what the user wrote, and the seed of its draw
  TransformerShape shape;
  Index train_length = 0;
  torch::TensorOptions options;
  // The same term as the catalogue makes it: its numbers are the first values.
  const Encoding* encoding = nullptr;
};

class LearnedRegistry {
 public:
  using Maker = std::shared_ptr<LearnedTerm> (*)(const LearnedStart&);
  struct Entry {
    Maker make = nullptr;
    bool always = true;  // false: only where a trial's `learn` names it
    // "a|b": arguments that the values take the place of. A term that takes values() is without
    // them.
    std::string_view replaced = {};
  };

  void add(const std::string& encoding, Maker make, bool always = true,
           std::string_view replaced = {}) {
    entries_.emplace(encoding, Entry{make, always, replaced});
  }
  // Of a T that is made of a LearnedStart.
  template <typename T>
  void add(const std::string& encoding, bool always = true, std::string_view replaced = {}) {
    const Maker make = [](const LearnedStart& start) -> std::shared_ptr<LearnedTerm> {
      return std::make_shared<T>(start);
    };
    add(encoding, make, always, replaced);
  }
  // nullptr: nothing of it can be trained.
  const Entry* find(std::string_view encoding) const;
  std::vector<std::string> names() const;

 private:
  std::map<std::string, Entry, std::less<>> entries_;
};
const LearnedRegistry& learned_encodings();

// The term without the arguments that its trained values take the place of.
EncodingSpec::Term for_values(EncodingSpec::Term term);

// A spec as a module: constants for what is fixed, parameters for what is learned.
class EncodingModule : public torch::nn::Module {
 public:
  // `learn`: encodings that are trained though they have values. Throws kUsage for one that is not
  // in the spec or has nothing to train; errors of files as their reader throws them. `seed`: of
  // terms that draw their first numbers and set no seed of their own.
  EncodingModule(const std::string& spec, const TransformerShape& shape, Index train_length,
                 const std::vector<std::string>& learn, std::uint64_t seed,
                 const torch::TensorOptions& options);

  // For positions 0..n-1. What is fixed is computed once for each n.
  SiteTensors sites(Index n);

  // The plain encoding with the numbers of now.
  std::unique_ptr<Encoding> plain() const;

  // Spec and numbers, term by term, of what was trained.
  struct Trained {
    std::string encoding;
    TensorMap values;
  };
  std::vector<Trained> trained() const;

 private:
  struct Term {
    EncodingSpec::Term term;
    std::unique_ptr<Encoding> fixed;       // of what nothing trains
    std::shared_ptr<LearnedTerm> learned;  // of what is trained
  };
  TransformerShape shape_;
  torch::TensorOptions options_;
  std::vector<Term> terms_;
  std::map<Index, SiteTensors> constants_;  // by n, of all fixed terms
};

}  // namespace sextant
