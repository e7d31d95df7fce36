// SPDX-License-Identifier: Apache-2.0
// Laws that every theorem of the catalogue obeys. A new one is tested here without a new line.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "run/theorem_document.h"

namespace sextant {
namespace {

constexpr std::array kVerdicts = {ClaimVerdict::kHolds, ClaimVerdict::kHoldsUnderConditions,
                                  ClaimVerdict::kViolated, ClaimVerdict::kVacuous,
                                  ClaimVerdict::kNotTestable};

// Small, so that the laws stay quick.
TheoremOptions small_options() { return {.train = 16, .to = 48, .dim = 16, .heads = 2}; }

std::string content_of_note(const TheoremInfo& info) {
  std::ifstream file(std::string(SEXTANT_SOURCE_DIR "/") + note_path(info));
  return {std::istreambuf_iterator<char>(file), {}};
}

bool known(ClaimVerdict verdict) {
  return std::ranges::find(kVerdicts, verdict) != kVerdicts.end();
}

// Without a full stop at the end: the program adds what it needs.
void expect_one_sentence(const std::string& text) {
  EXPECT_FALSE(text.empty());
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  EXPECT_FALSE(text.ends_with('.') || text.ends_with(' ')) << text;
  for (std::size_t at = text.find_first_of(".!?"); at != text.npos;
       at = text.find_first_of(".!?", at + 1)) {
    const std::size_t next = text.find_first_not_of(' ', at + 1);
    EXPECT_FALSE(next != text.npos && next > at + 1 && text[next] >= 'A' && text[next] <= 'Z')
        << text;
  }
}

class TheoremLaws : public testing::TestWithParam<TheoremRegistry::Entry> {
 protected:
  const TheoremInfo& info() const { return *GetParam().info; }
  CheckedTheorem checked() const {
    return check_theorems(std::span(&GetParam(), 1), small_options(), 1).front();
  }
};

TEST_P(TheoremLaws, IsDescribedInFull) {
  std::string_view number = info().id.substr(1);
  if (number.ends_with('\'')) number.remove_suffix(1);  // T1' restates T1
  EXPECT_TRUE(info().id.starts_with('T') && !number.empty()) << info().id;
  EXPECT_EQ(number.find_first_not_of("0123456789"), number.npos) << info().id;
  EXPECT_EQ(info().name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"),
            info().name.npos)
      << info().name;
  for (const std::string_view text : {info().title, info().source, info().claim, info().statement})
    EXPECT_FALSE(text.empty());
  EXPECT_FALSE(info().conditions.empty());
  for (const std::string_view condition : info().conditions) EXPECT_FALSE(condition.empty());
}

TEST_P(TheoremLaws, IsFoundByItsIdAndItsName) {
  EXPECT_EQ(theorems().find(info().id).info, &info());
  EXPECT_EQ(theorems().find(info().name).info, &info());
}

TEST_P(TheoremLaws, HasANoteThatBearsItsId) {
  const std::string note = content_of_note(info());
  ASSERT_FALSE(note.empty()) << note_path(info());
  const std::string heading = note.substr(0, note.find('\n'));
  EXPECT_TRUE(heading.starts_with("# " + std::string(info().id))) << heading;
}

TEST_P(TheoremLaws, GivesAVerdictThatItsFindingsSupport) {
  const CheckedTheorem result = checked();
  EXPECT_FALSE(result.error) << *result.error;
  const TheoremCheck& check = result.check;
  EXPECT_TRUE(known(check.verdict));
  expect_one_sentence(check.reason);
  EXPECT_TRUE(check.decisive < check.findings.size() ||
              (check.findings.empty() && check.verdict == ClaimVerdict::kNotTestable));
  const bool counterexample = std::ranges::any_of(
      check.findings, [](const Finding& f) { return f.verdict == ClaimVerdict::kViolated; });
  EXPECT_TRUE(check.verdict != ClaimVerdict::kViolated || counterexample)
      << "no counterexample among the findings";
}

TEST_P(TheoremLaws, NamesWhatItsFindingsAndFiguresShow) {
  const TheoremCheck check = checked().check;
  for (const Finding& finding : check.findings) {
    EXPECT_TRUE(known(finding.verdict)) << finding.part;
    EXPECT_FALSE(finding.part.empty()) << finding.quantity;
    EXPECT_FALSE(finding.quantity.empty()) << finding.part;
    EXPECT_TRUE(applies(finding) || finding.verdict == ClaimVerdict::kNotTestable)
        << finding.part << " is judged without a number";
    EXPECT_TRUE(finding.verdict != ClaimVerdict::kNotTestable || !finding.remark.empty())
        << finding.part << " does not say why it has no verdict";
    EXPECT_TRUE(!finding.interval || (*finding.interval)[0] <= (*finding.interval)[1])
        << finding.part;
  }
  for (const Figure& figure : check.figures) {
    EXPECT_FALSE(figure.title.empty() || figure.x_label.empty() || figure.y_label.empty());
    EXPECT_FALSE(figure.curves.empty()) << figure.title;
    for (const Figure::Curve& curve : figure.curves)
      EXPECT_EQ(curve.x.size(), curve.y.size()) << figure.title << ": " << curve.name;
  }
}

TEST_P(TheoremLaws, GivesEqualResultsTwice) {
  EXPECT_EQ(to_text(theorem_json(checked(), FigurePoints::kAll)),
            to_text(theorem_json(checked(), FigurePoints::kAll)));
}

INSTANTIATE_TEST_SUITE_P(All, TheoremLaws,
                         testing::ValuesIn(theorems().entries().begin(),
                                           theorems().entries().end()),
                         [](const auto& test) { return std::string(test.param.info->name); });

TEST(TheoremCatalogue, HasEachIdAndEachNameOnce) {
  std::set<std::string_view> ids, names;
  for (const TheoremRegistry::Entry& entry : theorems().entries()) {
    EXPECT_TRUE(ids.insert(entry.info->id).second) << entry.info->id;
    EXPECT_TRUE(names.insert(entry.info->name).second) << entry.info->name;
  }
}

// T1 before T1' before T2.
TEST(TheoremCatalogue, IsInTheOrderOfTheIds) {
  const auto rank = [](std::string_view id) {
    return std::pair(std::stoi(std::string(id.substr(1))), id.ends_with('\''));
  };
  EXPECT_TRUE(std::ranges::is_sorted(theorems().entries(), {},
                                     [&](const auto& entry) { return rank(entry.info->id); }));
}

TEST(TheoremCatalogue, IsListedWithItsNotes) {
  std::ifstream file(SEXTANT_SOURCE_DIR "/docs/math/README.md");
  const std::string index(std::istreambuf_iterator<char>(file), {});
  for (const TheoremRegistry::Entry& entry : theorems().entries())
    EXPECT_NE(index.find("(" + std::string(entry.info->name) + ".md)"), std::string::npos)
        << entry.info->name;
}

}  // namespace
}  // namespace sextant
