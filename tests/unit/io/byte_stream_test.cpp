// SPDX-License-Identifier: Apache-2.0
#include "io/byte_stream.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/compressed.h"
#include "support/expect_error.h"
#include "support/read_stream.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

// stdin is another file while this lives.
class StdinFrom {
 public:
  explicit StdinFrom(const std::filesystem::path& path) : saved_(::dup(STDIN_FILENO)) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    ::dup2(file, STDIN_FILENO);
    ::close(file);
  }
  ~StdinFrom() {
    ::dup2(saved_, STDIN_FILENO);
    ::close(saved_);
  }
  StdinFrom(const StdinFrom&) = delete;
  StdinFrom& operator=(const StdinFrom&) = delete;

 private:
  int saved_;
};

std::string digits(std::size_t size) {
  std::string text(size, '0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('0' + i % 10);
  return text;
}

TEST(ByteStream, GivesTheSameBytesForEveryStep) {
  const TemporaryDirectory folder;
  const std::string text = digits(300'001);  // more than two buffers
  const auto plain = folder.write("a.txt", text), gz = folder.write("a.gz", gzip(text)),
             zst = folder.write("a.zst", zstd(text));
  for (const std::size_t step : {7, 4096, 131'072, 1 << 20}) {
    EXPECT_EQ(read_stream(plain, kNoLimit, step), text) << step;
    EXPECT_EQ(read_stream(gz, kNoLimit, step), text) << step;
    EXPECT_EQ(read_stream(zst, kNoLimit, step), text) << step;
  }
}

TEST(ByteStream, CountsWhatItConsumes) {
  const TemporaryDirectory folder;
  const std::string packed = gzip(digits(1000));
  const auto stream = open_byte_stream(folder.write("a.gz", packed), kNoLimit);
  std::string bytes(2000, '\0');
  EXPECT_EQ(stream->size(), packed.size());
  EXPECT_EQ(stream->read(bytes), 1000u);
  EXPECT_EQ(stream->consumed(), packed.size());
  EXPECT_EQ(stream->read(bytes), 0u);
}

TEST(ByteStream, ReadsStdinOfAnyCompression) {
  const TemporaryDirectory folder;
  for (const std::string& content :
       {digits(200'000), gzip(digits(200'000)), zstd(digits(200'000))}) {
    const StdinFrom input(folder.write("in", content));
    EXPECT_EQ(read_stream("-"), digits(200'000));
  }
}

TEST(ByteStream, OfAnEmptyFileHasNoBytes) {
  const TemporaryDirectory folder;
  EXPECT_EQ(read_stream(folder.write("a.txt", "")), "");
  EXPECT_EQ(read_stream(folder.write("a.gz", "")), "");
}

TEST(ByteStream, GoesByTheFirstBytesWhereTheNameSaysNothing) {
  const TemporaryDirectory folder;
  EXPECT_EQ(read_stream(folder.write("a", gzip("text"))), "text");
  EXPECT_EQ(read_stream(folder.write("b", zstd("text"))), "text");
  EXPECT_EQ(read_stream(folder.write("C.GZ", gzip("text"))), "text");
}

TEST(ByteStream, RejectsANameThatDisagreesWithTheFirstBytes) {
  const TemporaryDirectory folder;
  expect_error(ErrorCode::kMalformed, "ends in .gz but the first bytes are 74 65 78 74",
               [&] { read_stream(folder.write("a.gz", "text")); });
  expect_error(ErrorCode::kMalformed, "ends in .zst but the first bytes are 1f 8b",
               [&] { read_stream(folder.write("a.zst", gzip("text"))); });
  expect_error(ErrorCode::kMalformed, ": zstd",
               [&] { read_stream(folder.write("a.txt", zstd("text"))); });
}

TEST(ByteStream, NamesWhatCannotBeRead) {
  const TemporaryDirectory folder;
  expect_error(ErrorCode::kUnreadable, "absent: No such file",
               [&] { read_stream(folder / "absent"); });
  expect_error(ErrorCode::kUnreadable, "directory", [&] { read_stream(folder.path()); });
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  expect_error(ErrorCode::kUnreadable, "regular file", [&] { read_stream(folder / "fifo"); });
}

TEST(ByteStream, NoticesThatTheFileChanged) {
  const TemporaryDirectory folder;
  const auto path = folder.write("a.txt", digits(1'000'000));
  const auto stream = open_byte_stream(path, kNoLimit);
  std::string bytes(1000, '\0');
  stream->read(bytes);
  EXPECT_NO_THROW(stream->verify_unchanged());
  std::ofstream(path, std::ios::app) << "more";
  expect_error(ErrorCode::kUnreadable, "changed during reading",
               [&] { stream->verify_unchanged(); });
  bytes.resize(2'000'000);
  expect_error(ErrorCode::kUnreadable, "changed during reading", [&] { stream->read(bytes); });
}

TEST(ByteStream, RefusesMoreContentThanAllowed) {
  const TemporaryDirectory folder;
  const std::string text = digits(5000);
  for (const auto& path : {folder.write("a.txt", text), folder.write("a.gz", gzip(text)),
                           folder.write("a.zst", zstd(text)),
                           folder.write("b.zst", zstd(text, {.declare_size = false}))}) {
    EXPECT_EQ(read_stream(path, 5000), text);
    expect_error(ErrorCode::kRefused, "4999", [&] { read_stream(path, 4999); });
  }
  const StdinFrom input(folder / "a.txt");
  expect_error(ErrorCode::kRefused, "stdin: more than 4999", [&] { read_stream("-", 4999); });
}

TEST(ByteStream, RefusesABombAfterTheFirstMebibyte) {
  const TemporaryDirectory folder;
  const std::string zeros(std::size_t{1} << 24, '0');
  for (const auto& path : {folder.write("a.gz", gzip(zeros)), folder.write("a.zst", zstd(zeros))})
    expect_error(ErrorCode::kRefused, "1000 times", [&] { read_stream(path); });
  const std::string small = zeros.substr(0, std::size_t{1} << 20);
  EXPECT_EQ(read_stream(folder.write("b.zst", zstd(small))), small);
}

TEST(ByteStream, RejectsCompressionInCompression) {
  const TemporaryDirectory folder;
  for (const std::size_t step : {1, 4096}) {
    expect_error(ErrorCode::kMalformed, "the content is gzip again", [&] {
      read_stream(folder.write("a.txt.gz.gz", gzip(gzip("text"))), kNoLimit, step);
    });
    expect_error(ErrorCode::kMalformed, "the content is zstd again",
                 [&] { read_stream(folder.write("a.gz", gzip(zstd("text"))), kNoLimit, step); });
    expect_error(ErrorCode::kMalformed, "the content is gzip again",
                 [&] { read_stream(folder.write("a.zst", zstd(gzip("text"))), kNoLimit, step); });
  }
}

// Every file that differs in one byte, or ends early, gives the same text or an error.
void expect_no_silent_damage(const TemporaryDirectory& folder, const std::string& name,
                             const std::string& packed, const std::string& text) {
  const auto try_bytes = [&](const std::string& bytes, std::size_t at) {
    try {
      EXPECT_EQ(read_stream(folder.write(name, bytes)), text) << "byte " << at;
    } catch (const Error& error) {
      EXPECT_NE(error.code(), ErrorCode::kInternal) << error.what();
    }
  };
  ASSERT_EQ(read_stream(folder.write(name, packed)), text);
  for (std::size_t at = 0; at < packed.size(); ++at) {
    for (const unsigned flip : {0x01u, 0x02u, 0x04u, 0x08u, 0x10u, 0x20u, 0x40u, 0x80u, 0xFFu}) {
      std::string bytes = packed;
      bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ flip);
      try_bytes(bytes, at);
    }
    if (at == 0) continue;
    expect_error(ErrorCode::kMalformed, name + ": ",
                 [&] { read_stream(folder.write(name, packed.substr(0, at))); });
  }
}

TEST(ByteStream, NeverChangesTheTextOfADamagedGzip) {
  const TemporaryDirectory folder;
  const std::string text = "one small text, one small step; 0123456789 \xC3\xA4\n";
  expect_no_silent_damage(folder, "a.gz", gzip(text), text);
}

TEST(ByteStream, NeverChangesTheTextOfADamagedZstd) {
  const TemporaryDirectory folder;
  const std::string text = "one small text, one small step; 0123456789 \xC3\xA4\n";
  expect_no_silent_damage(folder, "a.zst", zstd(text), text);
  expect_no_silent_damage(folder, "b.zst", zstd(text, {.declare_size = false}), text);
}

}  // namespace
}  // namespace sextant
