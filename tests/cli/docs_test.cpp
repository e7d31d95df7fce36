// SPDX-License-Identifier: Apache-2.0
// The manual and the completion scripts: both come from the tree of commands.
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "sextant/registry.h"
#include "support/run_command.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

bool installed(const std::string& program) { return access(program.c_str(), X_OK) == 0; }

TEST(DocsVerb, WritesAPagePerEncodingAndAnIndexOfThem) {
  const TemporaryDirectory folder;
  const std::string docs = (folder / "docs").string();
  const CommandResult result = sextant_command({"docs", "-o", docs, "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json.at("verb"), "docs");
  EXPECT_EQ(json.at("files").size(), encodings().names().size() + 2);
  const std::string index = content_of(docs + "/index.md");
  for (const std::string& name : encodings().names()) {
    EXPECT_NE(index.find("(" + name + ".md)"), std::string::npos) << name;
    const std::string page = content_of(docs + "/" + name + ".md");
    EXPECT_NE(page.find("```math\n" + std::string(encodings().info(name).formula)),
              std::string::npos)
        << name;
  }
}

TEST(DocsVerb, KeepsExistingPagesUnlessForced) {
  const TemporaryDirectory folder;
  folder.write("rope.md", "mine");
  expect_failure(6, "rope.md", {"docs", "-o", folder.path().string()});
  EXPECT_EQ(content_of(folder / "rope.md"), "mine");
  EXPECT_FALSE(std::filesystem::exists(folder / "index.md"));
  EXPECT_EQ(sextant_command({"docs", "-o", folder.path().string(), "--force"}).status, 0);
  EXPECT_NE(content_of(folder / "rope.md"), "mine");
  expect_failure(6, "rope.md", {"docs", "-o", (folder / "rope.md").string()});
}

TEST(DocsVerb, TheManPageNamesEveryVerbAndIsAcceptedByGroff) {
  const CommandResult page = sextant_command({"docs", "--man"});
  EXPECT_EQ(page.out.find(".TH SEXTANT 1"), 0U);
  for (const char* verb :
       {"check", "completion", "docs", "doctor", "encodings", "table", "tokenize"}) {
    EXPECT_NE(page.out.find(std::string(".SS ") + verb), std::string::npos) << verb;
  }
  if (!installed("/usr/bin/groff")) GTEST_SKIP() << "groff is not installed";
  const TemporaryDirectory folder;
  const CommandResult lint = run_command({"/usr/bin/groff", "-man", "-Tascii", "-ww", "-z",
                                          folder.write("sextant.1", page.out).string()});
  EXPECT_EQ(lint.status, 0);
  EXPECT_EQ(lint.err, "");
}

// What bash offers after the given words, the last of which is being typed.
std::string completed(const std::vector<std::string>& words) {
  std::string script = sextant_command({"completion", "bash"}).out + "COMP_WORDS=(";
  for (const std::string& word : words) script += "'" + word + "' ";
  script += ")\nCOMP_CWORD=" + std::to_string(words.size() - 1) +
            "\n_sextant\necho \"${COMPREPLY[*]}\"\n";
  const CommandResult result = run_command({"/bin/bash", "-c", script});
  EXPECT_EQ(result.err, "");
  return result.out;
}

TEST(CompletionVerb, BashCompletesVerbsOptionsValuesAndEncodings) {
  if (!installed("/bin/bash")) GTEST_SKIP() << "bash is not installed";
  EXPECT_EQ(completed({"sextant", "doc"}), "docs doctor\n");
  EXPECT_EQ(completed({"sextant", "table", "sinu"}), "sinusoidal\n");
  EXPECT_EQ(completed({"sextant", "table", "rope", "--posi"}), "--positions\n");
  EXPECT_EQ(completed({"sextant", "table", "rope", "--dtype", "b"}), "bf16\n");
  EXPECT_EQ(completed({"sextant", "--json", "encodings", "--pic"}), "--pictures\n");
  EXPECT_EQ(completed({"sextant", "completion", "f"}), "fish\n");
  EXPECT_EQ(completed({"sextant", "--color", "al"}), "always\n");
}

TEST(CompletionVerb, EveryShellAcceptsItsScript) {
  const TemporaryDirectory folder;
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const CommandResult script = sextant_command({"completion", shell});
    EXPECT_EQ(script.status, 0);
    for (const std::string& name : encodings().names()) {
      EXPECT_NE(script.out.find(name), std::string::npos) << shell << ": " << name;
    }
    if (!installed("/usr/bin/" + shell)) continue;
    const CommandResult check = run_command(
        {"/usr/bin/" + shell, "-n", folder.write("script." + shell, script.out).string()});
    EXPECT_EQ(check.status, 0) << check.err;
  }
}

TEST(CompletionVerb, NeedsAKnownShell) {
  expect_failure(2, "bash, zsh or fish", {"completion"});
  expect_failure(2, "did you mean 'bash'", {"completion", "bsh"});
}

}  // namespace
}  // namespace sextant
