// SPDX-License-Identifier: Apache-2.0
// Bugs of positions, masks, indices and vocabularies that were reported in public against other
// programs, I2, I5 and I10 to I14 of docs/bugs.md, as tests of this one.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cmath>
#include <limits>

#include "kernels/rotary_rows.h"
#include "sextant/table.h"
#include "sextant/transformer.h"
#include "support/expect_error.h"
#include "support/ladder.h"
#include "support/temporary_directory.h"
#include "support/token_corpus.h"
#include "support/tokens.h"
#include "theory/attention.h"
#include "training/token_windows.h"

namespace sextant {
namespace {

constexpr double kMasked = -std::numeric_limits<double>::infinity();

// OLMo-core#591, #654, torchtitan#2559, #2560, #2849, nanoVLM#201, #204. A document that occurs
// twice gives the same windows twice, and no window has tokens of two documents.
TEST(PositionBugs, I2DocumentsStartAtPositionZeroAndDoNotRunTogether) {
  const auto corpus = corpus_of({{1, 2, 3}, {4, 5}, {1, 2, 3}}, 6);
  const TokenWindows starts(corpus, Cut::kStart);
  ASSERT_EQ(starts.count(3), 2);
  for (Index i = 0; i < 2; ++i) {
    const auto window = starts.window(i, 3);
    EXPECT_EQ(std::vector<std::int32_t>(window.begin(), window.end()),
              (std::vector<std::int32_t>{1, 2, 3}));
  }
  const TokenWindows anywhere(corpus, Cut::kAnywhere);
  ASSERT_EQ(anywhere.count(2), 5);  // 12 23 45 12 23
  for (Index i = 0; i < 5; ++i) {
    const auto window = anywhere.window(i, 2);
    EXPECT_EQ(window[1], window[0] + 1) << "neighbours inside one document";
    EXPECT_NE(window[0], 3);
  }
}

// transformers#97, #14384, fairseq#757, electra-pytorch#3: an index past the table, said plainly.
TEST(PositionBugs, I5APositionPastTheTableIsNamedWithTheLimit) {
  const auto row = [](double t) {
    Vector out(8);
    encodings().make("learned(train=512)")->effects({.dim = 8}).input->row(t, out);
  };
  row(511.0);
  expect_error(ErrorCode::kUsage, "position 512 must be one of the table's 512 rows",
               [&] { row(512.0); });
  expect_error(ErrorCode::kUsage, "position -1 must be one", [&] { row(-1.0); });
  expect_error(ErrorCode::kUsage, "position 512", [] {
    make_table(
        *encodings().make("learned(train=512)"),
        {.kind = TableKind::kRows, .positions = Positions::range(513), .extent = {.dim = 8}});
  });
}

// vllm#52416, SageAttention#386, mamba#1015, NATTEN#347, MSLK#303, TensorRT-LLM#1076, sglang#20389.
// 2^31 + 1 positions of 64 pairs of 4 bytes are 2^39 + 256 bytes.
TEST(PositionBugs, I10SizesDoNotWrap) {
  const Index n = (Index{1} << 31) + 1;
  const auto rope = encodings().make("rope")->effects({.dim = 128});
  EXPECT_EQ(table_bytes(rope, {.kind = TableKind::kCos,
                               .positions = Positions::range(n),
                               .extent = {.dim = 128}}),
            (std::uint64_t{1} << 39) + 256);
  const auto alibi = encodings().make("alibi")->effects({.heads = 32});
  EXPECT_EQ(table_bytes(alibi, {.kind = TableKind::kBias,
                                .positions = Positions::range(65536),
                                .extent = {.heads = 32}}),
            std::uint64_t{1} << 39);  // 2^5 heads, 2^32 pairs, 4 bytes
  expect_error(ErrorCode::kRefused, "63 bits", [&] {
    table_bytes(
        alibi,
        {.kind = TableKind::kBias, .positions = Positions::range(n), .extent = {.heads = 32}});
  });
}

// The same: a row 2^32 + 64 values away is written there, and not 64 values away. Memory that is
// set aside but not touched costs nothing.
TEST(PositionBugs, I10RowsFarApartLandWhereTheyBelong) {
  const Index stride = (Index{1} << 32) + 64;
  const std::size_t bytes = static_cast<std::size_t>(stride + 64) * sizeof(float);
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) GTEST_SKIP() << "no address space of " << bytes << " bytes";
  auto* const out = static_cast<float*>(memory);
  const Vector one = {1.0}, zero = {0.0}, cosines = {0.5, 0.25}, sines = {0.0, 0.0};
  fill_rotary_rows({.start_cos = one,
                    .start_sin = zero,
                    .step_cos = cosines,
                    .step_sin = sines,
                    .cos_error = zero,
                    .sin_error = zero,
                    .cos = out,
                    .stride = stride},
                   [](Index, Index) {});
  EXPECT_EQ(out[0], 0.5f);
  EXPECT_EQ(out[64], 0.0f);
  EXPECT_EQ(out[stride], 0.25f);
  ::munmap(memory, bytes);
}

// pytorch#41508, #103749, #131060, burn#4697, rten#1321, PaddleOCR#18341, transformers#27114: a
// query without a key. -inf - (-inf) is no number; weights are 0.
TEST(PositionBugs, I11AFullyMaskedRowHasZeroWeights) {
  EigenMatrix logits(2, 3);
  logits << kMasked, kMasked, kMasked, 0.0, kMasked, 0.0;
  const EigenMatrix weights = softmax_rows(logits);
  for (Index t = 0; t < 3; ++t) EXPECT_EQ(weights(0, t), 0.0);
  EXPECT_EQ(weights(1, 0), 0.5);
  EXPECT_EQ(weights(1, 1), 0.0);

  const TransformerShape shape{.layers = 1, .dim = 4, .heads = 1, .hidden = 0};
  const Transformer model = Transformer::random(shape, 1);
  const Effects effects{.logit = LogitBias{.at = [](Index, double, double) { return kMasked; }}};
  const Matrix y = forward(model, effects, Matrix::identity(4));
  for (const double value : y.values()) EXPECT_TRUE(std::isfinite(value));
}

// llama.cpp CVE-2026-21869: a negative count reached a loop. Every whole-number key of every
// encoding that starts at 0 or above refuses -1, and so do the sizes of a call.
TEST(PositionBugs, I12NegativeNumbersAreRefusedEverywhere) {
  for (const std::string& name : encodings().names()) {
    for (const ParamInfo& param : encodings().info(name).params) {
      if (param.kind != ParamKind::kInteger) continue;
      EXPECT_GE(param.min, 0.0) << name << "." << param.name;
      expect_error(ErrorCode::kUsage, param.name,
                   [&] { encodings().make(name + "(" + std::string(param.name) + "=-1)"); });
    }
  }
  expect_error(ErrorCode::kUsage, "count", [] { Positions::range(-1); });
  for (const Extent& extent : {Extent{.positions = -1}, Extent{.dim = -2}, Extent{.heads = -1}})
    EXPECT_THROW(encodings().make("rope")->effects(extent), Error);
}

std::unique_ptr<Tokenizer> wordpiece(const TemporaryDirectory& folder, const std::string& lines) {
  return make_tokenizer("wordpiece:" + folder.write("vocab.txt", lines).string());
}

// torchtext#1840, transformers#1078: an id is the number of a line, from 0, and only \n ends a
// line: not U+2028, not U+0085, not a form feed.
TEST(PositionBugs, I13IdsAreLinesOfTheVocabulary) {
  using Ids = std::vector<TokenId>;
  const TemporaryDirectory folder;
  EXPECT_EQ(ids_of(*wordpiece(folder, "[UNK]\na\n\nb\n"), "a b"), (Ids{1, 3})) << "a blank line";
  EXPECT_EQ(ids_of(*wordpiece(folder, "[UNK]\r\na\r\nb\r\n"), "a b"), (Ids{1, 2})) << "CRLF";
  EXPECT_EQ(ids_of(*wordpiece(folder, "\xef\xbb\xbf[UNK]\na\nb"), "a b zz"), (Ids{1, 2, 0}))
      << "BOM";
  for (const std::string separator : {"\xe2\x80\xa8", "\xc2\x85", "\x0c"}) {
    const auto tokenizer = wordpiece(folder, "[UNK]\nx" + separator + "y\na\n");
    EXPECT_EQ(tokenizer->vocabulary(), 3);
    EXPECT_EQ(ids_of(*tokenizer, "a"), (Ids{2}));
  }
}

// sentencepiece#881, llama.cpp#5496: a piece with two ids has none that is right. And a word is cut
// into the longest pieces from the left, or is unknown as a whole.
TEST(PositionBugs, I14PiecesAreUniqueAndTheLongestWins) {
  const TemporaryDirectory folder;
  expect_error(ErrorCode::kMalformed, "vocab.txt:3: the token 'a' is also on line 1",
               [&] { wordpiece(folder, "a\nb\na\n"); });
  const auto tokenizer = wordpiece(folder, "[UNK]\nab\nabc\n##c\n##cd\n##d\n");
  EXPECT_EQ(ids_of(*tokenizer, "abcd"), (std::vector<TokenId>{2, 5}));  // abc ##d, not ab ##cd
  EXPECT_EQ(ids_of(*tokenizer, "abcde"), (std::vector<TokenId>{0}));
}

}  // namespace
}  // namespace sextant
