// SPDX-License-Identifier: Apache-2.0
#include "kernels/bias_matrix.h"

#include <cassert>
#include <cmath>
#include <limits>
#include <vector>

#include "base/check.h"
#include "base/parallel.h"
#include "kernels/stream_copy.h"

namespace sextant {
namespace {

// b_h(s, t) at positions i and j; biases live on the first axis.
double bias_at(const LogitBias& bias, Index head, const Positions& positions, Index i, Index j) {
  return bias.at(head, positions[i][0], positions[j][0]);
}

// What is asked for each value: round(double) -> T and widen(T) -> double.
template <typename T, typename Round, typename Widen>
class Filler {
 public:
  Filler(const LogitBias& bias, const Positions& positions, Round round, Widen widen)
      : bias_(bias),
        positions_(positions),
        n_(positions.size()),
        by_lag_(bias.depends_on_lag_only && positions.consecutive()),
        round_(round),
        widen_(widen) {}

  void fill(Index heads, Index threads, std::span<T> out) const {
    const auto copy_row = [&](const T* from, T* to) {
      const auto row = std::as_bytes(std::span(from, static_cast<std::size_t>(n_)));
      copy_part(row.data(), row.size(), reinterpret_cast<std::byte*>(to), out.size_bytes());
    };
    parallel_for(heads * n_, threads, [&](Index begin, Index end) {
      std::vector<T> list;
      for (Index row = begin; row < end; ++row) {
        const Index head = row / n_, i = row % n_;
        T* const target = out.data() + row * n_;
        if (!by_lag_) {
          ask_for_row(head, i, target);
          continue;
        }
        if (i == 0 || row == begin) {
          list.resize(static_cast<std::size_t>(2 * n_ - 1));
          fill_by_lag(head, list);
        }
        copy_row(list.data() + (n_ - 1 - i), target);
      }
    });
  }

  // Entry n-1 + j - i is the bias of query i and key j: row i starts at n-1 - i. The pairs are
  // those that come first in the matrix.
  void fill_by_lag(Index head, std::span<T> list) const {
    ask_for_row(head, 0, list.data() + (n_ - 1));
    for (Index i = 1; i < n_; ++i) list[static_cast<std::size_t>(n_ - 1 - i)] = checked(head, i, 0);
  }

 private:
  // By whole lags where that is all it takes: differences of far or fractional positions round.
  T checked(Index head, Index i, Index j) const {
    const double value = by_lag_ ? bias_.at(head, static_cast<double>(i - j), 0.0)
                                 : bias_at(bias_, head, positions_, i, j);
    const T rounded = round_(value);
    if (!std::isfinite(widen_(rounded)) && value != -std::numeric_limits<double>::infinity()) {
      fail(ErrorCode::kNumeric, "bias",
           "value {} at [{}, {}, {}] must be -infinity or finite in the type of the table", value,
           head, i, j);
    }
    return rounded;
  }

  void ask_for_row(Index head, Index i, T* row) const {
    for (Index j = 0; j < n_; ++j) row[j] = checked(head, i, j);
  }

  const LogitBias& bias_;
  const Positions& positions_;
  Index n_;
  bool by_lag_;
  Round round_;
  Widen widen_;
};

// Of a type that C++ has.
template <typename T>
auto filler(const LogitBias& bias, const Positions& positions) {
  const auto round = [](double x) { return static_cast<T>(x); };
  const auto widen = [](T x) { return static_cast<double>(x); };
  return Filler<T, decltype(round), decltype(widen)>(bias, positions, round, widen);
}

}  // namespace

void fill_bias_matrix(const LogitBias& bias, Index heads, const Positions& positions, Index threads,
                      std::span<float> out) {
  filler<float>(bias, positions).fill(heads, threads, out);
}

void fill_bias_matrix(const LogitBias& bias, Index heads, const Positions& positions, Index threads,
                      std::span<double> out) {
  filler<double>(bias, positions).fill(heads, threads, out);
}

void fill_bias_matrix(const LogitBias& bias, Index heads, const Positions& positions, Index threads,
                      const ShortType& type, std::span<std::uint16_t> out) {
  Filler<std::uint16_t, decltype(type.bits), decltype(type.value)>(bias, positions, type.bits,
                                                                   type.value)
      .fill(heads, threads, out);
}

void fill_bias_by_lag(const LogitBias& bias, Index head, Index n, std::span<float> list) {
  assert(bias.depends_on_lag_only);
  const Positions positions = Positions::range(n);
  filler<float>(bias, positions).fill_by_lag(head, list);
}

void fill_bias_matrix_plain(const LogitBias& bias, Index heads, const Positions& positions,
                            std::span<double> out) {
  const Index n = positions.size();
  for (Index i = 0; i < heads * n * n; ++i) {
    out[static_cast<std::size_t>(i)] = bias_at(bias, i / (n * n), positions, i / n % n, i % n);
  }
}

}  // namespace sextant
