// SPDX-License-Identifier: Apache-2.0
#include "corpus/wordnet.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "corpus/counter.h"
#include "support/expect_error.h"
#include "support/small_corpus.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

class SmallWordnet : public testing::Test {
 protected:
  SmallWordnet() {
    folder_.write("data.noun",
                  "  1 licence | not a gloss\n01 03 n 01 x 0 000 | a thing; \"it is\"  \n");
    folder_.write("data.verb", "02 29 v 01 y 0 000 | do | undo  \n");
    folder_.write("data.adj", "");
    folder_.write("data.adv", "03 02 r 01 z 0 000 | often");
  }
  TemporaryDirectory folder_;
};

TEST_F(SmallWordnet, GivesOneRecordASynset) {
  const auto reader = open_wordnet(folder_.path());
  RecordBatch batch;
  ASSERT_TRUE(reader->next(batch));
  std::vector<std::string> texts;
  for (const auto& record : batch.records) texts.emplace_back(batch.text(record));
  EXPECT_EQ(texts, (std::vector<std::string>{"a thing; \"it is\"", "do | undo", "often"}));
  EXPECT_FALSE(reader->next(batch));
  EXPECT_EQ(reader->progress().bytes_read, reader->progress().bytes_total);
}

TEST_F(SmallWordnet, RejectsALineWithoutAGloss) {
  folder_.write("data.adj", "\n");
  expect_error(ErrorCode::kMalformed, "data.adj:1: no gloss", [&] {
    const auto reader = open_wordnet(folder_.path());
    RecordBatch batch;
    while (reader->next(batch)) {
    }
  });
}

TEST(Wordnet, IsMissingWithoutItsFiles) {
  const TemporaryDirectory folder;
  EXPECT_FALSE(wordnet_present(folder.path()));
  expect_error(ErrorCode::kUnreadable, "data.noun", [&] { open_wordnet(folder.path()); });
}

// WordNet 3.0 has 117,659 synsets (its own statistics page, wnstats).
TEST(Wordnet, HasAllSynsetsWhereItIsInstalled) {
  if (!wordnet_present()) GTEST_SKIP() << "wordnet-base is not installed";
  GrowingWords words;
  const PositionalCounts counts =
      count_corpus(*open_wordnet(), words, {.positions = 10, .shuffles = 0}).file.counts;
  EXPECT_EQ(counts.records, 117659);
  EXPECT_NEAR(static_cast<double>(counts.used), 69000.0, 1000.0);
}

}  // namespace
}  // namespace sextant
