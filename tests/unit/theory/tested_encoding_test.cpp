// SPDX-License-Identifier: Apache-2.0
#include "theory/tested_encoding.h"

#include <gtest/gtest.h>

#include "io/npy.h"
#include "sextant/error.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

TestedEncoding subject_of(const std::string& spec) {
  TheoremOptions options;
  options.train = 40;
  options.encodings = {spec};
  return std::move(tested_encodings(options).front());
}

TEST(TestedEncodings, AreTheCatalogueUnlessAskedFor) {
  EXPECT_EQ(tested_encodings({}).size(), encodings().names().size());
  EXPECT_EQ(subject_of("rope").spec, "rope");
}

TEST(TestedEncodings, TakeTheTrainingLengthWhereTheyHaveOne) {
  EXPECT_EQ(subject_of("wavelet").spec, "wavelet(train=40)");
  EXPECT_EQ(subject_of("learned").spec, "learned(train=40)");
  EXPECT_EQ(subject_of("legendre(train=9)").spec, "legendre(train=9)");
  EXPECT_EQ(subject_of("sinusoidal(positions=clamp)").spec, "sinusoidal(positions=clamp,train=40)");
  EXPECT_EQ(subject_of("sinusoidal").spec, "sinusoidal");
}

TEST(TestedEncodings, SayWhatTheyLack) {
  const TestedEncoding mds = subject_of("mds");
  EXPECT_FALSE(mds.encoding);
  EXPECT_NE(mds.missing.find("file"), std::string::npos);
  EXPECT_TRUE(subject_of("t5").initial_draw);
  EXPECT_FALSE(subject_of("rope").initial_draw);
}

TEST(TestedEncodings, AreADrawWhereOneTermIs) {
  const TemporaryDirectory folder;
  const std::vector<Index> shape = {2, 4};
  const std::string file =
      folder.write("rows.npy", npy_header("<f8", shape) + std::string(8 * sizeof(double), '\0'))
          .string();
  EXPECT_FALSE(subject_of("learned(file=\"" + file + "\")").initial_draw);
  EXPECT_TRUE(subject_of("learned(file=\"" + file + "\")+t5").initial_draw);
}

TEST(TestedEncodings, KeepTheSizeThatAnEncodingFixes) {
  const Extent size{.positions = 7, .dim = 64, .heads = 4};
  EXPECT_EQ(subject_of("alibi(heads=12)").encoding->fitted(size).heads, 12);
  EXPECT_EQ(subject_of("generator(frequency=1:0.5)").encoding->fitted(size).dim, 4);
  EXPECT_EQ(subject_of("rope").encoding->fitted(size).dim, 64);
}

TEST(TestedEncodings, RefuseAnUnknownName) { EXPECT_THROW(subject_of("rpe"), Error); }

}  // namespace
}  // namespace sextant
