// SPDX-License-Identifier: Apache-2.0
// Spectra of long contexts by several ranks.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>

#include "measure/made_counts.h"
#include "support/made_counts.h"
#include "support/mpi_command.h"

namespace sextant {
namespace {

using Words = std::vector<std::string>;

class MpiSpectrum : public testing::Test {
 protected:
  std::string written(const CountsFile& file) const {
    const std::filesystem::path path = folder_ / "all.counts";
    write_counts(path, file, AtomicFile::Existing::kReplace);
    return path.string();
  }
  static Words spectrum(const std::string& counts, const Words& more) {
    Words words = {"spectrum", counts, "--json", "--threads", "1"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  TemporaryDirectory folder_;
};

TEST_F(MpiSpectrum, OfRowsOverRanksHasTheBytesOfOneProcess) {
  const std::string counts = written(made_drifting_counts(700, 800));
  for (const Words& more :
       {Words{"--top", "6", "--stress", "rope,alibi,sinusoidal"},
        Words{"--top", "6", "--stress", "rope,sinusoidal", "--pairs", "5000", "--seed", "3"},
        Words{"--top", "5", "--solver", "dense"}}) {
    Words words = spectrum(counts, more);
    words.insert(words.end(), {"-o", (folder_ / "mds.npy").string(), "--force"});
    const CommandResult one = sextant_command(words);
    ASSERT_EQ(one.status, 0) << one.err;
    const std::string points = content_of(folder_ / "mds.npy");
    for (const int ranks : {1, 2, 3, 4}) {
      const CommandResult several = mpi_command(ranks, words);
      ASSERT_EQ(several.status, 0) << ranks << " ranks: " << several.err;
      EXPECT_EQ(several.out, one.out) << ranks << " ranks";
      EXPECT_TRUE(content_of(folder_ / "mds.npy") == points) << ranks << " ranks";
    }
  }
}

TEST_F(MpiSpectrum, OfATextHasTheBytesOfOneProcess) {
  const auto text = folder_.write("reviews.tsv", tsv_text(900));
  const Words words = spectrum(text.string(), {"--text-column", "text", "--positions", "16",
                                               "--top", "4", "--stress", "rope"});
  const CommandResult one = sextant_command(words), three = mpi_command(3, words);
  ASSERT_EQ(one.status, 0) << one.err;
  ASSERT_EQ(three.status, 0) << three.err;
  EXPECT_EQ(three.out, one.out);
}

TEST_F(MpiSpectrum, DealsAboutEqualNumbersOfEntries) {
  const std::string counts = written(made_drifting_counts(2048, 2000));
  const CommandResult result = mpi_command(4, spectrum(counts, {"--top", "2"}));
  ASSERT_EQ(result.status, 0) << result.err;
  std::smatch found;
  ASSERT_TRUE(
      std::regex_search(result.err, found,
                        std::regex(R"(entries by rank: (\d+) \+ (\d+) \+ (\d+) \+ (\d+) = (\d+))")))
      << result.err;
  const double all = std::stod(found[5]);
  EXPECT_EQ(all, nlohmann::json::parse(result.out)["entries"].get<double>());
  for (std::size_t rank = 1; rank <= 4; ++rank)
    EXPECT_NEAR(std::stod(found[rank]) / all, 0.25, 0.02) << rank;
}

// By SLEPc, where sextant-mpi has it.
class MpiSlepc : public MpiSpectrum {
 protected:
  void expect_agreement(const std::string& counts, const std::string& top) const {
    const CommandResult one = sextant_command(spectrum(counts, {"--top", top}));
    ASSERT_EQ(one.status, 0) << one.err;
    const auto expected = nlohmann::json::parse(one.out);
    for (const int ranks : {1, 2, 3, 4}) {
      const CommandResult result =
          run_command(mpi_words(ranks, spectrum_words(counts, top)), mpi_options());
      if (result.err.find("slepc needs the program") != std::string::npos)
        GTEST_SKIP() << "built without SLEPc";
      ASSERT_EQ(result.status, 0) << ranks << " ranks: " << result.err;
      const auto found = nlohmann::json::parse(result.out);
      EXPECT_LE(found["residual"].get<double>(), 1e-8);
      EXPECT_LE(found["orthogonality"].get<double>(), 1e-8);
      EXPECT_FALSE(found["multiplicity_certified"].get<bool>());
      const double largest = expected["eigenvalues"][0].get<double>();
      for (std::size_t k = 0; k < expected["eigenvalues"].size(); ++k)
        EXPECT_NEAR(found["eigenvalues"][k].get<double>(), expected["eigenvalues"][k].get<double>(),
                    1e-10 * largest)
            << ranks << " ranks, " << k;
    }
  }

 private:
  static Words spectrum_words(const std::string& counts, const std::string& top) {
    Words words = spectrum(counts, {"--top", top, "--solver", "slepc"});
    words.insert(words.begin(), SEXTANT_MPI_BINARY);
    return words;
  }
};

TEST_F(MpiSlepc, AgreesWithKrylov) {
  expect_agreement(written(made_drifting_counts(600, 700)), "8");
}

// A ring of laws: every eigenvalue is double. On a longer ring they lie closer and take far longer.
TEST_F(MpiSlepc, FindsBothCopiesOfDoubleEigenvalues) {
  const Index n = 96;
  expect_agreement(written(file_of(made_counts(n, n,
                                               [n](Index i, Index v) -> Index {
                                                 const Index lag =
                                                     std::min((v - i + n) % n, (i - v + n) % n);
                                                 return lag == 0 ? 4 : lag == 1 ? 1 : 0;
                                               }))),
                   "7");
}

// Three places: two eigenvalues, the others are 0.
TEST_F(MpiSlepc, EndsWhereTheRankIsSmall) {
  expect_agreement(
      written(file_of(made_counts(
          300, 2, [](Index i, Index v) -> Index { return i % 3 == 2   ? 1
                                                         : i % 3 == v ? 2
                                                                      : 0; }))),
      "5");
}

TEST_F(MpiSpectrum, IsRefusedOnEveryRankWithTheNumbers) {
  const std::string counts = written(made_drifting_counts(700, 300));
  const CommandResult result =
      mpi_command(3, spectrum(counts, {"--solver", "dense", "--mem", "10M"}));
  EXPECT_EQ(result.status, 5) << result.err;
  const std::vector<std::string> lines = error_lines(result.err);
  ASSERT_EQ(lines.size(), 1U) << result.err;
  EXPECT_NE(lines.front().find("GB of memory but 0.01 GB may be used"), std::string::npos)
      << lines.front();
}

}  // namespace
}  // namespace sextant
