// SPDX-License-Identifier: Apache-2.0
// sextant study as a user meets it, with a script in the place of the program that trains.
#include <nlohmann/json.hpp>

#include "support/fake_lab.h"

namespace sextant {
namespace {

using Words = std::vector<std::string>;

// Accuracy .5 + seed / 100 and equal losses at all positions; drift 4 / width.
constexpr const char* kStudyLab = R"sh(
if [ "$verb" = ntk ]; then
  dim=$(sed -n 's/^ *"dim": \([0-9]*\),$/\1/p' "$job")
  drift=$(echo "$dim" | awk '{ printf "%.6f", 4 / $1 }')
  echo "{\"outputs\":2,\"start_norm\":1,\"end_norm\":1,\"drift\":$drift,\"alignment\":1}" \
    > "$folder/ntk.json"
fi
accuracy=$(echo "$seed" | awk '{ printf "%.2f", 0.5 + $1 / 100 }')
l=2.4849066497880004
evaluations='{"length": 12, "loss": 0.6, "accuracy": '$accuracy',
  "loss_by_position": ['$l,$l,$l,$l,$l,$l,$l,$l,$l,$l,$l,$l']}'
)sh";

class StudyOfTrials : public WithFakeLab {
 protected:
  StudyOfTrials() : WithFakeLab(kStudyLab) {}
  CommandResult study(Words words, const std::string& variable = "NOTHING=") const {
    words.insert(words.begin(), "study");
    return sextant_command(words, environment(variable));
  }
  CommandResult necessity(const Words& more, const std::string& variable = "NOTHING=") const {
    Words words = {"necessity", "--seeds", "2", "-o", (folder_ / "out").string()};
    words.insert(words.end(), more.begin(), more.end());
    return study(words, variable);
  }
};

TEST_F(StudyOfTrials, NamesItsStudies) {
  const CommandResult result = study({"--list"});
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* name : {"necessity", "separation", "monotonicity", "ntk", "low_rank"})
    EXPECT_NE(result.out.find(name), std::string::npos) << name;
  const auto json = nlohmann::json::parse(study({"--list", "--json"}).out);
  EXPECT_EQ(json["studies"].size(), 5U);
  EXPECT_EQ(json["studies"][0]["claim"], "T1");
}

TEST_F(StudyOfTrials, PrintsEveryNumberWithItsControl) {
  const CommandResult result = necessity({});
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* part : {"(T1)", "Controls:", "order: none, causal", "best equivariant 0.5",
                           "best equivariant 0.2663", "- order: ", "study.json"})
    EXPECT_NE(result.out.find(part), std::string::npos) << part << "\n" << result.out;
}

TEST_F(StudyOfTrials, WritesADocumentWithEveryValue) {
  const CommandResult result = necessity({"--json", "--quiet"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["verb"], "study");
  EXPECT_EQ(json["options"]["seeds"], 2);
  const auto& study = json["studies"][0];
  EXPECT_EQ(study["name"], "necessity");
  EXPECT_EQ(study["trials"], 30);
  EXPECT_TRUE(study["failed"].empty());
  const auto& first = study["numbers"][0];
  EXPECT_EQ(first["arm"], "order: none");
  EXPECT_EQ(first["values"], (nlohmann::json{0.51, 0.52}));
  EXPECT_EQ(first["seeds"], (nlohmann::json{1, 2}));
  EXPECT_NEAR(first["mean"].get<double>(), 0.515, 1e-12);
  EXPECT_EQ(first["against"], 0.5);
  EXPECT_EQ(content_of(folder_ / "out/study.json"), result.out);
}

TEST_F(StudyOfTrials, GoesOnFromWhatIsThere) {
  ASSERT_EQ(necessity({}, "BROKEN=sinusoidal:2").status, 7);
  EXPECT_EQ(necessity({}).status, 6) << "an existing run is kept";
  const CommandResult resumed = necessity({"--resume"});
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_NE(resumed.err.find("25 of 30 trials are finished"), std::string::npos) << resumed.err;
}

TEST_F(StudyOfTrials, DoesNotGoOnWithAnotherSetup) {
  ASSERT_EQ(necessity({}).status, 0);
  const CommandResult other = necessity({"--resume", "--quick"});
  EXPECT_EQ(other.status, 9);
  EXPECT_NE(other.err.find("quick is false there and true here"), std::string::npos) << other.err;
  EXPECT_EQ(necessity({"--resume", "--seeds", "3"}).status, 2) << "given twice";
  EXPECT_EQ(study({"necessity", "--seeds", "3", "--resume", "-o", output()}).status, 0);
}

TEST_F(StudyOfTrials, NamesTrialsThatFailed) {
  const CommandResult result = necessity({"--json"}, "BROKEN=sinusoidal:2");
  EXPECT_EQ(result.status, 7);
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["studies"][0]["failed"].size(), 5U);
  EXPECT_NE(json["studies"][0]["failed"][0]["reason"].get<std::string>().find("it broke"),
            std::string::npos);
}

TEST_F(StudyOfTrials, FitsTheDriftOfTheKernelToTheWidth) {
  const CommandResult result =
      study({"ntk", "--seeds", "1", "--json", "-o", (folder_ / "out").string()});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  // Drift 4 / d has exponent -1.
  EXPECT_NE(json["studies"][0]["sentences"][0].get<std::string>().find("d^-1.00"),
            std::string::npos)
      << json["studies"][0]["sentences"][0];
  EXPECT_EQ(json["studies"][0]["numbers"][0]["values"][0], 0.25);
}

TEST_F(StudyOfTrials, LooksForLongTextsBeforeTheFirstTrial) {
  std::string lines;
  for (int i = 0; i < 50; ++i) lines += "w" + std::to_string(i) + " is too short\n";
  const std::string file = folder_.write("short.txt", lines).string();
  for (const char* name : {"separation", "monotonicity", "low_rank"}) {
    const CommandResult result = study({name, "--corpus", file, "-o", output()});
    EXPECT_EQ(result.status, 3) << name << result.err;
    EXPECT_NE(result.err.find("short.txt: no text has 16 tokens or more"), std::string::npos)
        << result.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out")) << name;
  }
}

TEST_F(StudyOfTrials, RefusesWhatDoesNotFit) {
  EXPECT_EQ(study({"necesity"}).status, 2);
  EXPECT_NE(study({"necesity"}).err.find("necessity"), std::string::npos);
  EXPECT_EQ(study({"necessity", "--corpus", "x.txt"}).status, 2);
  EXPECT_EQ(study({"--list", "ntk"}).status, 2);
  EXPECT_EQ(necessity({"--resume", "--force"}).status, 2);
}

}  // namespace
}  // namespace sextant
