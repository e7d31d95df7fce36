// SPDX-License-Identifier: Apache-2.0
#include "corpus/synthetic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/rng.h"
#include "base/text.h"
#include "math/elementary.h"

namespace sextant {
namespace {

using Kind = SyntheticCorpus::Kind;

constexpr std::string_view kPrefix = "synthetic:";

struct KindName {
  std::string_view name;
  Kind kind;
};
constexpr std::array<KindName, 3> kKinds = {
    {{"drift", Kind::kDrift}, {"periodic", Kind::kPeriodic}, {"blocks", Kind::kSteps}}};

struct Parameter {
  std::string_view name;
  Index SyntheticCorpus::*member;
  Index least, most;
};
constexpr std::array<Parameter, 5> kParameters = {{
    {"types", &SyntheticCorpus::types, 1, 1000000},
    {"positions", &SyntheticCorpus::positions, 1, 1000000},
    {"sequences", &SyntheticCorpus::sequences, 1, Index{1} << 40},
    {"period", &SyntheticCorpus::period, 1, 1000000},
    {"blocks", &SyntheticCorpus::blocks, 1, 1000000},
}};
constexpr Index kMostLaws = Index{1} << 27;  // positions x types: 1 GB

void set_parameter(SyntheticCorpus& corpus, std::string_view where, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string_view name = assignment.substr(0, equals);
  const auto value = equals == assignment.npos ? std::optional<Index>()
                                               : parse_integer(assignment.substr(equals + 1));
  require(value.has_value(), where, "'{}' must be name=integer", escaped(assignment));
  if (name == "seed") {
    require(*value >= 0, where, "seed must not be negative but got {}", *value);
    corpus.seed = static_cast<std::uint64_t>(*value);
    return;
  }
  const auto found =
      std::find_if(kParameters.begin(), kParameters.end(),
                   [&](const Parameter& parameter) { return parameter.name == name; });
  std::vector<std::string> names = {"seed"};
  for (const Parameter& parameter : kParameters) names.emplace_back(parameter.name);
  require(found != kParameters.end(), where, "no parameter '{}'{}", escaped(name),
          suggestion(name, names));
  require(*value >= found->least && *value <= found->most, where, "{} must be {} to {} but got {}",
          name, found->least, found->most, *value);
  corpus.*found->member = *value;
}

constexpr double kFlat = 0.7;   // exponent of the flatter of two Zipf laws
constexpr double kSwing = 0.3;  // of the periodic laws around the uniform one

// (v + 1)^-exponent, divided by the sum.
Vector zipf(Index types, double exponent) {
  Vector law;
  double sum = 0.0;
  for (Index v = 0; v < types; ++v) {
    law.push_back(power(DoubleDouble(static_cast<double>(v + 1)), DoubleDouble(-exponent)).high);
    sum += law.back();
  }
  for (double& p : law) p /= sum;
  return law;
}

double between(const Vector& a, const Vector& b, double share, Index v) {
  const auto k = static_cast<std::size_t>(v);
  return (1.0 - share) * a[k] + share * b[k];
}

class SyntheticRecords final : public RecordReader {
 public:
  explicit SyntheticRecords(const SyntheticCorpus& corpus)
      : corpus_(corpus),
        cumulative_(corpus.laws()),
        width_(fmt::formatted_size("{}", corpus.types - 1)) {
    width_ = std::max<std::size_t>(width_, 4);
    for (Index i = 0; i < cumulative_.rows(); ++i) {
      double sum = 0.0;
      for (double& value : cumulative_.row(i)) value = sum += value;
    }
  }

  bool next(RecordBatch& batch) override {
    batch.bytes.clear();
    batch.records.clear();
    while (next_ < corpus_.sequences && batch.bytes.size() < kBatchBytes) add_sequence(batch);
    return !batch.records.empty();
  }
  ReadProgress progress() const override {
    const std::uint64_t each = (width_ + 2) * static_cast<std::uint64_t>(corpus_.positions) - 1;
    return {.bytes_read = each * static_cast<std::uint64_t>(next_),
            .bytes_total = each * static_cast<std::uint64_t>(corpus_.sequences)};
  }

 private:
  void add_sequence(RecordBatch& batch) {
    const Rng rng(corpus_.seed, static_cast<std::uint64_t>(next_++));
    RecordBatch::Record record = {.text = batch.bytes.size()};
    record.place = static_cast<std::uint64_t>(next_);
    for (Index i = 0; i < corpus_.positions; ++i) {
      const auto law = cumulative_.row(i);
      const double draw = rng.uniform(static_cast<std::uint64_t>(i));
      // The last type also has what rounding left of the sum.
      const auto type = std::upper_bound(law.begin(), law.end() - 1, draw) - law.begin();
      if (i > 0) batch.bytes += ' ';
      fmt::format_to(std::back_inserter(batch.bytes), "w{:0{}}", type, width_);
    }
    record.text_size = batch.bytes.size() - record.text;
    batch.records.push_back(record);
  }

  SyntheticCorpus corpus_;
  Matrix cumulative_;
  std::size_t width_;
  Index next_ = 0;
};

}  // namespace

Matrix SyntheticCorpus::laws() const {
  Matrix result(positions, types);
  const Vector steep = zipf(types, 1.0), flat = zipf(types, kFlat);
  const auto n = static_cast<double>(positions), v_count = static_cast<double>(types);
  for (Index i = 0; i < positions; ++i) {
    const double share = positions > 1 ? static_cast<double>(i) / (n - 1.0) : 0.0;
    const Index step = i * blocks / positions;
    const double down =
        blocks > 1 ? static_cast<double>(step) / static_cast<double>(blocks - 1) : 0.0;
    for (Index v = 0; v < types; ++v) {
      const double turns = static_cast<double>(i % period) / static_cast<double>(period) -
                           static_cast<double>(v) / v_count;
      switch (kind) {
        case Kind::kDrift:
          result(i, v) = between(steep, flat, share, v);
          break;
        case Kind::kPeriodic:
          result(i, v) =
              (1.0 + kSwing * cos_sin(DoubleDouble(2.0 * std::numbers::pi * turns)).cos.high) /
              v_count;
          break;
        case Kind::kSteps:
          result(i, v) = between(steep, flat, down, v);
          break;
      }
    }
  }
  return result;
}

DistanceMatrix SyntheticCorpus::distances() const {
  const Matrix law = laws();
  DistanceMatrix result(positions);
  std::size_t pair = 0;
  for (Index i = 0; i < positions; ++i) {
    for (Index j = i + 1; j < positions; ++j) {
      double sum = 0.0;
      for (Index v = 0; v < types; ++v) {
        const double difference = std::sqrt(law(i, v)) - std::sqrt(law(j, v));
        sum += difference * difference;
      }
      result.values()[pair++] = std::sqrt(sum);
    }
  }
  return result;
}

std::unique_ptr<RecordReader> SyntheticCorpus::records() const {
  return std::make_unique<SyntheticRecords>(*this);
}

bool is_synthetic(std::string_view text) { return text.starts_with(kPrefix); }

SyntheticCorpus parse_synthetic(std::string_view text) {
  const std::string where = escaped(text);
  require(is_synthetic(text), where, "must begin with '{}'", kPrefix);
  const std::string_view body = text.substr(kPrefix.size());
  const std::string_view name = body.substr(0, body.find('('));
  std::string_view rest = body.substr(name.size());
  const auto kind = std::find_if(kKinds.begin(), kKinds.end(),
                                 [&](const KindName& known) { return known.name == name; });
  require(kind != kKinds.end(), where, "must be drift, periodic or blocks");
  SyntheticCorpus corpus = {.kind = kind->kind};
  if (!rest.empty()) {
    require(rest.size() > 2 && rest.ends_with(')'), where, "must end in ')' after its parameters");
    rest = rest.substr(1, rest.size() - 2);
    for (const std::string_view assignment : split(rest, ','))
      set_parameter(corpus, where, assignment);
  }
  require(corpus.positions <= kMostLaws / corpus.types, where,
          "types x positions must not exceed {}", kMostLaws);
  return corpus;
}

}  // namespace sextant
