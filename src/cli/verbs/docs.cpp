// SPDX-License-Identifier: Apache-2.0
// sextant docs: a page per encoding in Markdown, and the man page.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/check.h"
#include "base/text.h"
#include "cli/encoding_text.h"
#include "cli/man_page.h"
#include "cli/options.h"
#include "cli/output.h"
#include "encoding/params.h"
#include "io/atomic_file.h"

namespace sextant::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string folder = "sextant-docs";
  bool force = false;
  bool man = false;
};

struct Document {
  std::string name;
  std::string text;
};

// For a cell of a Markdown table.
std::string cell(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '|' ? std::string("\\|") : std::string(1, c);
  return result;
}

std::string code(std::string_view text) { return text.empty() ? "" : fmt::format("`{}`", text); }

std::string params_table(const EncodingInfo& info) {
  if (info.params.empty()) return "It has no parameters.\n";
  std::string result = "| parameter | default | values | meaning |\n|---|---|---|---|\n";
  for (const ParamInfo& param : info.params) {
    result += fmt::format("| {} | {} | {} | {} |\n", code(param.name), code(param.default_text),
                          cell(range_text(param)), cell(param.doc));
  }
  return result;
}

std::string encoding_page(const EncodingInfo& info) {
  std::string page = fmt::format("# {}: {}\n\n", info.name, info.title);
  if (!info.formula.empty()) page += fmt::format("```math\n{}\n```\n\n", info.formula);
  if (!info.reference.empty()) page += fmt::format("Reference: {}\n\n", info.reference);
  if (!info.notes.empty()) page += fmt::format("{}\n\n", info.notes);
  page += fmt::format("Sites: {}.\n", sites_text(info.sites));
  if (!info.required_file.empty()) {
    page += fmt::format("\nIt cannot be built alone: {}.\n", needed_file(info));
  } else if (info.needs_values) {
    page += "\nIts values are learned: without a file they are an initial draw.\n";
  }
  page += "\n## Parameters\n\n" + params_table(info);
  page += "\n## Claims\n\nWith every parameter at its default.\n\n| claim | holds |\n|---|---|\n";
  for (const auto& [claim, value] : named(info.claims)) {
    page += fmt::format("| {} | {} |\n", spaced(claim), name(value));
  }
  if (info.examples.empty()) return page;
  page += "\n## Examples\n\n```\n";
  for (const std::string_view example : info.examples) page += fmt::format("{}\n", example);
  return page + "```\n";
}

std::vector<Document> documents(const VerbRegistry& verbs) {
  std::vector<Document> result;
  std::string index =
      "# Encodings\n\nWritten by `sextant docs`.\n\n| name | title | sites |\n|---|---|---|\n";
  for (const std::string& name : encodings().names()) {
    const EncodingInfo& info = encodings().info(name);
    result.push_back({name + ".md", encoding_page(info)});
    index += fmt::format("| [{0}]({0}.md) | {1} | {2} |\n", name, cell(info.title),
                         sites_text(info.sites));
  }
  result.push_back({"index.md", index});
  result.push_back({"sextant.1", man_page(verbs)});
  return result;
}

// All files are opened before one of them gets its name: an existing one stops the whole.
void write_all(const std::vector<Document>& pages, const Options& options) {
  const fs::path folder = options.folder;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    fail(ErrorCode::kUnwritable, escaped(options.folder), "cannot make the folder: {}",
         error.message());
  }
  std::vector<std::unique_ptr<AtomicFile>> files;
  for (const Document& page : pages) {
    files.push_back(std::make_unique<AtomicFile>(
        folder / page.name,
        options.force ? AtomicFile::Existing::kReplace : AtomicFile::Existing::kKeep));
    files.back()->write(page.text);
  }
  for (const auto& file : files) file->commit();
}

int write_docs(const VerbRegistry& verbs, const Options& options) {
  const std::vector<Document> pages = documents(verbs);
  write_all(pages, options);
  if (verbs.globals().json) {
    Json json;
    json["schema"] = 1;
    json["verb"] = "docs";
    json["folder"] = options.folder;
    json["files"] = Json::array();
    for (const Document& page : pages) json["files"].push_back(page.name);
    print(to_text(json));
  } else if (!verbs.globals().quiet) {
    print(fmt::format("{}: {} files, start at index.md\n", options.folder, pages.size()));
  }
  return 0;
}

}  // namespace

void register_docs(VerbRegistry& verbs) {
  Verb& verb = verbs.add("docs", "Write the manual: a page per encoding and the man page");
  const auto options = std::make_shared<Options>();
  CLI::Option* folder = add_text(*verb.app, "-o,--output", options->folder, "DIR",
                                 "Folder for the pages (default sextant-docs)");
  CLI::Option* force = add_flag(*verb.app, "--force", options->force, "Replace existing pages");
  exclude(add_flag(*verb.app, "--man", options->man, "Print the man page instead"),
          {folder, force});
  verb.examples = {
      {"sextant docs -o manual", "Markdown pages, an index and sextant.1 in manual/"},
      {"sextant docs --man > sextant.1", "the man page alone"},
  };
  verb.takes_json = true;
  verb.run = [options, &verbs] {
    if (!options->man) return write_docs(verbs, *options);
    require(!verbs.globals().json, "--json", "does nothing beside --man");
    print(man_page(verbs));
    return 0;
  };
}

}  // namespace sextant::cli
