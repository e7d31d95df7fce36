// SPDX-License-Identifier: Apache-2.0
// Rotation of queries and keys: whole prompts, one token, gradients, keys in a cache.
#include "sextant/rotary.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <memory>

#include "base/rng.h"
#include "base/rounding.h"
#include "measure/bench_case.h"
#include "measure/plain_loops.h"

namespace sextant {
namespace {

constexpr Index kDim = 128;
constexpr long double kBase = 10000.0L;
constexpr double kStretch = 4.0;  // of the positions, where cached keys are turned again
constexpr char kAtStart[] = "the same at t = 0";

// What a case does to which values.
struct Setup {
  Dtype dtype = Dtype::kF32;
  bool interleaved = false;
  bool backward = false;
  bool again = false;  // keys that a rule has turned, by the rule that replaces it
  Index tokens = 1;
  std::int64_t first = 0;
  std::array<Index, 2> heads = {32, 8};  // of queries and keys
};

Rotary rule_of(const Setup& setup) {
  Rotary rope(setup.interleaved ? "rope(pairing=interleaved)" : "rope", kDim);
  if (!setup.again) return rope;
  return Rotary::between(rope,
                         Rotary(fmt::format("rope(scaling=linear,factor={})", kStretch), kDim));
}

class Job {
 public:
  explicit Job(const Setup& setup)
      : setup_(setup), rule_(rule_of(setup)), turns_(rule_.range(setup.first, setup.tokens)) {
    const auto count =
        static_cast<std::size_t>(setup.tokens * (setup.heads[0] + setup.heads[1]) * kDim);
    if (setup.dtype == Dtype::kF32) {
      floats_.resize(count);
    } else {
      bits_.resize(count);
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (setup.dtype == Dtype::kF32) {
        floats_[i] = static_cast<float>(start(i));
      } else {
        bits_[i] = stored(start(i));
      }
    }
  }

  const Setup& setup() const { return setup_; }
  std::size_t values() const { return floats_.size() + bits_.size(); }
  double bytes() const {
    return static_cast<double>(values()) * static_cast<double>(bytes_per_value(setup_.dtype));
  }

  void make_turns() { turns_ = rule_.range(setup_.first, setup_.tokens); }
  void apply(Index threads) {
    const ApplyOptions options = {.backward = setup_.backward, .threads = threads};
    if (setup_.heads[0] > 0) apply_to_queries(turns_, view(0), view(0), options);
    apply_to_keys(turns_, view(1), view(1), options);
  }

  Rival plain(Index threads) {
    return setup_.dtype == Dtype::kF32 ? read_and_write(std::span(floats_), threads)
                                       : read_and_write(std::span(bits_), threads);
  }

  // Of pairs anywhere, by the definition in long double. REQUIRES: applied once.
  std::string fault() const;

 private:
  // A number in [-1, 1) that f32 has; f16 and bf16 round it.
  static double start(std::size_t i) {
    return static_cast<double>(i * 2654435761U % 65536U) / 32768.0 - 1.0;
  }
  std::uint16_t stored(double value) const {
    return setup_.dtype == Dtype::kF16 ? to_half(value) : to_bfloat16(value);
  }
  double read(std::uint16_t bits) const {
    return setup_.dtype == Dtype::kF16 ? from_half(bits) : from_bfloat16(bits);
  }
  double before(std::size_t i) const {
    return setup_.dtype == Dtype::kF32 ? start(i) : read(stored(start(i)));
  }
  double after(std::size_t i) const {
    return setup_.dtype == Dtype::kF32 ? static_cast<double>(floats_[i]) : read(bits_[i]);
  }
  // How far a result may be from the exact one whose pair has these values (sextant/rotary.h).
  double allowed(double a, double b) const {
    if (setup_.dtype == Dtype::kF32) return 1.5e-7 * std::hypot(a, b);
    const bool half = setup_.dtype == Dtype::kF16;
    const int exponent =
        std::max(std::ilogb(std::max(std::abs(a), std::abs(b))), half ? -14 : -126);
    return 0.51 * std::ldexp(1.0, exponent - (half ? 10 : 7));
  }
  HeadsView view(std::size_t side) {
    const Index heads = setup_.heads[side];
    const auto from =
        static_cast<std::size_t>(side == 0 ? 0 : setup_.tokens * setup_.heads[0] * kDim);
    HeadsView result = token_major(nullptr, setup_.tokens, heads, kDim);
    result.dtype = setup_.dtype;
    result.data = setup_.dtype == Dtype::kF32 ? static_cast<void*>(floats_.data() + from)
                                              : static_cast<void*>(bits_.data() + from);
    return result;
  }

  Setup setup_;
  Rotary rule_;
  Turns turns_;
  std::vector<float> floats_;        // queries, then keys: [tokens, heads, dim] each
  std::vector<std::uint16_t> bits_;  // the same in 16 bits
};

std::string Job::fault() const {
  const Rng rng(20240607, 0);
  const auto query_rows = static_cast<std::size_t>(setup_.tokens * setup_.heads[0]);
  for (std::uint64_t draw = 0; draw < 20000; ++draw) {
    const std::size_t row = rng.at(2 * draw) % (values() / kDim);
    const auto pair = static_cast<std::size_t>(rng.at(2 * draw + 1) % (kDim / 2));
    const std::size_t side = row < query_rows ? 0 : 1;
    const std::size_t token =
        (row - (side == 0 ? 0 : query_rows)) / static_cast<std::size_t>(setup_.heads[side]);
    const std::size_t i = row * kDim + (setup_.interleaved ? 2 * pair : pair);
    const std::size_t j = setup_.interleaved ? i + 1 : i + kDim / 2;

    long double frequency = std::pow(kBase, -2.0L * static_cast<long double>(pair) / kDim);
    if (setup_.again) frequency *= 1.0L / kStretch - 1.0L;
    const long double angle =
        (static_cast<long double>(setup_.first) + static_cast<long double>(token)) * frequency;
    const long double c = std::cos(angle);
    const long double s = setup_.backward ? -std::sin(angle) : std::sin(angle);
    const auto a = static_cast<double>(before(i) * c - before(j) * s);
    const auto b = static_cast<double>(before(i) * s + before(j) * c);
    const double most = allowed(a, b);
    if (!(std::abs(after(i) - a) <= most && std::abs(after(j) - b) <= most))
      return fmt::format("pair {} of token {} is not turned as it should be", pair, token);
  }
  return {};
}

double bytes_of(const Setup& setup) {
  constexpr double kTurns = 16.0;  // bytes at most for each pair of a token
  const auto values = static_cast<double>(setup.tokens * (setup.heads[0] + setup.heads[1]) * kDim);
  return values * static_cast<double>(bytes_per_value(setup.dtype)) +
         kTurns * static_cast<double>(setup.tokens * kDim) + 1e7;
}

PeerTask peer_of(const Setup& setup) {
  PeerTask task = {.function = "rotary",
                   .libraries = {"torch"},
                   .sizes = {{"tokens", setup.tokens},
                             {"first", setup.first},
                             {"query_heads", setup.heads[0]},
                             {"key_heads", setup.heads[1]},
                             {"dim", kDim},
                             {"interleaved", setup.interleaved ? 1 : 0}},
                   .dtype = std::string(name(setup.dtype)),
                   .bytes = 4.0 * bytes_of(setup)};
  if (setup.dtype == Dtype::kF32) task.libraries.insert(task.libraries.begin(), "numpy");
  return task;
}

BenchWork work_of(const std::shared_ptr<Job>& job, Index threads) {
  const Setup& setup = job->setup();
  const std::string heads = setup.heads[0] > 0
                                ? fmt::format("{} + {}", setup.heads[0], setup.heads[1])
                                : std::to_string(setup.heads[1]);
  return {.size = fmt::format("{} token{}, {} heads of {}, {}", setup.tokens,
                              setup.tokens == 1 ? "" : "s", heads, kDim, name(setup.dtype)),
          .amount = job->bytes(),
          .run = [job, threads] { job->apply(threads); },
          .fault = [job] { return job->fault(); },
          .plain = job->plain(threads)};
}

Setup sized(Setup setup, const BenchSize& size) {
  setup.tokens = size.quick ? 128 : 2048;
  if (setup.again) {  // the keys of one layer, no queries
    setup.tokens *= 4;
    setup.heads = {0, 8};
  }
  return setup;
}

// The tokens of a prompt, with turns that are there: once per layer.
BenchCase prompt_case(std::string_view name, std::string_view measures, const Setup& setup,
                      std::vector<SpeedGoal> goals = {}) {
  return {.name = name,
          .measures = measures,
          .goals = std::move(goals),
          .bytes = [setup](const BenchSize& size) { return bytes_of(sized(setup, size)); },
          .prepare =
              [setup](const BenchSize& size) {
                BenchWork work = work_of(std::make_shared<Job>(sized(setup, size)), size.threads);
                if (!setup.backward && !setup.again) work.peer = peer_of(sized(setup, size));
                return work;
              }};
}

// One token at t, its turns included.
BenchCase decode_case(std::string_view name, std::string_view measures, std::int64_t t,
                      std::vector<SpeedGoal> goals = {}) {
  const auto run = [](const std::shared_ptr<Job>& job) {
    return [job] {
      job->make_turns();
      job->apply(1);
    };
  };
  return {.name = name,
          .measures = measures,
          .goals = std::move(goals),
          .bytes = [](const BenchSize&) { return bytes_of({}); },
          .prepare =
              [t, run](const BenchSize&) {
                const auto job = std::make_shared<Job>(Setup{.first = t});
                BenchWork work = work_of(job, 1);
                work.run = run(job);
                if (t > 0) work.others = {{kAtStart, run(std::make_shared<Job>(Setup{}))}};
                work.peer = peer_of(job->setup());
                return work;
              }};
}

}  // namespace

void register_rotary(BenchRegistry& cases) {
  constexpr double kOfPlain = 0.75, kOfTorch = 8.0, kOfStart = 1.0 / 1.2;
  cases.add(prompt_case("rotary-f32-half", "queries and keys of a prompt turned in place, halves",
                        {}, {{"R1", kReadAndWrite, kOfPlain}}));
  cases.add(prompt_case("rotary-f32-interleaved",
                        "queries and keys of a prompt turned in place, neighbours",
                        {.interleaved = true}, {{"R1", kReadAndWrite, kOfPlain}}));
  cases.add(prompt_case("rotary-f16-half", "the same in f16, halves", {.dtype = Dtype::kF16}));
  cases.add(prompt_case("rotary-f16-interleaved", "the same in f16, neighbours",
                        {.dtype = Dtype::kF16, .interleaved = true}));
  cases.add(prompt_case("rotary-bf16-half", "the same in bf16, halves", {.dtype = Dtype::kBF16},
                        {{"R2", "torch", kOfTorch}}));
  cases.add(prompt_case("rotary-bf16-interleaved", "the same in bf16, neighbours",
                        {.dtype = Dtype::kBF16, .interleaved = true}, {{"R2", "torch", kOfTorch}}));
  cases.add(decode_case("rotary-decode-start", "one token at t = 0, its turns included", 0));
  cases.add(decode_case("rotary-decode-far", "one token at t = 131071, its turns included", 131071,
                        {{"R3", kAtStart, kOfStart}}));
  cases.add(
      prompt_case("rotary-backward", "gradients of queries and keys, halves", {.backward = true}));
  cases.add(prompt_case("rotary-again", "cached keys turned again for a longer context",
                        {.again = true}));
}

}  // namespace sextant
