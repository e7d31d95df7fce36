// SPDX-License-Identifier: Apache-2.0
// The verb spectrum as a user meets it.
#include <cmath>
#include <nlohmann/json.hpp>

#include "measure/made_counts.h"
#include "support/made_counts.h"
#include "support/run_command.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

using SpectrumWords = std::vector<std::string>;

class SpectrumVerb : public testing::Test {
 protected:
  SpectrumVerb() {
    write_counts(folder_ / "all.counts", made_drifting_counts(320, 400),
                 AtomicFile::Existing::kReplace);
  }
  std::string counts() const { return (folder_ / "all.counts").string(); }
  nlohmann::json json_of(SpectrumWords words) const {
    words.insert(words.begin(), "spectrum");
    words.insert(words.end(), {"--json", "--quiet"});
    const CommandResult result = sextant_command(words);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.status == 0 ? nlohmann::json::parse(result.out) : nlohmann::json();
  }
  TemporaryDirectory folder_;
};

TEST_F(SpectrumVerb, HasTheKeysOfItsPage) {
  const auto json = json_of({counts(), "--top", "4", "--stress", "rope,alibi"});
  for (const char* key : {"corpus", "positions", "excluded", "few", "tokens", "entries", "solver",
                          "top", "trace", "eigenvalues", "shares", "share", "residual",
                          "orthogonality", "multiplicity_certified", "indistinguishable", "stress"})
    EXPECT_TRUE(json.contains(key)) << key;
  EXPECT_EQ(json["verb"], "spectrum");
  EXPECT_EQ(json["positions"], 320);
  EXPECT_EQ(json["eigenvalues"].size(), 4U);
  EXPECT_FALSE(json["multiplicity_certified"].get<bool>());
  const auto& stress = json["stress"];
  EXPECT_FALSE(stress["sampled"].get<bool>());
  EXPECT_EQ(stress["compared"], 320 * 319 / 2);
  ASSERT_EQ(stress["rows"].size(), 5U);  // rope, alibi twice, equidistant, mds
  EXPECT_EQ(stress["rows"][0]["encoding"], "rope");
  EXPECT_TRUE(stress["rows"][0]["stress_raw_error"].is_null());
  EXPECT_EQ(stress["rows"][4]["encoding"], "mds(rank=4)");
}

TEST_F(SpectrumVerb, AgreesWithTheGeometryOfAllPairs) {
  const auto all = json_of({counts(), "--top", "320", "--solver", "dense"});
  EXPECT_TRUE(all["multiplicity_certified"].get<bool>());
  EXPECT_NEAR(all["share"].get<double>(), 1.0, 1e-12);
  const CommandResult result =
      sextant_command({"geometry", counts(), "--splits", "1", "--no-intervals", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto geometry = nlohmann::json::parse(result.out);
  const auto top = json_of({counts(), "--top", "5"});
  const double largest = all["eigenvalues"][0].get<double>();
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_NEAR(top["eigenvalues"][k].get<double>(), all["eigenvalues"][k].get<double>(),
                1e-11 * largest);
    EXPECT_NEAR(top["eigenvalues"][k].get<double>(),
                geometry["target"]["eigenvalues"][k].get<double>(), 1e-11 * largest);
  }
  EXPECT_NEAR(top["trace"].get<double>(), all["trace"].get<double>(), 1e-11 * largest);
}

TEST_F(SpectrumVerb, ReadsATextAsItReadsItsCounts) {
  std::string text;
  for (int k = 0; k < 300; ++k) {
    for (int i = 0; i < 12; ++i) text += "w" + std::to_string((k * 7 + i * i) % 31) + " ";
    text += "\n";
  }
  const std::string corpus = folder_.write("text.txt", text).string();
  const std::string part = (folder_ / "text.counts").string();
  ASSERT_EQ(sextant_command({"count", corpus, "--positions", "12", "-o", part, "--quiet"}).status,
            0);
  auto from_text = json_of({corpus, "--positions", "12", "--top", "3", "--stress", "rope"});
  EXPECT_EQ(from_text, json_of({part, "--top", "3", "--stress", "rope"}));
}

TEST_F(SpectrumVerb, WritesCoordinatesThatMdsReads) {
  const std::string points = (folder_ / "mds.safetensors").string();
  const SpectrumWords words = {counts(), "--top", "3", "-o", points};
  EXPECT_EQ(json_of(words)["file"], points);
  const auto stress = json_of({counts(), "--top", "3", "--stress", "mds(file=" + points + ")"});
  EXPECT_NEAR(stress["stress"]["rows"][0]["stress_raw"].get<double>(),
              stress["stress"]["rows"][2]["stress_raw"].get<double>(), 1e-9);
  expect_failure(6, "--force", {"spectrum", counts(), "--top", "3", "-o", points, "--quiet"});
}

TEST_F(SpectrumVerb, SaysWhatItCannotCertifyAndHowItSampled) {
  const CommandResult result = sextant_command(
      {"spectrum", counts(), "--top", "2", "--stress", "sinusoidal", "--pairs", "1000"});
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* part : {"multiplicity not certified", "of 51040 pairs", "one standard error",
                           "sinusoidal", "equidistant", "mds(rank=2)", "+-"})
    EXPECT_NE(result.out.find(part), std::string::npos) << part << "\n" << result.out;
}

TEST_F(SpectrumVerb, OfEqualLawsSaysSo) {
  write_counts(folder_ / "equal.counts",
               file_of(made_counts(40, 6, [](Index, Index v) -> Index { return 50 + v; })),
               AtomicFile::Existing::kReplace);
  const auto json = json_of({(folder_ / "equal.counts").string(), "--top", "3"});
  EXPECT_TRUE(json["indistinguishable"].get<bool>());
  EXPECT_EQ(json["eigenvalues"], nlohmann::json({0.0, 0.0, 0.0}));
}

TEST_F(SpectrumVerb, RefusesWhatDoesNotFit) {
  expect_failure(2, "--solver", {"spectrum", counts(), "--solver", "slepc"});
  expect_failure(2, "--solver", {"spectrum", counts(), "--solver", "magic"});
  expect_failure(2, "--top", {"spectrum", counts(), "--top", "321"});
  expect_failure(2, "--pairs", {"spectrum", counts(), "--pairs", "1000"});
  expect_failure(2, "--positions", {"spectrum", counts(), "--positions", "64"});
  expect_failure(2, "fitted to all pairs", {"spectrum", counts(), "--stress", "mds(rank=2)"});
  expect_failure(2, "there is no encoding 'ropes'", {"spectrum", counts(), "--stress", "ropes"});
  expect_failure(5, "GB may be used", {"spectrum", counts(), "--solver", "dense", "--mem", "1M"});
  expect_failure(5, "GB may be used", {"spectrum", counts(), "--mem", "1K"});
  expect_failure(4, "missing.counts", {"spectrum", (folder_ / "missing.counts").string()});
  const std::string bad = folder_.write("bad.counts", "SXCOUNT\nnonsense").string();
  expect_failure(3, "bad.counts", {"spectrum", bad});
}

}  // namespace
}  // namespace sextant
