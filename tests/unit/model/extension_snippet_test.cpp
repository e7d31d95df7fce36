// SPDX-License-Identifier: Apache-2.0
// What `extend` prints, read back as a model.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/rounding.h"
#include "math/double_double.h"
#include "model/extension.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

constexpr char kLlama[] = R"({"model_type": "llama", "hidden_size": 1024,
  "num_attention_heads": 16, "num_hidden_layers": 2, "max_position_embeddings": 2048})";

struct SpellingCase {
  std::string method = {};
  ConfigSpelling spelling = ConfigSpelling::kV4;
};

class SnippetReadBack : public testing::TestWithParam<SpellingCase> {};

// theta of ntk is rounded to a double; everything else is exact.
TEST_P(SnippetReadBack, GivesTheRuleThatWasMeasured) {
  const TemporaryDirectory folder;
  Json config = Json::parse(kLlama);
  if (GetParam().spelling == ConfigSpelling::kV4) {
    config["rope_theta"] = 10000.0;
  } else {
    config["rope_parameters"] = {{"rope_type", "default"}, {"rope_theta", 10000.0}};
  }
  const Model model = read_model(folder.write("before.json", config.dump()));
  const ExtensionSubject subject = extension_subject(model, 8192);
  EXPECT_EQ(spelling_of(subject.keys) == ConfigSpelling::kV5,
            GetParam().spelling == ConfigSpelling::kV5);
  const ExtensionReport report = compare_extensions(subject);
  const auto wanted =
      std::ranges::find(report.candidates, GetParam().method, &ExtensionCandidate::method);
  ASSERT_NE(wanted, report.candidates.end());
  config.update(extension_snippet(subject, *wanted, GetParam().spelling));
  const Model extended = read_model(folder.write("after.json", config.dump()));
  for (const KeyUse& key : extended.keys)
    EXPECT_TRUE(key.consumed) << key.pointer << ": " << key.reason;
  const RotaryOperator found =
      rotary_operator(extended, extended.groups.front(), Engine::kHuggingFace, 8192);
  ASSERT_EQ(found.inv_freq.size(), wanted->ladder.inv_freq.size());
  for (std::size_t i = 0; i < found.inv_freq.size(); ++i) {
    const DoubleDouble gap = abs(found.inv_freq[i] - wanted->ladder.inv_freq[i]);
    EXPECT_LE(to_double(gap), 1e-14 * wanted->ladder.inv_freq[i].high) << i;
  }
  EXPECT_NEAR(to_double(found.magnitude), to_double(wanted->ladder.magnitude), 1e-15);
}

std::vector<SpellingCase> spelling_cases() {
  std::vector<SpellingCase> cases;
  for (const std::string_view method : kExtensionMethods) {
    if (method == "self-extend" || method == "rerope") continue;
    cases.push_back({std::string(method), ConfigSpelling::kV4});
    cases.push_back({std::string(method), ConfigSpelling::kV5});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, SnippetReadBack, testing::ValuesIn(spelling_cases()),
                         [](const auto& test) {
                           return test.param.method +
                                  (test.param.spelling == ConfigSpelling::kV4 ? "V4" : "V5");
                         });

}  // namespace
}  // namespace sextant
