// SPDX-License-Identifier: Apache-2.0
#include "run/handshake.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/temporary_directory.h"
#include "support/thread_ranks.h"

namespace sextant {
namespace {

// Each rank is handed the files that `files(rank)` names.
template <typename Files>
void shake_hands(Index size, const Files& files) {
  ThreadRanks(size).run([&](Communicator& ranks) {
    const std::vector<std::filesystem::path> own = files(ranks.rank());
    check_same_files(ranks, own);
  });
}

TEST(Handshake, RanksOfOneProgramGoOn) {
  ThreadRanks(3).run([](Communicator& ranks) {
    const std::vector<std::string> arguments = {"report", "a.txt"};
    check_same_program(ranks, "1.0", arguments);
  });
}

TEST(Handshake, AnotherVersionIsNamedByItsRank) {
  expect_error(ErrorCode::kRankLost, "rank 1: another version", [] {
    ThreadRanks(3).run([](Communicator& ranks) {
      check_same_program(ranks, ranks.rank() == 1 ? "1.1" : "1.0", {});
    });
  });
}

TEST(Handshake, OtherArgumentsAreNamedByTheirRanks) {
  expect_error(ErrorCode::kRankLost, "ranks 2 and 3: other arguments", [] {
    ThreadRanks(5).run([](Communicator& ranks) {
      const bool odd = ranks.rank() == 2 || ranks.rank() == 3;
      const std::vector<std::string> arguments = {odd ? "ab" : "a", odd ? "c" : "bc"};
      check_same_program(ranks, "1.0", arguments);
    });
  });
}

TEST(Handshake, EqualFilesOfAnyPlaceAreOneFile) {
  const TemporaryDirectory here, there;
  here.write("a.txt", std::string(300'000, 'x'));
  there.write("a.txt", std::string(300'000, 'x'));
  shake_hands(2, [&](Index rank) -> std::vector<std::filesystem::path> {
    return {(rank == 0 ? here : there) / "a.txt"};
  });
}

TEST(Handshake, FindsADifferenceAtTheStartTheMiddleAndTheEnd) {
  const TemporaryDirectory here, there;
  const std::string text(1'000'000, 'x');
  here.write("a.txt", text);
  for (const std::size_t at : {std::size_t{0}, text.size() / 2, text.size() - 1}) {
    std::string other = text;
    other[at] = 'y';
    there.write("a.txt", other);
    expect_error(ErrorCode::kUnreadable, "rank 2 found another one", [&] {
      shake_hands(4, [&](Index rank) -> std::vector<std::filesystem::path> {
        return {(rank == 2 ? there : here) / "a.txt"};
      });
    });
  }
}

// Sizes and most bytes are equal: of small corpora every byte counts.
TEST(Handshake, FindsOneBitInAnyPlace) {
  const TemporaryDirectory here, there;
  const std::string text(3'000'000, 'x');
  here.write("a.txt", text);
  here.write("b.txt", text);
  there.write("a.txt", text);
  for (const std::size_t at : {std::size_t{5'000}, std::size_t{1'234'567}, text.size() - 5'000}) {
    std::string other = text;
    other[at] ^= 1;
    there.write("b.txt", other);
    expect_error(ErrorCode::kUnreadable, "b.txt: must be one file for all ranks but rank 1", [&] {
      shake_hands(3, [&](Index rank) -> std::vector<std::filesystem::path> {
        const TemporaryDirectory& folder = rank == 1 ? there : here;
        return {folder / "a.txt", folder / "b.txt"};
      });
    });
  }
}

TEST(Handshake, FindsAFileThatIsMissingOrShorterOnOneRank) {
  const TemporaryDirectory here, there;
  here.write("a.txt", "abc");
  for (const char* content : {"", "ab"}) {
    if (*content != '\0') there.write("a.txt", content);
    expect_error(ErrorCode::kUnreadable, "a.txt: must be one file for all ranks", [&] {
      shake_hands(2, [&](Index rank) -> std::vector<std::filesystem::path> {
        return {(rank == 1 ? there : here) / "a.txt"};
      });
    });
  }
}

TEST(Handshake, FindsListsOfDifferentLength) {
  const TemporaryDirectory here;
  const auto a = here.write("a.txt", "abc"), b = here.write("b.txt", "abc");
  expect_error(ErrorCode::kUnreadable, "must be one file for all ranks", [&] {
    shake_hands(3, [&](Index rank) { return rank == 1 ? std::vector{a, b} : std::vector{a}; });
  });
}

}  // namespace
}  // namespace sextant
