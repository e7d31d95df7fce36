// SPDX-License-Identifier: Apache-2.0
#include "training/named_files.h"

#include <gtest/gtest.h>

#include <set>

#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

std::string hash_of(const Trial& trial) { return NamedFiles().hash(trial); }

TEST(NamedFiles, HaveNoHashWhereNoneIsNamed) {
  Trial trial;
  trial.encoding = "rope(base=500)+alibi";
  EXPECT_EQ(hash_of(trial), "");
  trial.corpus.tokenizer = "bytes";
  EXPECT_EQ(hash_of(trial), "");
}

TEST(NamedFiles, AreTheirContentAndNotTheirNames) {
  const TemporaryDirectory folder;
  const std::string first = folder.write("a.npy", "abc").string(),
                    second = folder.write("b.npy", "abc").string();
  Trial trial;
  trial.encoding = "table(file=" + first + ")";
  const std::string before = hash_of(trial);
  EXPECT_EQ(before.size(), 16U);
  trial.encoding = "rope+table(file=" + second + "#tensor)";
  EXPECT_EQ(hash_of(trial), before);
  folder.write("b.npy", "abd");
  EXPECT_NE(hash_of(trial), before);
}

// Longer than one piece of reading, and different in the last byte alone.
TEST(NamedFiles, AreReadToTheEnd) {
  const TemporaryDirectory folder;
  std::string bytes((std::size_t{1} << 21) + 5, 'x');
  Trial trial;
  trial.frame = Frame::kBert;
  trial.weights = folder.write("model.safetensors", bytes).string();
  const std::string before = hash_of(trial);
  trial.weights = folder.path().string();  // a folder with the file in it
  EXPECT_EQ(hash_of(trial), before);
  bytes.back() = 'y';
  folder.write("model.safetensors", bytes);
  EXPECT_NE(hash_of(trial), before);
}

// Both pairs of names under which GPT-2's tokenizer goes.
TEST(NamedFiles, AreAllThatATokenizersFolderHas) {
  for (const char* name : {"vocab.json", "merges.txt", "encoder.json", "vocab.bpe"}) {
    const TemporaryDirectory folder;
    Trial trial;
    trial.corpus.inputs = {"text"};
    trial.corpus.tokenizer = "gpt2:" + folder.path().string();
    folder.write(name, "before");
    const std::string before = hash_of(trial);
    folder.write(name, "after");
    EXPECT_NE(hash_of(trial), before) << name;
  }
}

TEST(NamedFiles, CountInEveryPlaceOfATrial) {
  const TemporaryDirectory folder;
  const std::string a = folder.write("a", "a").string(), b = folder.write("b", "b").string();
  Trial trial;
  std::set<std::string> hashes;
  trial.encoding = "mds(file=" + a + ")";
  hashes.insert(hash_of(trial));
  trial.encoding = "mds(file=" + a + ",map=" + b + ")";
  hashes.insert(hash_of(trial));
  trial.encoding = "mds(file=" + a + ",map=" + a + ")";
  hashes.insert(hash_of(trial));
  trial.corpus.inputs = {"text"};
  trial.corpus.tokenizer = "tokenizer:" + b;
  hashes.insert(hash_of(trial));
  EXPECT_EQ(hashes.size(), 4U);
}

TEST(NamedFiles, ThatAreNotThereAreNamed) {
  Trial trial;
  trial.encoding = "table(file=nowhere.npy)";
  expect_error(ErrorCode::kUnreadable, "nowhere.npy", [&] { hash_of(trial); });
}

}  // namespace
}  // namespace sextant
