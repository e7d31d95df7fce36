// SPDX-License-Identifier: Apache-2.0
#include "cli/study_output.h"

#include <fmt/format.h>

#include "cli/output.h"
#include "report/score_table.h"
#include "run/provenance.h"
#include "run/verdict.h"

namespace sextant::cli {

void show_study(const Json& document, const Study& study, const Globals& globals) {
  for (const std::string& each : study.notes) note(globals, each);
  if (globals.json) {
    print(to_text(document));
    return;
  }
  const Style style(globals.color);
  std::string text;
  if (const std::string weak = warning(study); !weak.empty())
    text += style.bad("Warning: " + wrapped(weak, output_width() - 9, 0)) + "\n\n";
  if (document.contains("rows")) {
    const Verdict words = verdict(study);
    text += style.bold(wrapped(words.headline, output_width(), 0)) + "\n";
    for (const std::string& sentence : words.sentences)
      text += wrapped(sentence, output_width(), 0) + "\n";
    text += "\n";
  }
  text += geometry_text(document);
  if (document.contains("comparison")) {
    const Json& c = document["comparison"];
    text += fmt::format(
        "against the other corpus: stress {:.4f} ({}), {}\n", c["stress"].get<double>(),
        c["corrected"].get<bool>() ? "corrected" : "plain",
        c["noise"].is_number()
            ? fmt::format("of which noise alone explains {:.4f}", c["noise"].get<double>())
            : "noise unknown");
  }
  if (document.contains("rows"))
    text += "\n" + score_table(document, {.width = output_width(), .unicode = output_is_utf8()});
  print(text);
}

int score_status(const Study& study, const Globals& globals) {
  if (study.options.encodings.empty()) return 0;
  for (const Candidate& candidate : study.candidates.list) {
    if (candidate.error.empty() || candidate.control) continue;
    note(globals, fmt::format("{} could not be scored: {}", candidate.encoding, candidate.error));
    return exit_status(candidate.error_code);
  }
  return 0;
}

}  // namespace sextant::cli
