// SPDX-License-Identifier: Apache-2.0
// The tables of sextant train on a terminal of 80 columns.
#include <algorithm>

#include "base/text.h"
#include "support/fake_lab.h"

namespace sextant {
namespace {

using Words = std::vector<std::string>;

// Losses differ between encodings and seeds.
constexpr const char* kTextLab = R"sh(
loss=$(echo "${#encoding} $seed" | awk '{ printf "%.4f", $1 / 100 + ($2 * $1 % 7) / 1000 }')
evaluations='{"length": 4, "loss": '$loss', "loss_by_position": []}'
)sh";

class TrainText : public WithFakeLab {
 protected:
  TrainText() : WithFakeLab(kTextLab) {}
  std::string train(const std::string& encodings, const Words& more) const {
    Words words = {"train", "running_sum", "--train", "4",           "--test", "4",
                   "-o",    output(),      "--force", "--encodings", encodings};
    words.insert(words.end(), more.begin(), more.end());
    const CommandResult result = sextant_command(words, environment());
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out;
  }
};

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

// Characters of UTF-8: all bytes but those that go on.
std::ptrdiff_t characters(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (c & '\xC0') != '\x80'; });
}

TEST_F(TrainText, TestsNothingWithOneSeed) {
  const std::string text = train("none,rope", {"--seeds", "1", "--layers", "1"});
  EXPECT_TRUE(has(text, "With one seed nothing can be tested.")) << text;
  EXPECT_TRUE(has(text, "1 layer, ")) << text;
  for (const char* part : {"p (t)", "p (W)", "Holm", "Cannot be told", "pairs, "})
    EXPECT_FALSE(has(text, part)) << part << "\n" << text;
}

TEST_F(TrainText, ExplainsNoTestWhereNothingIsCompared) {
  EXPECT_FALSE(has(train("rope", {"--seeds", "3"}), "p ("));
  EXPECT_TRUE(has(train("rope,none", {"--seeds", "3"}), "never below 0.25 with 3 pairs"));
}

TEST_F(TrainText, KeepsNamesAndBarsInEightyColumns) {
  const std::string longest = "rope(base=500000)+sinusoidal(base=20000)";
  const std::string text =
      train("none,learned(beyond=clamp)," + longest, {"--seeds", "3", "--against", longest});
  EXPECT_FALSE(has(text, "train=")) << text;
  EXPECT_FALSE(has(text, "~")) << text;
  EXPECT_TRUE(has(text, longest)) << text;
  int bars = 0;
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with("Written to")) continue;
    EXPECT_LE(characters(line), 80) << line;
    bars += has(std::string(line), "\xE2\x96") ? 1 : 0;  // a block
  }
  EXPECT_EQ(bars, 3 + 3) << "three encodings and three baselines\n" << text;
}

TEST_F(TrainText, KeepsATrainingLengthThatIsNotTheUsualOne) {
  EXPECT_TRUE(has(train("none,wavelet(train=8)", {"--seeds", "2"}), "wavelet(train=8)"));
}

}  // namespace
}  // namespace sextant
