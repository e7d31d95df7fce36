// SPDX-License-Identifier: Apache-2.0
// Learned tables in inspect and score, as a user meets them.
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>

#include "io/npy.h"
#include "support/run_command.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

constexpr Index kRows = 24;

class LearnedTables : public testing::Test {
 protected:
  std::string write(const std::string& name, std::vector<Index> shape, const Vector& values) const {
    std::string bytes = npy_header("<f8", shape);
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
    return folder_.write(name, bytes).string();
  }

  // Rows at equal steps on a circle; row 5 is nearly nothing.
  static Vector circle() {
    Vector values;
    values.reserve(2 * kRows);
    for (Index i = 0; i < kRows; ++i) {
      const double angle =
          2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(kRows);
      const double radius = i == 5 ? 0.01 : 2.0;
      values.push_back(radius * std::cos(angle));
      values.push_back(radius * std::sin(angle));
    }
    return values;
  }

  TemporaryDirectory folder_;
};

TEST_F(LearnedTables, InspectSaysNormsNeighboursRanksAndUntrainedRows) {
  const CommandResult result =
      sextant_command({"inspect", write("t.npy", {kRows, 2}, circle()), "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const nlohmann::json document = nlohmann::json::parse(result.out);
  EXPECT_EQ(document["verb"], "inspect");
  const nlohmann::json& table = document["table"];
  EXPECT_EQ(table["shape"], nlohmann::json::parse("[24,2]"));
  EXPECT_EQ(table["dtype"], "f64");
  EXPECT_NEAR(table["norm"]["greatest"]["value"].get<double>(), 2.0, 1e-12);
  EXPECT_EQ(table["norm"]["least"]["row"], 5);
  ASSERT_EQ(table["untrained"].size(), 1U);
  EXPECT_EQ(table["untrained"][0]["sign"], "small");
  EXPECT_NEAR(table["neighbours"]["median"].get<double>(), std::cos(std::numbers::pi / 12.0),
              1e-12);
  EXPECT_EQ(table["ranks"]["numerical"], 2);
  EXPECT_EQ(table["norms"].size(), 24U);
  EXPECT_TRUE(table["neighbour_cosines"][5].is_null());
}

TEST_F(LearnedTables, InspectDrawsThemForPeople) {
  const CommandResult result = sextant_command({"inspect", write("t.npy", {kRows, 2}, circle())});
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* part : {"(24, 2), f64", "1 of 24: 5", "norm of each row", "Effective rank",
                           "Wavelengths", "sextant score"}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part << " in\n" << result.out;
  }
}

TEST_F(LearnedTables, ALeadingAxisOfOneIsNoAxis) {
  const CommandResult result =
      sextant_command({"inspect", write("vit.npy", {1, kRows, 2}, circle()), "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const nlohmann::json document = nlohmann::json::parse(result.out);
  EXPECT_EQ(document["table"]["rows"], kRows);
}

TEST_F(LearnedTables, WhatIsNoTableIsRefused) {
  expect_failure(3, "must have the shape (rows, dim) but has (48,)",
                 {"inspect", write("flat.npy", {2 * kRows}, circle())});
  expect_failure(3, "no values", {"inspect", write("none.npy", {0, 2}, {})});
  expect_failure(4, "absent.npy", {"inspect", (folder_ / "absent.npy").string()});
  expect_failure(2, "go with a model",
                 {"inspect", write("t.npy", {kRows, 2}, circle()), "--engine", "vllm"});
  expect_failure(7, "finite", {"inspect", write("nan.npy", {1, 1}, {std::nan("")})});
}

TEST_F(LearnedTables, APageIsWrittenOnceUnlessForced) {
  const std::string table = write("t.npy", {kRows, 2}, circle());
  const std::string page = folder_.write("page.html", "mine").string();
  expect_failure(6, "--force", {"inspect", table, "--report", page});
  EXPECT_EQ(content_of(page), "mine");
  expect_failure(2, "--report", {"inspect", table, "--force"});
  const CommandResult result = sextant_command({"inspect", table, "--report", page, "--force"});
  ASSERT_EQ(result.status, 0) << result.err;
  if (result.err.find("no page") == std::string::npos) {
    EXPECT_NE(content_of(page).find("\"untrained\""), std::string::npos);
  }
}

// Stress sees distances alone: a table with the rows of an encoding scores as the encoding, and
// keeps its own width whatever --dim says.
TEST_F(LearnedTables, ScoreTakesATableBesideBuiltInsOfAnotherWidth) {
  const std::string file = (folder_ / "rows.npy").string();
  ASSERT_EQ(sextant_command({"table", "sinusoidal", "--positions", "20", "--dim", "12", "--dtype",
                             "f64", "-o", file})
                .status,
            0);
  const auto score = [&](const std::string& dim) {
    const CommandResult result = sextant_command(
        {"score", "synthetic:periodic", "--positions", "16", "--shuffles", "2", "--dim", dim,
         "--encodings", "table:" + file + ",sinusoidal,alibi", "--json", "--quiet"});
    EXPECT_EQ(result.status, 0) << result.err;
    std::map<std::string, double> stress;
    const nlohmann::json document = nlohmann::json::parse(result.out);
    for (const auto& row : document["rows"])
      stress[row["encoding"].get<std::string>()] = row["stress_scaled"].get<double>();
    return stress;
  };
  const auto same = score("12"), other = score("32");
  EXPECT_NEAR(same.at("table:rows.npy"), same.at("sinusoidal"), 1e-9);
  EXPECT_NEAR(other.at("table:rows.npy"), same.at("table:rows.npy"), 1e-9);
  EXPECT_GT(std::abs(other.at("sinusoidal") - same.at("sinusoidal")), 1e-6);
}

TEST_F(LearnedTables, ScoreNamesATableThatIsTooShort) {
  const CommandResult result =
      sextant_command({"score", "synthetic:periodic", "--positions", "40", "--shuffles", "2",
                       "--encodings", "table:" + write("t.npy", {kRows, 2}, circle()), "--quiet"});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.out.find("the table's 24 rows"), std::string::npos) << result.out;
}

}  // namespace
}  // namespace sextant
