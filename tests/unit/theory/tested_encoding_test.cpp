// SPDX-License-Identifier: Apache-2.0
#include "theory/tested_encoding.h"

#include <gtest/gtest.h>

#include "io/npy.h"
#include "sextant/error.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

TestedEncoding subject_at_40(const std::string& spec) {
  TheoremOptions options;
  options.train = 40;
  options.encodings = {spec};
  return std::move(tested_encodings(options).front());
}

TEST(TestedEncodings, AreTheCatalogueUnlessAskedFor) {
  EXPECT_EQ(tested_encodings({}).size(), encodings().names().size());
  EXPECT_EQ(subject_at_40("rope").spec, "rope");
}

TEST(TestedEncodings, TakeTheTrainingLengthWhereTheyHaveOne) {
  EXPECT_EQ(subject_at_40("wavelet").spec, "wavelet(train=40)");
  EXPECT_EQ(subject_at_40("learned").spec, "learned(train=40)");
  EXPECT_EQ(subject_at_40("legendre(train=9)").spec, "legendre(train=9)");
  EXPECT_EQ(subject_at_40("sinusoidal(positions=clamp)").spec,
            "sinusoidal(positions=clamp,train=40)");
  EXPECT_EQ(subject_at_40("sinusoidal").spec, "sinusoidal");
}

TEST(TestedEncodings, SayWhatTheyLack) {
  const TestedEncoding mds = subject_at_40("mds");
  EXPECT_FALSE(mds.encoding);
  EXPECT_NE(mds.missing.find("file"), std::string::npos);
  EXPECT_TRUE(subject_at_40("t5").initial_draw);
  EXPECT_FALSE(subject_at_40("rope").initial_draw);
}

TEST(TestedEncodings, AreADrawWhereOneTermIs) {
  const TemporaryDirectory folder;
  const std::vector<Index> shape = {2, 4};
  const std::string file =
      folder.write("rows.npy", npy_header("<f8", shape) + std::string(8 * sizeof(double), '\0'))
          .string();
  EXPECT_FALSE(subject_at_40("learned(file=\"" + file + "\")").initial_draw);
  EXPECT_TRUE(subject_at_40("learned(file=\"" + file + "\")+t5").initial_draw);
}

TEST(TestedEncodings, KeepTheSizeThatAnEncodingFixes) {
  const Extent size{.positions = 7, .dim = 64, .heads = 4};
  EXPECT_EQ(subject_at_40("alibi(heads=12)").encoding->fitted(size).heads, 12);
  EXPECT_EQ(subject_at_40("generator(frequency=1:0.5)").encoding->fitted(size).dim, 4);
  EXPECT_EQ(subject_at_40("rope").encoding->fitted(size).dim, 64);
}

TEST(TestedEncodings, RefuseAnUnknownName) { EXPECT_THROW(subject_at_40("rpe"), Error); }

}  // namespace
}  // namespace sextant
