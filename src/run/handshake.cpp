// SPDX-License-Identifier: Apache-2.0
#include "run/handshake.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "base/check.h"
#include "base/text.h"
#include "io/sampled_hash.h"

namespace sextant {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> texts_of_all(Communicator& ranks, std::string_view mine) {
  std::vector<std::string> all;
  for (const auto& bytes : ranks.gather_all(std::as_bytes(std::span(mine))))
    all.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return all;
}

// "rank 2", "ranks 1 and 3", "ranks 1, 2 and 3": those whose text is not what most ranks have; of
// two that are equally frequent, what rank 0 has counts.
std::string odd_ones(std::span<const std::string> texts) {
  std::map<std::string_view, std::size_t> number;
  for (const std::string& text : texts) ++number[text];
  std::string_view usual = texts.front();
  for (const auto& [text, count] : number)
    if (count > number[usual]) usual = text;
  std::vector<std::size_t> odd;
  for (std::size_t rank = 0; rank < texts.size(); ++rank)
    if (texts[rank] != usual) odd.push_back(rank);
  if (odd.size() == 1) return fmt::format("rank {}", odd.front());
  const std::size_t last = odd.back();
  odd.pop_back();
  return fmt::format("ranks {} and {}", fmt::join(odd, ", "), last);
}

bool all_equal(std::span<const std::string> texts) {
  return std::ranges::all_of(texts, [&](const std::string& text) { return text == texts.front(); });
}

// The name without its folders, and a number that the file has; only the name where it cannot be
// read.
std::string fingerprint(const fs::path& path,
                        const std::function<std::uint64_t(const InputFile&)>& number) {
  std::string name = path_text(path.filename());
  try {
    return fmt::format("{} {:x}", name, number(InputFile(path)));
  } catch (const Error&) {
    return name;
  }
}

// Throws at the first file whose number differs between ranks.
void check_numbers(Communicator& ranks, std::span<const fs::path> files,
                   const std::function<std::uint64_t(const InputFile&)>& number) {
  std::string mine;
  for (const fs::path& file : files) mine += fingerprint(file, number) + '\n';
  const std::vector<std::string> all = texts_of_all(ranks, mine);
  if (all_equal(all)) return;
  std::vector<std::vector<std::string_view>> lines;
  lines.reserve(all.size());
  for (const std::string& text : all) lines.push_back(split(text, '\n'));
  for (std::size_t k = 0;; ++k) {
    std::vector<std::string> prints;
    prints.reserve(lines.size());
    for (const auto& of_rank : lines) prints.emplace_back(k < of_rank.size() ? of_rank[k] : "");
    if (all_equal(prints)) continue;
    fail(ErrorCode::kUnreadable, k < files.size() ? path_text(files[k]) : "inputs",
         "must be one file for all ranks but {} found another one, or none; nothing written",
         odd_ones(prints));
  }
}

}  // namespace

void check_same_program(Communicator& ranks, std::string_view version,
                        std::span<const std::string> arguments) {
  if (ranks.size() == 1) return;
  const std::vector<std::string> versions = texts_of_all(ranks, version);
  if (!all_equal(versions))
    fail(ErrorCode::kRankLost, odd_ones(versions),
         "another version of the program than the other ranks; the first is {}, the last {}",
         escaped(versions.front()), escaped(versions.back()));
  std::string line;
  for (const std::string& argument : arguments) line += argument + '\0';
  const std::vector<std::string> lines = texts_of_all(ranks, line);
  if (!all_equal(lines))
    fail(ErrorCode::kRankLost, odd_ones(lines), "other arguments than the other ranks");
}

void check_same_files(Communicator& ranks, std::span<const fs::path> files) {
  if (ranks.size() == 1) return;
  std::uint64_t total = 0;
  check_numbers(ranks, files, [&total](const InputFile& file) {
    total += file.size();
    return file.size();
  });
  check_numbers(ranks, files, [total](const InputFile& file) { return sampled_hash(file, total); });
}

}  // namespace sextant
