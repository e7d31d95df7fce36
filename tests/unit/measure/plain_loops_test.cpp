// SPDX-License-Identifier: Apache-2.0
#include "measure/plain_loops.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "measure/processor.h"
#include "measure/timing.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

TEST(PlainLoops, TouchEveryValueOnAnyNumberOfThreads) {
  for (const Index threads : {1, 3}) {
    std::vector<float> floats = {1.0F, -2.0F, 0.25F, 8.0F, -1.0F};
    read_and_write(std::span(floats), threads).run();
    EXPECT_EQ(floats, (std::vector<float>{-1.0F, 2.0F, -0.25F, -8.0F, 1.0F}));
    std::vector<std::uint16_t> bits = {0x3C00, 0xBC00, 0x0000};
    read_and_write(std::span(bits), threads).run();
    EXPECT_EQ(bits, (std::vector<std::uint16_t>{0xBC00, 0x3C00, 0x8000}));
    fill_of(std::span(floats), threads).run();
    EXPECT_TRUE(std::ranges::all_of(floats, [](float value) { return value == 0.5F; }));
    pass_over(std::as_bytes(std::span(floats)), threads).run();
  }
}

TEST(Times, KeepTheShortestAndTheMedian) {
  Times times;
  for (const double seconds : {5.0, 1.0, 3.0, 9.0}) times.keep(seconds);
  EXPECT_EQ(times.shortest(), 1.0);
  EXPECT_EQ(times.median(), 3.0);
}

TEST(Times, GrowWithTheWork) {
  std::vector<float> values(100'000);
  Times cpu, wall;
  const Rival fill = fill_of(std::span(values), 1);
  EXPECT_GE(cpu.measure_cpu(fill.run), 0.0);
  EXPECT_GT(wall.measure(fill.run), 0.0);
}

TEST(ProcessorModel, IsWhatTheSystemSays) {
  const TemporaryDirectory root;
  EXPECT_EQ(processor_model(root.path()), "unknown");
  std::filesystem::create_directories(root.path() / "proc");
  std::ofstream(root.path() / "proc/cpuinfo")
      << "processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\nmodel name\t: Other\n";
  EXPECT_EQ(processor_model(root.path()), "Some CPU @ 2 GHz");
}

}  // namespace
}  // namespace sextant
