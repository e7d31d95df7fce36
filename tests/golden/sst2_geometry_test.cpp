// SPDX-License-Identifier: Apache-2.0
// The 6,885 sentences of SST-2 (Socher et al. 2013), words, 24 positions. Reference values of an
// independent numpy program. The data cannot be distributed: SEXTANT_DATA names a folder that has
// sst2/train-sentences.tsv; without it the test is skipped.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/run_command.h"

namespace sextant {
namespace {

constexpr double kPlain = 1e-5;      // relative; the reference has six digits
constexpr double kCorrected = 0.02;  // absolute; the reference is a limit over many splits

void expect_relative(double value, double reference) {
  EXPECT_NEAR(value, reference, kPlain * reference);
}

nlohmann::json row_of(const nlohmann::json& document, const std::string& name,
                      const std::string& rule) {
  for (const auto& row : document["rows"]) {
    if (row["encoding"].get<std::string>().rfind(name, 0) == 0 && row["geometry"] == rule)
      return row;
  }
  ADD_FAILURE() << name << " " << rule;
  return {};
}

TEST(Sst2Geometry, HasTheReferenceValues) {
  const char* folder = std::getenv("SEXTANT_DATA");
  if (folder == nullptr) GTEST_SKIP() << "SEXTANT_DATA is not set";
  const std::string file = (std::filesystem::path(folder) / "sst2/train-sentences.tsv").string();
  const CommandResult result = sextant_command(
      {"score", file, "--positions", "24", "--dim", "64", "--encodings",
       "sinusoidal,rope,alibi(slope=0.00390625),mds(rank=1),mds(rank=2),mds(rank=4),mds(rank=8)",
       "--json", "--quiet"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  const auto& target = json["target"];
  EXPECT_EQ(json["corpus"]["used"], 2154);
  EXPECT_EQ(json["corpus"]["vocabulary"], 8955);
  expect_relative(target["mean_distance"], 0.893085);
  expect_relative(target["min_distance"], 0.832708);
  expect_relative(target["max_distance"], 1.069495);
  EXPECT_EQ(target["rank"], 23);
  const double eigenvalues[] = {0.703188, 0.554556, 0.485206, 0.441647, 0.415397};
  for (std::size_t k = 0; k < 5; ++k) expect_relative(target["eigenvalues"][k], eigenvalues[k]);
  expect_relative(target["first_share"], 0.076405);
  EXPECT_NEAR(target["null"]["mean_distance"].get<double>(), 0.856, 0.002);
  const auto sinusoidal = row_of(json, "sinusoidal", "rows"), rope = row_of(json, "rope", "kernel");
  const auto line = row_of(json, "alibi", "line"), brownian = row_of(json, "alibi", "brownian");
  const auto flat = row_of(json, "equidistant", "control");
  expect_relative(sinusoidal["stress_raw"], 13.67293);
  expect_relative(sinusoidal["stress_scaled"], 0.0519863);
  expect_relative(rope["stress_raw"], 0.0742223);
  expect_relative(rope["stress_scaled"], 0.0519863);
  expect_relative(line["stress_raw"], 0.928108);
  expect_relative(line["stress_scaled"], 0.285871);
  expect_relative(brownian["stress_raw"], 0.660001);
  expect_relative(brownian["stress_scaled"], 0.109320);
  expect_relative(flat["stress_raw"], 0.0176590);
  expect_relative(flat["stress_scaled"], 0.00337589);
  const std::pair<const char*, double> ranks[] = {{"mds(rank=1)", 0.796533},
                                                  {"mds(rank=2)", 0.598151},
                                                  {"mds(rank=4)", 0.426954},
                                                  {"mds(rank=8)", 0.186607}};
  for (const auto& [spec, reference] : ranks)
    expect_relative(row_of(json, spec, "rows")["stress_raw"], reference);
  EXPECT_NEAR(target["corrected"]["mean_squared"].get<double>(), 0.078, kCorrected);
  EXPECT_NEAR(target["signal_fraction"].get<double>(), 0.097, kCorrected);
  EXPECT_NEAR(sinusoidal["stress_corrected"].get<double>(), 0.362, kCorrected);
  EXPECT_NEAR(line["stress_corrected"].get<double>(), 0.362, kCorrected);
  EXPECT_NEAR(brownian["stress_corrected"].get<double>(), 0.335, kCorrected);
  EXPECT_NEAR(flat["stress_corrected"].get<double>(), 0.41, kCorrected);
}

}  // namespace
}  // namespace sextant
