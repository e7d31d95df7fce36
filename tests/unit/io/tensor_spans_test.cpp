// SPDX-License-Identifier: Apache-2.0
#include "io/tensor_spans.h"

#include <gtest/gtest.h>

#include "io/npy.h"
#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

TEST(TensorSpans, PointAtTheBytesOfEachTensor) {
  const TemporaryDirectory folder;
  const std::string wide = "abcdefgh", narrow = "xyz!";
  const std::vector<StoredTensor> tensors = {
      {{"b", "F64", {1}}, std::as_bytes(std::span(wide))},
      {{"a", "BF16", {2, 1}}, std::as_bytes(std::span(narrow))}};
  AtomicFile file(folder / "t.safetensors", AtomicFile::Existing::kKeep);
  write_safetensors(file, tensors);
  file.commit();
  const std::vector<TensorSpan> spans = tensor_spans(folder / "t.safetensors");
  ASSERT_EQ(spans.size(), 2U);
  const std::string content = content_of(folder / "t.safetensors");
  EXPECT_EQ(content.substr(spans[0].offset, spans[0].bytes), wide);
  EXPECT_EQ(content.substr(spans[1].offset, spans[1].bytes), narrow);
  EXPECT_EQ(spans[1].header.dtype, "BF16");
}

TEST(TensorSpans, PointAtTheDataOfNpy) {
  const TemporaryDirectory folder;
  const std::vector<Index> shape = {2, 3};
  const std::string data = "0123456789ab";
  const auto path = folder.write("a.npy", npy_header("<f2", shape) + data);
  const TensorSpan span = tensor_spans(path).front();
  EXPECT_EQ(span.header.dtype, "F16");
  EXPECT_EQ(span.header.shape, shape);
  EXPECT_EQ(content_of(path).substr(span.offset, span.bytes), data);
}

TEST(TensorSpans, RefuseWhatIsNotAsItSays) {
  const TemporaryDirectory folder;
  const std::vector<Index> shape = {4};
  const auto refused = [&](ErrorCode code, std::string_view part, std::string_view name,
                           const std::string& content) {
    const auto path = folder.write(name, content);
    expect_error(code, part, [&] { tensor_spans(path); });
  };
  refused(ErrorCode::kMalformed, "16 bytes but 3 remain", "short.npy",
          npy_header("<f4", shape) + "abc");
  refused(ErrorCode::kMalformed, "no .npy", "empty.npy", "");
  refused(ErrorCode::kMalformed, "no .npy", "magic.npy", std::string(64, 'x'));
  refused(ErrorCode::kMalformed, "header of 65535 bytes", "long.npy",
          std::string("\x93NUMPY\x01\x00\xff\xff\x00\x00", 12));
  refused(ErrorCode::kUsage, "floating point", "int.npy",
          npy_header("<i4", shape) + std::string(16, '\0'));
  refused(ErrorCode::kUsage, "floating point", "big.npy",
          npy_header(">f4", shape) + std::string(16, '\0'));
  refused(ErrorCode::kUsage, ".npy or .safetensors", "a.bin", "abc");
  const std::vector<Index> absurd = {Index{1} << 40, Index{1} << 40};
  refused(ErrorCode::kMalformed, "63 bits", "absurd.npy", npy_header("<f4", absurd));
}

TEST(CopyFile, CopiesEveryByte) {
  const TemporaryDirectory folder;
  std::string content((std::size_t{5} << 19) + 7, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 31 >> 3);
  const InputFile input{folder.write("in", content)};
  AtomicFile output(folder / "out", AtomicFile::Existing::kKeep);
  copy_file(input, output);
  output.commit();
  EXPECT_TRUE(content_of(folder / "out") == content);
}

}  // namespace
}  // namespace sextant
