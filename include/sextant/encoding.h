// SPDX-License-Identifier: Apache-2.0
// What an encoding is: facts about itself, and what it does to attention at four sites.
//
// One sign everywhere: lag = s - t, s the position of the query, t that of the key. Under a
// causal mask lag >= 0.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sextant/group.h"
#include "sextant/matrix.h"
#include "sextant/positions.h"

namespace sextant {

// ---------------------------------------------------------------------------------------------
// The sites

// How large the question is. `positions` is the current sequence length: rules that depend on it
// (re-scaled positions, stretched tables, ALiBi's schedules) read it here. dim and heads are at
// least 1 and at most kMostColumns.
inline constexpr Index kMostColumns = Index{1} << 20;
struct Extent {
  Index positions = 1;
  Index dim = 64;  // width of a row, of a query, of a key
  Index heads = 1;
};

// Site 1: x_t += row(t), before the first layer.
struct InputTable {
  // Writes the row of position t, [dim].
  std::function<void(const Position& t, std::span<double> row)> row;
};

// Site 2: in every head the query at s becomes magnitude A(s)^T q and the key at t becomes
// magnitude A(-t) k, so that the logit is magnitude^2 q^T A(s-t) k. The two maps coincide for
// rotations only.
struct QueryKeyMap {
  // One group exp(tX_a) per axis of the position. A(p) is exp(sum_a p_a X_a), the product of the
  // groups where their generators commute.
  std::vector<OneParameterGroup> groups;
  // One factor on cos and sin, as YaRN and LongRoPE use it.
  DoubleDouble magnitude = 1.0;
  // Finite: the polynomial factors of Jordan blocks take lag/(1+|lag|/saturation). Such a map is
  // relative but no group: it cannot be split into a part for q and a part for k.
  double saturation = std::numeric_limits<double>::infinity();
  // False: A(s) A(-t) is not A(s - t), and the logit magnitude^2 q^T A(s) A(-t) k is only
  // approximately relative. Positions on one line through the origin, scalar ones among them, are
  // the exception.
  bool commute = true;

  Index dim() const { return groups.front().dim(); }
  bool splits() const { return saturation == std::numeric_limits<double>::infinity(); }

  // magnitude^2 A(p), [dim, dim].
  Matrix at(const Position& p) const;

  // The operator of query s and key t: magnitude^2 A(s - t), or A(s) A(-t) without `commute`.
  Matrix between(const Position& s, const Position& t) const;

  // The largest |XY - YX| / (|X| |Y|) of the generators of two axes; 0 for one axis.
  double commutator_norm() const;

  // x <- magnitude A(s)^T x and x <- magnitude A(-t) x. Where the groups commute, positions count
  // from a chunk's origin of the caller's choice: with decay, far positions overflow otherwise.
  // REQUIRES: splits().
  void apply_to_query(const Position& s, std::span<double> x) const;
  void apply_to_key(const Position& t, std::span<double> x) const;
};

// Site 3: added to the logit of query s and key t in a head. -infinity masks the pair.
struct LogitBias {
  std::function<double(Index head, double s, double t)> at;
  bool depends_on_lag_only = true;  // then a row of the bias matrix is a slice of one list
};

// Site 4, rarely used: terms linear in q and in k (Shaw, Transformer-XL).
struct LinearTerms {
  Vector u, v;  // u^T q + v^T k + c
  double c = 0.0;
};
struct KeyOffset {
  std::function<LinearTerms(Index head, double s, double t)> at;
};

struct Effects {
  std::optional<InputTable> input = {};
  std::optional<QueryKeyMap> query_key = {};
  std::optional<LogitBias> logit = {};
  std::optional<KeyOffset> key_offset = {};
};

// ---------------------------------------------------------------------------------------------
// What an encoding says of itself

enum class Claim { kNo, kYes, kNotApplicable };

// What the author promises. tests/laws/ holds each encoding to its claims, in both directions.
struct Claims {
  Claim translation_invariant = Claim::kNo;       // the pair form depends on s - t only
  Claim group = Claim::kNotApplicable;            // A(s) A(t) = A(s+t), up to the fixed factor A(0)
  Claim norm_preserving = Claim::kNotApplicable;  // |A(-t) k| = |k|, magnitude included
  Claim orthogonal = Claim::kNotApplicable;       // A(t) is orthogonal, or the table's columns are
  Claim any_length = Claim::kNo;         // defined for every position, not only trained ones
  Claim separates = Claim::kNo;          // no two positions act alike, however far
  Claim bounded = Claim::kNo;            // rows, operators, biases stay bounded as lag grows
  Claim needs_causal_mask = Claim::kNo;  // unbounded or undefined where the key is ahead
  Claim length_free = Claim::kYes;       // a longer sequence changes nothing for a shorter one
};

// Name and value of each claim, in the order of declaration. For help, JSON and tests.
std::vector<std::pair<std::string_view, Claim>> named(const Claims& claims);
std::string_view name(Claim claim);

enum class ParamKind { kNumber, kInteger, kWord, kList, kFile };

// One key of a spec. Build with the functions below.
struct ParamInfo {
  std::string_view name = {};
  ParamKind kind = ParamKind::kNumber;
  std::string_view default_text = {};  // as a user would type it; empty: no value
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::string_view choices = {};  // of a word: "half|interleaved"
  std::string_view doc = {};
};

constexpr ParamInfo number_param(std::string_view name, std::string_view default_text, double min,
                                 double max, std::string_view doc) {
  return {name, ParamKind::kNumber, default_text, min, max, {}, doc};
}
constexpr ParamInfo integer_param(std::string_view name, std::string_view default_text, double min,
                                  double max, std::string_view doc) {
  return {name, ParamKind::kInteger, default_text, min, max, {}, doc};
}
constexpr ParamInfo word_param(std::string_view name, std::string_view default_text,
                               std::string_view choices, std::string_view doc) {
  return {name, ParamKind::kWord, default_text, 0.0, 0.0, choices, doc};
}
// Numbers as a:b:c, each within [min, max].
constexpr ParamInfo list_param(std::string_view name, std::string_view default_text, double min,
                               double max, std::string_view doc) {
  return {name, ParamKind::kList, default_text, min, max, {}, doc};
}
// An array: a .npy file, FILE.safetensors#name, or a tensor that the caller hands to the registry.
constexpr ParamInfo file_param(std::string_view name, std::string_view doc) {
  return {name, ParamKind::kFile, {}, 0.0, 0.0, {}, doc};
}

struct Sites {
  bool input = false;
  bool query_key = false;
  bool logit = false;
  bool key_offset = false;
};
std::vector<std::string_view> names(const Sites& sites);

// Everything the help text, the manual, the plots and the tests need to know. No code.
struct EncodingInfo {
  std::string_view name = {};       // as typed on the command line; [a-z0-9_]+
  std::string_view title = {};      // as printed above a plot
  std::string_view formula = {};    // LaTeX
  std::string_view reference = {};  // authors, title, year, identifier
  std::string_view notes = {};      // conventions chosen, and which were not
  Sites sites = {};
  std::span<const ParamInfo> params = {};
  Claims claims = {};                               // with every parameter at its default
  std::span<const std::string_view> examples = {};  // specs worth showing; the laws run on them too
  bool needs_values = false;              // learned: without a file the values are an initial draw
  std::string_view required_file = {};    // the parameter without which there is nothing to build
  std::string_view instead_of_file = {};  // "a|b": parameters of which one does as well
};

class Encoding {
 public:
  virtual ~Encoding() = default;
  virtual const EncodingInfo& info() const = 0;

  // What it does to attention of this size. Throws kUsage where dim or heads do not fit. The
  // returned functions throw kUsage for positions that the encoding does not cover.
  Effects effects(const Extent& extent) const;

  // info().claims, adjusted to the parameters at hand.
  virtual Claims claims() const { return info().claims; }

  // The head count that the parameters fix, or 0 where any will do.
  virtual Index heads() const { return 0; }

  // The width that a file of values fixes, or 0 where any will do.
  virtual Index dim() const { return 0; }

  // `asked` with the width and the head count that the parameters fix.
  Extent fitted(Extent asked) const;

  // The canonical text: parameters at their default are left out. make(spec()), with the tensors
  // that were given beside it, makes this encoding again.
  const std::string& spec() const { return spec_; }

 private:
  // effects() for an extent whose sizes are positive.
  virtual Effects make_effects(const Extent& extent) const = 0;

  friend class EncodingRegistry;
  std::string spec_;
};

// ---------------------------------------------------------------------------------------------
// The common denominator

// The logit of query s and key t as a form in the raw vectors: q^T M k + u^T q + v^T k + c.
//
// Every encoding without content-dependent positions has one. It is slow and plain on purpose:
// it is the reference against which each fast path is tested.
struct PairForm {
  Matrix m;
  Vector u, v;
  double c = 0.0;

  double operator()(std::span<const double> q, std::span<const double> k) const;
};
PairForm pair_form(const Effects& effects, const Extent& extent, Index head, const Position& s,
                   const Position& t);

// The same logit by the route that attention takes: edit q and k, multiply, add the bias.
// Throws kUsage unless q and k have one size, that of the extent.
double fast_logit(const Effects& effects, Index head, const Position& s, const Position& t,
                  Vector q, Vector k);

// The largest absolute difference between the entries of two forms of one size.
double distance(const PairForm& a, const PairForm& b);

// Rows of an input table at the given positions, [positions.size(), extent.dim].
Matrix input_rows(const InputTable& table, const Extent& extent, const Positions& positions);

}  // namespace sextant
