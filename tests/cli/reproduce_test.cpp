// SPDX-License-Identifier: Apache-2.0
// sextant reproduce as a user meets it, with a script in the place of the program that trains.
#include <cmath>
#include <nlohmann/json.hpp>

#include "support/fake_lab.h"

namespace sextant {
namespace {

using Words = std::vector<std::string>;

// Loss at 200: wavelet .039, re-scaled .0108; sinusoid .0423, re-scaled .0001; others .02; seeds
// add up to .0001. Accuracy .1, which is below every chance but that of a multiset.
constexpr const char* kReproducingLab = R"sh(
case $encoding in
  wavelet*rescale*) loss=0.0107;; wavelet*) loss=0.039;;
  sinusoidal*rescale*) loss=0.0001;; sinusoidal*) loss=0.0422;; *) loss=0.02;;
esac
loss=$(echo "$loss $seed" | awk '{ printf "%.5f", $1 + $2 / 20000 }')
evaluations='{"length": 12, "loss": '$loss', "accuracy": 0.05, "loss_by_position": []},
  {"length": 200, "loss": '$loss', "loss_by_position": []}'
)sh";

class Reproduce : public WithFakeLab {
 protected:
  Reproduce() : WithFakeLab(kReproducingLab) {}
  CommandResult reproduce(const Words& more, const std::string& variable = "NOTHING=",
                          const std::string& lab = "lab") const {
    Words words = {"reproduce"};
    words.insert(words.end(), more.begin(), more.end());
    return sextant_command(words, environment(variable, lab));
  }
};

nlohmann::json cell_of(const nlohmann::json& document, const std::string& name) {
  for (const auto& cell : document["tables"])
    if (cell["cell"] == name) return cell;
  ADD_FAILURE() << name;
  return {};
}

TEST_F(Reproduce, DecidesByTheReadingThatAgrees) {
  const CommandResult result =
      reproduce({"running-sum", "--seeds", "3", "-o", output(), "--json", "--quiet"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["verb"], "reproduce");
  // Seeds 1, 2, 3 add .00005, .0001, .00015: the mean is that of the second, the deviation .00005.
  const auto wavelet = cell_of(json, "wavelet / MSE at N=200");
  EXPECT_EQ(wavelet["name"], "running-sum");
  EXPECT_EQ(wavelet["published"], 0.0108);
  EXPECT_NEAR(wavelet["ours"].get<double>(), 0.0108, 1e-9);
  EXPECT_NEAR(wavelet["sd"].get<double>(), 0.00005, 1e-9);
  EXPECT_EQ(wavelet["verdict"], "reproduced only if positions are re-scaled to the length");
  EXPECT_EQ(wavelet["readings"].size(), 3U);
  EXPECT_EQ(cell_of(json, "sinusoidal / MSE at N=200")["verdict"], "reproduced");
  const auto order = cell_of(json, "wavelet minus sinusoidal / MSE at N=200");
  EXPECT_EQ(order["verdict"], "reproduced") << order;
  EXPECT_EQ(cell_of(json, "wavelet minus ALiBi / MSE at N=200")["verdict"],
            "reproduced only if the wavelet is re-scaled");
  EXPECT_EQ(content_of(folder_ / "out/reproduce.json"), result.out);
}

TEST_F(Reproduce, TrainsEachTrialOnceAndResumes) {
  ASSERT_EQ(reproduce({"running-sum", "--quick", "-o", output()}).status, 0);
  // wavelet and sinusoidal, each plain and re-scaled, and alibi, with three seeds.
  EXPECT_EQ(runs(), 15);
  EXPECT_EQ(reproduce({"running-sum", "--quick", "-o", output()}).status, 6);
  const CommandResult resumed = reproduce({"running-sum", "--quick", "-o", output(), "--resume"});
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_NE(resumed.err.find("15 of 15 trials are finished"), std::string::npos) << resumed.err;
  EXPECT_EQ(runs(), 15);
}

TEST_F(Reproduce, SaysWhatQuickLeftOut) {
  const CommandResult result = reproduce({"running-sum", "necessity", "--quick", "-o", output()});
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* part :
       {"Left out by --quick", "running-sum: wavelet / MSE at N=200, if positions past",
        "running-sum: wavelet minus Legendre", "not run: left out by --quick",
        "necessity: Cirrincione", "published numbers and claims"})
    EXPECT_NE(result.out.find(part), std::string::npos) << part << "\n" << result.out;
}

TEST_F(Reproduce, SaysWhichTrialFailedAndGoesOn) {
  const CommandResult result = reproduce(
      {"running-sum", "--quick", "--seeds", "1", "-o", output(), "--json"}, "BROKEN=alibi:1");
  EXPECT_EQ(result.status, 7);
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(cell_of(json, "wavelet minus ALiBi / MSE at N=200")["verdict"],
            "not run: alibi seed 1: exit status 7: sextant-lab: error: it broke");
  EXPECT_EQ(cell_of(json, "sinusoidal / MSE at N=200")["verdict"].get<std::string>().rfind(
                "reproduced", 0),
            0U);
}

TEST_F(Reproduce, SaysOfHowManySeedsANumberIsMade) {
  const CommandResult json_run =
      reproduce({"running-sum", "--quick", "-o", output(), "--json"}, "BROKEN=alibi:2");
  EXPECT_EQ(json_run.status, 7);
  const auto order =
      cell_of(nlohmann::json::parse(json_run.out), "wavelet minus ALiBi / MSE at N=200");
  EXPECT_EQ(order["readings"][0]["seeds"], 2) << order;
  const std::string fault = "alibi seed 2: exit status 7";
  EXPECT_EQ(order["readings"][0]["fault"].get<std::string>().rfind(fault, 0), 0U) << order;
  const CommandResult text =
      reproduce({"running-sum", "--quick", "-o", output(), "--force"}, "BROKEN=alibi:2");
  for (const char* part : {" n=3", " n=2", "without alibi seed 2:"})
    EXPECT_NE(text.out.find(part), std::string::npos) << part << "\n" << text.out;
}

TEST_F(Reproduce, KeepsAnEarlierRunAlsoWhereNothingIsTrained) {
  ASSERT_EQ(reproduce({"alibi-slopes", "-o", output()}).status, 0);
  const CommandResult again = reproduce({"alibi-slopes", "-o", output()});
  EXPECT_EQ(again.status, 6);
  EXPECT_NE(again.err.find("--force replaces it"), std::string::npos) << again.err;
  EXPECT_EQ(reproduce({"alibi-slopes", "-o", output(), "--force"}).status, 0);
  EXPECT_EQ(reproduce({"alibi-slopes", "-o", output(), "--resume"}).status, 0);
}

TEST_F(Reproduce, SaysWhatItWasMadeWith) {
  const auto provenance = [this](const Words& words) {
    return nlohmann::json::parse(reproduce(words).out)["provenance"];
  };
  const auto trained = provenance({"running-sum", "--quick", "-o", output(), "--json"});
  EXPECT_EQ(trained["frameworks"], nlohmann::json{"script"});
  EXPECT_TRUE(trained["libraries"].contains("Eigen"));
  EXPECT_TRUE(trained["input_hashes"].empty());
  const std::string file = folder_.write("imdb.txt", "a b\n").string();
  const auto unread = provenance({"stress", "--quick", "--corpus", "imdb=" + file, "--json"});
  EXPECT_TRUE(unread["frameworks"].empty());
  EXPECT_TRUE(unread["input_hashes"]["imdb"].is_null()) << unread;
}

TEST_F(Reproduce, HasEveryCellWithoutLabAndData) {
  const CommandResult result = reproduce({"--json"}, "NOTHING=", "nothing");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.err.find("SEXTANT_LAB"), std::string::npos) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(cell_of(json, "wavelet / MSE at N=200")["verdict"],
            "not run: needs the lab: sextant-lab is not there");
  EXPECT_TRUE(cell_of(json, "wavelet / MSE at N=200")["ours"].is_null());
  EXPECT_EQ(cell_of(json, "SST-2 / stress of ALiBi over stress of RoPE")["verdict"],
            "not run: needs data: --corpus sst2=FILE");
  // What is arithmetic is reproduced to the printed digit.
  for (const auto& cell : json["tables"]) {
    if (cell["name"] == "alibi-slopes" || cell["name"] == "rope-scalings") {
      EXPECT_EQ(cell["verdict"], "reproduced") << cell;
    }
  }
  EXPECT_EQ(cell_of(json, "sinusoidal / longest row is at most sqrt d")["verdict"], "reproduced");
  EXPECT_EQ(cell_of(json, "sinusoidal / norm is sqrt d")["verdict"], "not reproduced");
  EXPECT_NEAR(cell_of(json, "sinusoidal / norm is sqrt d")["ours"].get<double>(), std::sqrt(32.0),
              1e-12);
  // D4 rows of N=50 are zero from 128 on: positions 128 to 199.
  EXPECT_EQ(cell_of(json, "wavelet / positions 50..199 that share a row")["readings"][0]["ours"],
            72.0);
  EXPECT_EQ(cell_of(json, "three one-hot laws / least stress on a line")["verdict"], "reproduced");
  EXPECT_EQ(cell_of(json, "BERT-base, r = n-1 / r(n+d) numbers")["verdict"],
            "reproduced only if r is at most 307");
}

TEST_F(Reproduce, MatchesTheWellConditionedRowsOfJordanRope) {
  const CommandResult result = reproduce({"jordan-rope", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  ASSERT_EQ(json["tables"].size(), 18U);
  // RoPE, damped RoPE, RoPE + ALiBi, ALiBi against cos(w lag), -lag/L, (lag/L) cos(w lag).
  constexpr double kPublished[] = {0.000, 17.618, 8.791, 0.054, 17.583, 9.510,
                                   0.000, 0.000,  8.791, 0.505, 0.000,  10.666};
  for (std::size_t i = 0; i < std::size(kPublished); ++i) {
    const auto& cell = json["tables"][i];
    EXPECT_NEAR(cell["ours"], kPublished[i], 0.0005001) << cell["cell"];
    EXPECT_EQ(cell["published"], kPublished[i]) << cell["cell"];
    EXPECT_EQ(cell["verdict"], "reproduced") << cell["cell"];
  }
}

TEST_F(Reproduce, MeasuresACorpusThatIsGiven) {
  std::string text;
  for (int i = 0; i < 3000; ++i) {
    for (int t = 0; t < 30; ++t) text += "w" + std::to_string((i * i + t * (i % 17)) % 97) + " ";
    text += "\n";
  }
  const std::string file = folder_.write("sst2.txt", text).string();
  const CommandResult result = reproduce({"stress", "--corpus", "sst2=" + file, "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  const auto order = cell_of(json, "SST-2 / stress of ALiBi over stress of sinusoidal");
  EXPECT_GT(order["ours"].get<double>(), 0.0);
  EXPECT_EQ(order["readings"].size(), 5U);
  EXPECT_EQ(cell_of(json, "SST-2 / rank(B)")["verdict"], "reproduced");
  EXPECT_EQ(json["provenance"]["input_hashes"]["sst2"].get<std::string>().size(), 32U);
}

TEST_F(Reproduce, NamesItsTables) {
  const CommandResult text = reproduce({"--list"});
  ASSERT_EQ(text.status, 0) << text.err;
  for (const char* part : {"jordan-rope", "running-sum", "Trained.", "--corpus sst2=FILE."})
    EXPECT_NE(text.out.find(part), std::string::npos) << part << "\n" << text.out;
  const auto json = nlohmann::json::parse(reproduce({"--list", "--json"}).out);
  bool stress = false;
  for (const auto& table : json["reproductions"]) {
    EXPECT_GT(table["cells"].get<int>(), 0) << table;
    if (table["name"] != "stress") continue;
    stress = true;
    EXPECT_EQ(table["corpora"], (nlohmann::json{"sst2", "imdb"}));
    EXPECT_EQ(table["trained"], false);
  }
  EXPECT_TRUE(stress);
  EXPECT_EQ(reproduce({"stress", "--list"}).status, 2);
}

TEST_F(Reproduce, NeedsTheLabWhereEverythingIsTrained) {
  const CommandResult result = reproduce({"running-sum", "-o", output()}, "NOTHING=", "nothing");
  EXPECT_EQ(result.status, 4) << result.err;
  EXPECT_NE(result.err.find("SEXTANT_LAB"), std::string::npos) << result.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

TEST_F(Reproduce, NamesACorpusOfShortTexts) {
  std::string lines;
  for (int i = 0; i < 50; ++i) lines += "w" + std::to_string(i) + " is too short\n";
  const std::string file = folder_.write("short.txt", lines).string();
  const CommandResult result = reproduce({"stress", "--corpus", "sst2=" + file});
  EXPECT_EQ(result.status, 3) << result.err;
  EXPECT_NE(result.err.find("short.txt: no text has 24 tokens or more"), std::string::npos)
      << result.err;
}

TEST_F(Reproduce, RefusesWhatIsWrong) {
  const auto expect_usage = [this](const Words& words, const char* part) {
    const CommandResult result = reproduce(words);
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  };
  expect_usage({"jordan-rop"}, "did you mean 'jordan-rope'");
  expect_usage({"jordan"}, "did you mean 'jordan-rope'");
  expect_usage({"jordan-rope", "--corpus", "sst2=a.txt"}, "none of the chosen tables reads sst2");
  expect_usage({"--corpus", "sst2"}, "NAME=FILE");
  expect_usage({"--corpus", "sst3=a.txt"}, "did you mean 'sst2'");
  expect_usage({"--corpus", "sst2=a.txt", "--corpus", "sst2=b.txt"}, "twice");
  expect_usage({"--resume", "--force"}, "--force");
  EXPECT_EQ(reproduce({"stress", "--corpus", "sst2=missing.txt"}).status, 4);
}

}  // namespace
}  // namespace sextant
