// SPDX-License-Identifier: Apache-2.0
// classify, as a user meets it.
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "io/npy.h"
#include "support/run_command.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

using Words = std::vector<std::string>;

class Classify : public testing::Test {
 protected:
  std::string array(const std::string& name, const std::vector<Index>& shape,
                    const Vector& values) const {
    const auto raw = std::as_bytes(std::span(values));
    const std::string bytes(reinterpret_cast<const char*>(raw.data()), raw.size());
    return folder_.write(name, npy_header("<f8", shape) + bytes).string();
  }

  static nlohmann::json json_of(Words words) {
    words.insert(words.begin(), "classify");
    words.insert(words.end(), {"--json", "--quiet"});
    const CommandResult result = sextant_command(words);
    EXPECT_EQ(result.status, 0) << result.err;
    return nlohmann::json::parse(result.out);
  }

  TemporaryDirectory folder_;
};

TEST_F(Classify, NamesADampedRotationBesideANilpotentBlock) {
  const std::string x = array("x.npy", {4, 4},
                              {-0.1, -0.5, 0, 0,  //
                               0.5, -0.1, 0, 0,   //
                               0, 0, 0, 2,        //
                               0, 0, 0, 0});
  const auto json = json_of({x});
  EXPECT_EQ(json["verdict"], "group");
  ASSERT_EQ(json["families"].size(), 2U);
  std::map<std::string, nlohmann::json> kinds;
  for (const auto& family : json["families"]) kinds[family["kind"]] = family;
  EXPECT_NEAR(kinds["spiral"]["decay"], -0.1, 1e-9);
  EXPECT_NEAR(kinds["spiral"]["frequency"], 0.5, 1e-9);
  EXPECT_EQ(kinds["real Jordan"]["size"], 2);
  EXPECT_EQ(json["stability"], "grows polynomially");
  EXPECT_EQ(json["needs_causal_mask"], true);
  EXPECT_EQ(json["ambiguous"], false);
}

TEST_F(Classify, CallsZeroNone) {
  const auto json = json_of({array("x.npy", {3, 3}, Vector(9, 0.0))});
  ASSERT_EQ(json["families"].size(), 1U);
  EXPECT_EQ(json["families"][0]["kind"], "none");
  EXPECT_EQ(json["families"][0]["size"], 1);
  EXPECT_EQ(json["families"][0]["count"], 3);
}

TEST_F(Classify, PredictsWhereGrowthOverflows) {
  const auto json = json_of({array("x.npy", {1, 1}, {1.0})});
  EXPECT_EQ(json["families"][0]["kind"], "growth");
  EXPECT_NEAR(json["horizon"]["f32"], 88.72, 0.01);
  EXPECT_NEAR(json["horizon"]["f64"], 709.78, 0.01);
  EXPECT_NEAR(json["horizon"]["f16"], 11.09, 0.01);
}

TEST_F(Classify, FindsTheGroupOfRopeAndTheLiftOfAlibi) {
  const auto rope = json_of({"rope", "--dim", "8"});
  EXPECT_EQ(rope["verdict"], "group");
  ASSERT_EQ(rope["families"].size(), 4U);
  for (const auto& family : rope["families"]) EXPECT_EQ(family["kind"], "rotation");
  EXPECT_EQ(rope["norm_preserving"], true);
  const auto alibi = json_of({"alibi(causal=1)", "--dim", "8"});
  EXPECT_EQ(alibi["verdict"], "relative but no group");
  EXPECT_EQ(alibi["hankel"]["rank"], 2);
}

// The counterexample to "linear, continuous and relative is a group".
TEST_F(Classify, SeesThatASingularStartIsNoGroup) {
  Vector f, g;
  for (int t = 0; t < 8; ++t) {
    f.insert(f.end(), {1.0, 0.0, static_cast<double>(t), 0.0});  // F(s) = [[1,s],[0,0]]^T
    g.insert(g.end(), {-static_cast<double>(t), 0.0, 1.0, 0.0});
  }
  const auto json = json_of({"--maps", array("f.npy", {8, 2, 2}, f), array("g.npy", {8, 2, 2}, g)});
  EXPECT_EQ(json["verdict"], "relative but no group");
  EXPECT_EQ(json["realisation"]["order"], 2);
}

TEST_F(Classify, RecoversAGeneratorFromMapsAndWritesIt) {
  const double w = 0.3;
  Vector maps;
  for (int t = 0; t < 9; ++t)
    maps.insert(maps.end(), {std::cos(w * t), std::sin(w * t), -std::sin(w * t), std::cos(w * t)});
  const std::string stack = array("f.npy", {9, 2, 2}, maps), x = (folder_ / "x.npy").string();
  const auto json = json_of({"--maps", stack, stack, "-o", x});
  EXPECT_EQ(json["verdict"], "group");
  const NpyArray found = read_npy(x);
  EXPECT_NEAR(found.values[1], -w, 1e-10);  // A(t) = F(t)^T = exp(t [[0,-w],[w,0]])
  EXPECT_NEAR(found.values[2], w, 1e-10);
  expect_failure(2, "is an input", {"classify", "--maps", stack, stack, "-o", stack, "--force"});
}

TEST_F(Classify, CertifiesKernels) {
  Vector turn, log, tent;
  for (int lag = 0; lag < 64; ++lag) {
    turn.push_back(std::cos(0.4 * lag));
    log.push_back(-std::log1p(lag));
  }
  for (int lag = -31; lag <= 31; ++lag) tent.push_back(-std::abs(lag));
  EXPECT_EQ(json_of({"--kernel", array("turn.npy", {64}, turn)})["hankel"]["rank"], 2);
  EXPECT_EQ(json_of({"--kernel", array("log.npy", {64}, log)})["verdict"],
            "not a finite-dimensional group");
  EXPECT_EQ(json_of({"--kernel", array("tent.npy", {63}, tent), "--two-sided"})["verdict"],
            "not a finite-dimensional group");
}

TEST_F(Classify, FitsTheNearestMemberOfAFamily) {
  Vector k;
  for (int lag = 0; lag < 64; ++lag) k.push_back(std::exp(-0.05 * lag) * std::cos(0.4 * lag));
  const auto json = json_of({"--kernel", array("k.npy", {64}, k), "--nearest", "spiral"});
  EXPECT_LT(json["nearest"]["residual"], 1e-8);
  EXPECT_NEAR(json["nearest"]["families"][0]["frequency"], 0.4, 1e-7);
  EXPECT_NEAR(json["nearest"]["families"][0]["decay"], -0.05, 1e-7);
}

TEST_F(Classify, MapsTheWholeCatalogue) {
  const auto json = json_of({"--all"});
  std::map<std::string, std::string> place;
  for (const auto& row : json["rows"]) place[row["encoding"]] = row["place"];
  EXPECT_EQ(place["rope"], "rotation");
  EXPECT_EQ(place["none"], "none");
  EXPECT_EQ(place["xpos"], "spiral");
  EXPECT_EQ(place["jordan"], "complex Jordan");
  EXPECT_EQ(place["alibi_lift"], "real Jordan");
  EXPECT_EQ(place["kerple"], "relative only");
  EXPECT_EQ(place["sinusoidal"], "absolute");
}

TEST_F(Classify, KnowsSchemesThatDependOnTheContent) {
  EXPECT_EQ(json_of({"cope"})["verdict"], "content dependent");
  const Vector one = {1, 0, 0, 1}, other = {0, 1, 1, 0};
  Vector stacks;
  for (const Vector& map : {one, other})
    for (int t = 0; t < 6; ++t) stacks.insert(stacks.end(), map.begin(), map.end());
  const std::string file = array("f.npy", {2, 6, 2, 2}, stacks);
  Vector still;
  for (int t = 0; t < 12; ++t) still.insert(still.end(), one.begin(), one.end());
  EXPECT_EQ(json_of({"--maps", file, array("g.npy", {2, 6, 2, 2}, still)})["verdict"],
            "content dependent");
}

TEST_F(Classify, RefusesWhatItCannotAnswer) {
  expect_failure(3, "[2, 3]", {"classify", array("r.npy", {2, 3}, Vector(6, 1.0))});
  expect_failure(7, "finite", {"classify", array("n.npy", {1, 1}, {std::nan("")})});
  expect_failure(3, "[0, 0]", {"classify", array("e.npy", {0, 0}, {})});
  expect_failure(2, "must be given", {"classify"});
  expect_failure(2, "--at", {"classify", "rope", "--at", "t.npy"});
  expect_failure(2, "--noise", {"classify", "rope", "--noise", "0"});
  expect_failure(4, "missing.npy", {"classify", "missing.npy"});
  expect_failure(2, "fixes", {"classify", "generator(frequency=1)", "--dim", "8"});
  const std::string two = array("f.npy", {2, 2, 2}, {1, 0, 0, 1, 1, 0, 0, 1});
  const std::string wide = array("g.npy", {2, 3, 3}, Vector(18, 0.0));
  expect_failure(2, "3", {"classify", "--maps", two, wide});
}

}  // namespace
}  // namespace sextant
