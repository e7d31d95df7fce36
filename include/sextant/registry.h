// SPDX-License-Identifier: Apache-2.0
// The catalogue: from a text such as "rope(base=500000)+alibi" to an encoding.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sextant/encoding.h"

namespace sextant {

// A spec as parsed: names and arguments, not yet checked against the catalogue.
struct EncodingSpec {
  struct Argument {
    std::string key;
    std::string value;
    Index at = 0;  // where the value starts in the text, from 1
  };
  struct Term {
    std::string name;
    std::vector<Argument> arguments;
    Index at = 0;
  };
  std::vector<Term> terms;

  // name, name(key=value,...), table:FILE, joined by '+'. A value with one of ,()+" in it is
  // quoted: "a,b.npy". Throws kUsage with the number of the offending character.
  static EncodingSpec parse(std::string_view text);
  std::string text() const;
};

// Arrays that a caller holds in memory, by parameter name ("file"): a fitted or trained table
// enters an encoding the same way as one read from disk. [rows, cols], or [stack, rows, cols].
struct Tensor {
  std::vector<Index> shape;
  Vector values;
};
using TensorMap = std::map<std::string, Tensor, std::less<>>;

// The arguments of one member of a catalogue: checked against its ParamInfo, defaults filled in.
class Params {
 public:
  // The arguments of a term, which is part of the spec `whole`. Throws kUsage, naming the
  // character, for an unknown key, a value of the wrong kind or out of range, and a key given
  // twice.
  Params(std::string_view owner, std::span<const ParamInfo> infos, const EncodingSpec::Term& term,
         std::string_view whole, const TensorMap& tensors = {});

  // The term again, its arguments in the order of declaration, those at their default left out.
  const EncodingSpec::Term& canonical() const { return canonical_; }

  double number(std::string_view name) const;
  Index integer(std::string_view name) const;
  const std::string& word(std::string_view name) const;  // also the text of any other kind
  std::vector<double> list(std::string_view name) const;
  bool has(std::string_view name) const;    // given, or with a default
  bool given(std::string_view name) const;  // written in the spec, and not the default

  // The array of a file parameter, held by the caller or read from disk. Throws like the reader.
  Tensor tensor(std::string_view name) const;
  // The same as a matrix; kMalformed unless it has two axes.
  Matrix matrix(std::string_view name) const;
  // Where the array comes from, for messages: the path, or the encoding's name.
  std::string source(std::string_view name) const;

 private:
  const std::string& text(std::string_view name) const;

  std::string_view owner_;
  EncodingSpec::Term canonical_;
  std::map<std::string, std::string, std::less<>> values_;
  std::set<std::string, std::less<>> given_;
  TensorMap tensors_;
};

class EncodingRegistry {
 public:
  using Maker = std::unique_ptr<Encoding> (*)(const Params&);

  template <typename E>
  void add(const EncodingInfo& info) {
    entries_.emplace(info.name, Entry{&info, [](const Params& params) -> std::unique_ptr<Encoding> {
                                        return std::make_unique<E>(params);
                                      }});
  }

  // In alphabetical order.
  std::vector<std::string> names() const;

  // Throws kUsage with the nearest name when there is none of this name.
  const EncodingInfo& info(std::string_view name) const;

  // Throws kUsage for an unknown name, key or value, a value out of range, or two terms that
  // claim one site which cannot be shared; errors of files as their reader throws them.
  std::unique_ptr<Encoding> make(std::string_view spec, const TensorMap& tensors = {}) const;

 private:
  struct Entry {
    const EncodingInfo* info;
    Maker make;
  };
  const Entry& entry(std::string_view name, std::string_view where) const;
  std::unique_ptr<Encoding> make_term(const EncodingSpec::Term& term, std::string_view whole,
                                      const TensorMap& tensors) const;

  std::map<std::string, Entry, std::less<>> entries_;
};

// All encodings of the library.
const EncodingRegistry& encodings();

}  // namespace sextant
