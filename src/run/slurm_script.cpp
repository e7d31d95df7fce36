// SPDX-License-Identifier: Apache-2.0
#include "run/slurm_script.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/text.h"

namespace sextant {
namespace {

constexpr std::uint64_t kMegabyte = std::uint64_t{1} << 20;  // Slurm's M

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-./,:=@%+").find(c) != std::string_view::npos;
}

// Letters that are safe in a line of #SBATCH and in the name of a file.
std::string plain_name(std::string_view name) {
  std::string result;
  for (const char c : name) result += is_plain(c) && c != '/' && c != '%' ? c : '-';
  return result.empty() ? "sextant" : result;
}

// A path that no program takes for an option.
std::string as_path(std::string_view file) {
  return file.starts_with('-') ? fmt::format("./{}", file) : std::string(file);
}

std::string header(const SlurmJob& job) {
  const std::string name = plain_name(job.name);
  std::string text = fmt::format(
      "#!/bin/bash\n"
      "#SBATCH --job-name={0}\n"
      "# The parts; 0-{1}%8 runs at most 8 at once.\n"
      "#SBATCH --array=0-{1}\n"
      "# Trials of a part that run at once, one thread each.\n"
      "#SBATCH --cpus-per-task={2}\n"
      "# Of a part. What is left is done when the script is submitted again.\n"
      "#SBATCH --time={3}\n"
      "# A minute before the limit every trial saves a checkpoint and stops.\n"
      "#SBATCH --signal=B:TERM@60\n"
      "# Job and part.\n"
      "#SBATCH --output={0}-%A_%a.out\n",
      name, job.parts - 1, job.cpus, job.time);
  if (job.memory)
    text +=
        fmt::format("# Of a part.\n#SBATCH --mem={}M\n", (*job.memory + kMegabyte - 1) / kMegabyte);
  return text;
}

}  // namespace

std::string shell_word(std::string_view text) {
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return std::string(text);
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'')
      result += "'\\''";
    else
      result += c;
  }
  return result + "'";
}

void check_slurm_time(std::string_view option, std::string_view text) {
  const auto are_numbers = [](std::string_view part, std::size_t least, std::size_t most) {
    const std::vector<std::string_view> words = split(part, ':');
    return words.size() >= least && words.size() <= most &&
           std::ranges::all_of(words, [](std::string_view word) {
             return !word.empty() && word.size() <= 9 &&
                    std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
           });
  };
  const std::size_t days = text.find('-');
  const bool valid = days == text.npos ? are_numbers(text, 1, 3)
                                       : are_numbers(text.substr(0, days), 1, 1) &&
                                             are_numbers(text.substr(days + 1), 1, 3);
  require(valid, option,
          "must be a limit of Slurm such as 90 (minutes), 12:00:00 or 2-12 (days and hours), but "
          "got '{}'",
          escaped(text));
}

std::vector<std::string> slurm_submission(std::string_view file) {
  const std::string path = shell_word(as_path(file));
  return {fmt::format("job=$(sbatch --parsable {})", path),
          fmt::format("sbatch --dependency=afterany:\"${{job%%;*}}\" --array=0 {} end", path)};
}

std::string slurm_script(const SlurmJob& job, std::string_view file) {
  std::vector<std::string> words;
  for (const std::string& word : job.command) words.push_back(shell_word(word));
  std::string text = header(job);
  text +=
      "#\n"
      "# Submit it in the folder in which it was written: paths of the command are relative to "
      "it.\n"
      "# The parts, and the job that puts them together when all have ended:\n";
  for (const std::string& line : slurm_submission(file)) text += fmt::format("#   {}\n", line);
  text += fmt::format(
      "# The script does the same when it is started by itself. Submitted again, it goes on where\n"
      "# it was stopped; a part alone is sbatch --array=0 {}.\n"
      "parts={}\n"
      "command=({})\n\n",
      shell_word(as_path(file)), job.parts, fmt::join(words, " "));
  text +=
      "if [ -z \"${SLURM_ARRAY_TASK_ID-}\" ]; then\n"
      "  job=$(sbatch --parsable \"$0\") || exit\n"
      "  exec sbatch --dependency=afterany:\"${job%%;*}\" --array=0 \"$0\" end\n"
      "fi\n"
      "cd -- \"${SLURM_SUBMIT_DIR:-.}\" || exit 4\n";
  text += fmt::format("if [ \"${{1-}}\" = end ]; then exec \"${{command[@]}}\" {}; fi\n",
                      fmt::join(job.end_arguments, " "));
  text += "part=$SLURM_ARRAY_TASK_ID/$parts\n";
  text += fmt::format("exec \"${{command[@]}}\" {}\n", fmt::join(job.part_arguments, " "));
  return text;
}

}  // namespace sextant
