// SPDX-License-Identifier: Apache-2.0
// Laws of every encoding that can be trained: it starts as the catalogue's, its numbers go back
// there, and its gradients are those of finite differences. A new one is here without a new line.
//
// Sites are compared by what they do: rows, and the logits of random queries and keys, which agree
// at every pair only where the forms behind them agree.
#include <gtest/gtest.h>

#include <cstring>
#include <optional>

#include "base/rng.h"
#include "encoding/params.h"
#include "io/npy.h"
#include "lab/learned.h"
#include "laws/subjects.h"
#include "sextant/error.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

constexpr Index kTrainLength = 16;
constexpr Index kLengths[] = {5, kTrainLength, 70};  // below, at and beyond, with a second chunk
constexpr Index kDim = 8;                            // of rows
constexpr Index kWidth = 4;                          // of a head, where nothing fixes it
constexpr Index kHeads = 2;

// The names alone or with a file in place of FILE, their variants past the last row, the examples.
std::vector<std::string> learned_specs() {
  std::vector<std::string> specs;
  for (const std::string& name : learned_encodings().names()) {
    const EncodingInfo& info = encodings().info(name);
    specs.push_back(info.required_file.empty() ? name : name + "(file=FILE)");
    if (!info.required_file.empty() && info.sites.input)
      for (const char* rule : {"beyond=clamp", "beyond=interpolate", "positions=rescale"})
        specs.push_back(name + "(file=FILE," + rule + ")");
    for (const std::string_view example : info.examples) specs.emplace_back(example);
  }
  for (const char* spec :
       {"mds(file=FILE,rank=3,beyond=clamp)", "smacof(file=FILE,map=MAP,beyond=interpolate)",
        "alibi(slope=0.5:0,schedule=sqrt,length=20)", "kerple(r1=1:2,kind=power,r2=1.5)",
        "t5(seed=7,causal=1)", "learned(beyond=clamp,positions=rescale)"})
    specs.emplace_back(spec);
  return specs;
}

torch::Tensor normal(torch::IntArrayRef shape, std::uint64_t stream) {
  const Rng rng(20261116, stream);
  Vector values;
  for (std::int64_t i = 0; i < c10::multiply_integers(shape); ++i)
    values.push_back(rng.normal(static_cast<std::uint64_t>(i)));
  return to_torch(values, torch::kDouble).reshape(shape);
}

// What sites do: rows and the logits of pairs that the mask leaves. Maps that grow multiply maps
// that decay, and rounding is relative to the product of their sizes.
struct Seen {
  torch::Tensor rows, logits;
  double rounding = 0.0;
};
Seen seen(const SiteTensors& sites, const TransformerShape& shape, Index n) {
  const Index w = shape.dim / shape.heads;
  const torch::Tensor q = normal({1, shape.heads, n, w}, 1), k = normal({1, shape.heads, n, w}, 2);
  const torch::Tensor logits = attention_logits(q, k, sites);
  const double maps = sites.query_map.defined()
                          ? sites.query_map.values.abs().max().item<double>() *
                                sites.key_map.values.abs().max().item<double>()
                          : 0.0;
  return {.rows = sites.rows,
          .logits = shape.causal ? logits.tril() : logits,
          .rounding = 1e-14 * maps};
}

void expect_same(const torch::Tensor& a, const torch::Tensor& b, double tolerance,
                 double rounding = 0.0) {
  ASSERT_EQ(a.defined(), b.defined());
  if (!a.defined()) return;
  EXPECT_TRUE(torch::equal(a.isinf(), b.isinf()));
  const torch::Tensor finite = b.masked_fill(b.isinf(), 0.0);
  const double difference = (a.masked_fill(a.isinf(), 0.0) - finite).abs().max().item<double>();
  EXPECT_LE(difference, tolerance * (1.0 + finite.abs().max().item<double>()) + rounding);
}

class LearnedEncoding : public testing::TestWithParam<std::string> {
 protected:
  LearnedEncoding() : spec_(GetParam()) {
    const Index cols = info().sites.input ? kDim : kWidth;
    write("FILE", {info().sites.input ? kTrainLength : kWidth, cols});
    write("MAP", {kDim, kDim});
  }

  // An array of this shape in place of the word, where the spec has it.
  void write(const std::string& word, const std::vector<Index>& array) {
    const std::size_t at = spec_.find(word);
    if (at == spec_.npos) return;
    const Vector values = to_vector(0.02 * normal({array[0] * array[1]}, word.size()));
    std::string bytes(values.size() * sizeof(double), ' ');
    std::memcpy(bytes.data(), values.data(), bytes.size());
    const auto path = folder_.write(word + ".npy", npy_header("<f8", array) + bytes);
    spec_.replace(at, word.size(), path.string());
  }

  const EncodingInfo& info() const {
    return encodings().info(EncodingSpec::parse(GetParam()).terms.front().name);
  }

  // The width and the heads that the parameters fix, or some.
  TransformerShape shape(bool causal) const {
    const auto encoding = plain();
    const Index heads = encoding->heads() > 0 ? encoding->heads() : kHeads;
    const Index width = encoding->dim() > 0 ? encoding->dim() : kWidth;
    return {.dim = info().sites.input ? kDim : width * heads, .heads = heads, .causal = causal};
  }

  std::unique_ptr<Encoding> plain() const {
    EncodingSpec spec = EncodingSpec::parse(spec_);
    add_training_length(spec.terms.front(), kTrainLength);
    return encodings().make(spec.text());
  }

  std::shared_ptr<EncodingModule> module(bool causal) const {
    return std::make_shared<EncodingModule>(spec_, shape(causal), kTrainLength,
                                            std::vector<std::string>{std::string(info().name)},
                                            /*seed=*/1,  // as the catalogue's
                                            torch::TensorOptions(torch::kDouble));
  }

  // nullopt where the encoding does not cover n positions.
  static std::optional<Seen> seen_of(const Encoding& encoding, const TransformerShape& shape,
                                     Index n) {
    try {
      return seen(site_tensors(transformer_effects(encoding, shape, n), shape, n, torch::kDouble),
                  shape, n);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage) << error.what();
      return std::nullopt;
    }
  }

  // The module shows at every length what the encoding shows, and refuses what it refuses.
  static void expect_alike(EncodingModule& module, const Encoding& encoding,
                           const TransformerShape& shape, double tolerance) {
    for (const Index n : kLengths) {
      SCOPED_TRACE(n);
      const std::optional<Seen> expected = seen_of(encoding, shape, n);
      if (!expected) {
        EXPECT_THROW(module.sites(n), Error);
        continue;
      }
      const Seen got = seen(module.sites(n), shape, n);
      expect_same(got.rows, expected->rows, tolerance);
      expect_same(got.logits, expected->logits, tolerance, expected->rounding);
    }
  }

  TemporaryDirectory folder_;
  std::string spec_;
};

TEST_P(LearnedEncoding, StartsAsTheCatalogueMakesIt) {
  for (const bool causal : {false, true})
    expect_alike(*module(causal), *plain(), shape(causal), 1e-12);
}

TEST_P(LearnedEncoding, GivesItsNumbersBackToTheCatalogue) {
  for (const bool causal : {false, true}) {
    const auto changed = module(causal);
    std::uint64_t stream = 10;
    {
      const torch::NoGradGuard guard;
      for (torch::Tensor& p : changed->parameters()) p += 0.01 * normal(p.sizes(), ++stream);
    }
    const auto trained = changed->trained();
    ASSERT_EQ(trained.size(), 1u);
    const auto again = encodings().make(trained[0].encoding, trained[0].values);
    expect_alike(*changed, *again, shape(causal), 1e-10);
    expect_alike(*changed, *changed->plain(), shape(causal), 1e-10);
  }
}

// A random linear functional of all that the sites do; masked pairs do not exist.
torch::Tensor functional(EncodingModule& module, const TransformerShape& shape, Index n) {
  const Seen now = seen(module.sites(n), shape, n);
  torch::Tensor sum = torch::zeros({}, torch::kDouble);
  for (const torch::Tensor& part : {now.rows, now.logits})
    if (part.defined())
      sum = sum + (part * normal(part.sizes(), 5)).masked_fill(part.isinf(), 0.0).sum();
  return sum;
}

TEST_P(LearnedEncoding, HasTheGradientsOfFiniteDifferences) {
  constexpr double kStep = 1e-6;
  constexpr double kTolerance = 1e-6;  // rounding of the differences, relative to the gradient
  for (const bool causal : {false, true}) {
    const auto subject = module(causal);
    const TransformerShape fitted = shape(causal);
    const Index n = kTrainLength;
    functional(*subject, fitted, n).backward();
    std::uint64_t stream = 100;
    ASSERT_FALSE(subject->parameters().empty());
    for (const auto& parameter : subject->named_parameters()) {
      torch::Tensor p = parameter.value();
      ASSERT_TRUE(p.grad().defined()) << parameter.key();
      EXPECT_GT(p.grad().abs().max().item<double>(), 0.0) << parameter.key();
      const torch::NoGradGuard guard;
      const torch::Tensor start = p.clone();
      const auto at = [&](const torch::Tensor& value) {
        p.copy_(value);
        return functional(*subject, fitted, n).item<double>();
      };
      for (int i = 0; i < 4; ++i) {
        const torch::Tensor direction = normal(p.sizes(), ++stream);
        const double difference =
            (at(start + kStep * direction) - at(start - kStep * direction)) / (2.0 * kStep);
        const double scale = p.grad().norm().item<double>() * direction.norm().item<double>();
        EXPECT_NEAR((p.grad() * direction).sum().item<double>(), difference, kTolerance * scale)
            << parameter.key();
      }
      p.copy_(start);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, LearnedEncoding, testing::ValuesIn(learned_specs()),
                         [](const auto& spec) { return test_name(spec.param); });

TEST(LearnedRegistry, HoldsEveryEncodingWhoseValuesAreLearned) {
  for (const std::string& name : encodings().names()) {
    if (!encodings().info(name).needs_values) continue;
    const LearnedRegistry::Entry* entry = learned_encodings().find(name);
    ASSERT_NE(entry, nullptr) << name;
    EXPECT_TRUE(entry->always) << name;
  }
}

}  // namespace
}  // namespace sextant
