// SPDX-License-Identifier: Apache-2.0
#include "run/study_files.h"

#include <algorithm>

#include "corpus/records.h"
#include "corpus/synthetic.h"
#include "corpus/wordnet.h"
#include "sextant/registry.h"

namespace sextant {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(const StudyChoice& choice) {
  std::vector<fs::path> files;
  const auto add = [&files](const fs::path& path) {
    std::error_code none;
    if (!fs::is_directory(path, none)) {
      files.push_back(path);
      return;
    }
    std::vector<fs::path> inside;
    for (const fs::directory_entry& entry : fs::directory_iterator(path, none))
      if (entry.is_regular_file(none)) inside.push_back(entry.path());
    std::ranges::sort(inside);
    files.insert(files.end(), inside.begin(), inside.end());
  };
  const std::vector<std::string>& inputs = choice.corpus.inputs;
  if (inputs.empty() && choice.distributions.empty() && wordnet_present()) add(kWordnetFolder);
  if (inputs.empty() || !is_synthetic(inputs.front()))
    for (const fs::path& path : expand_inputs(inputs))
      if (path != "-") add(path);
  const std::size_t colon = choice.corpus.tokens.find(':');
  if (colon != std::string::npos) add(choice.corpus.tokens.substr(colon + 1));
  if (!choice.distributions.empty()) add(choice.distributions);
  for (const std::string& spec :
       choice.encodings.empty() ? std::vector<std::string>() : split_specs(choice.encodings))
    for (const EncodingSpec::Term& term : EncodingSpec::parse(spec).terms)
      for (const EncodingSpec::Argument& argument : term.arguments)
        if (argument.key == "file") add(argument.value.substr(0, argument.value.find('#')));
  return files;
}

}  // namespace sextant
