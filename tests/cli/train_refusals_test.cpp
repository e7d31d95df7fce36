// SPDX-License-Identifier: Apache-2.0
// Options of sextant train that contradict each other, the task or the texts.
#include "support/fake_lab.h"

namespace sextant {
namespace {

using Words = std::vector<std::string>;

class TrainRefusals : public WithFakeLab {
 protected:
  TrainRefusals() : WithFakeLab("evaluations=\n") {}
  void refused(const std::string& part, Words words) const {
    words.insert(words.begin(), "train");
    words.insert(words.end(), {"-o", output()});
    expect_failure(2, part, words, environment());
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
  }
};

TEST_F(TrainRefusals, ALabelIsNotItsOwnText) {
  std::string table = "sentence\tlabel\n", lines;
  for (int i = 0; i < 40; ++i) {
    const std::string text = "w" + std::to_string(i) + " is here",
                      label = i % 2 == 0 ? "yes" : "no";
    table += text + "\t" + label + "\n";
    lines += R"({"text":")" + label +
             R"("})"
             "\n";
  }
  const std::string tsv = folder_.write("a.tsv", table).string();
  const std::string jsonl = folder_.write("a.jsonl", lines).string();
  const std::string both = "--text-column and --label-column must name two columns";
  refused(both, {"classify", tsv, "--label-column", "label"});
  refused(both, {"classify", tsv, "--label-column", "2"});
  refused(both, {"classify", tsv, "--text-column", "1", "--label-column", "1"});
  refused(both, {"classify", tsv, "--text-column", "label", "--label-column", "2"});
  refused("--text-field and --label-column", {"classify", jsonl, "--label-column", "text"});
  refused("--text-field and --label-column",
          {"classify", jsonl, "--text-field", "x", "--label-column", "x"});
}

TEST_F(TrainRefusals, OptionsThatDoNothingBesideTheTask) {
  const std::string says = "does nothing beside the task 'running_sum'";
  refused("--label-column: " + says, {"running_sum", "--label-column", "1"});
  refused("--vocabulary: " + says, {"running_sum", "--vocabulary", "5"});
  refused("--tokens: " + says, {"running_sum", "--tokens", "words"});
  refused("--text-field: " + says, {"running_sum", "--text-field", "text"});
  refused("--limit: " + says, {"running_sum", "--limit", "5"});
  refused("--label-column: does nothing beside the task 'lm'",
          {"lm", "a.tsv", "--label-column", "1"});
}

TEST_F(TrainRefusals, AWarmUpOfMoreThanHalfTheSteps) {
  refused("--warm-up: must be at most half of --steps 9 but got 5",
          {"running_sum", "--steps", "9", "--warm-up", "5"});
}

TEST_F(TrainRefusals, WeightsWithoutTheTokenizerOfTheirVocabulary) {
  const std::string text = folder_.write("a.txt", "a b\nb a\n").string();
  refused("--tokens wordpiece:VOCAB",
          {"mlm", text, "--model", "bert-base", "--weights", "m.safetensors"});
  refused("--tokens wordpiece:VOCAB",
          {"mlm", text, "--model", "bert-base", "--weights", "m.safetensors", "--tokens", "bytes"});
}

}  // namespace
}  // namespace sextant
