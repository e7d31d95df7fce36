// SPDX-License-Identifier: Apache-2.0
#include "geometry/row_operator.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "base/check.h"
#include "base/parallel.h"
#include "math/exact_sums.h"

namespace sextant {
namespace {

constexpr int kBlock = 8;            // columns that go through the rows together
constexpr double kSumBytes = 256e6;  // that copies of the sums for threads may take
constexpr Index kRowsPerItem = 64;   // of one piece of work

Index copies_of_sums(Index tokens, Index threads) {
  const double each = 2.0 * kBlock * sizeof(double) * static_cast<double>(tokens);
  return std::clamp<Index>(static_cast<Index>(kSumBytes / std::max(each, 1.0)), 1, threads);
}

Vector columns_of(const Matrix& x, Index first, Index last) {
  Vector result(static_cast<std::size_t>(x.rows() * kBlock));
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = first; j < last; ++j)
      result[static_cast<std::size_t>(i * kBlock + j - first)] = x(i, j);
  return result;
}

// Every column minus its mean. Returns the largest length of a column.
double centre(std::span<double> block) {
  const std::size_t n = block.size() / kBlock;
  double longest = 0.0;
  for (std::size_t j = 0; j < kBlock; ++j) {
    double sum = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < n; ++i) sum += block[i * kBlock + j];
    const double mean = sum / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) {
      double& value = block[i * kBlock + j];
      value -= mean;
      squares += value * value;
    }
    longest = std::max(longest, std::sqrt(squares));
  }
  return longest;
}

std::vector<std::byte> bytes_of_values(std::span<const double> values) {
  const auto bytes = std::as_bytes(values);
  return {bytes.begin(), bytes.end()};
}

Vector values_of_bytes(std::span<const std::byte> bytes) {
  Vector values(bytes.size() / sizeof(double));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(double));
  return values;
}

// How an end of the work is told: a length below 0, the code, and the text as bytes.
Vector end_message(int code, std::string_view text) {
  Vector message = {-1.0, static_cast<double>(code)};
  for (const char c : text) message.push_back(static_cast<double>(static_cast<unsigned char>(c)));
  return message;
}

}  // namespace

RowOperator::RowOperator(const PositionRows& rows, Communicator& ranks, Index threads)
    : rows_(rows), ranks_(ranks), threads_(threads) {}

double RowOperator::bytes(Index rows, Index tokens, Index threads) {
  const double sums = 2.0 * static_cast<double>(copies_of_sums(tokens, threads)) + 1.0;
  return kBlock * sizeof(double) *
         (sums * static_cast<double>(tokens) + 4.0 * static_cast<double>(rows));
}

// S^T x over all ranks, [tokens, kWidth]. x holds the rows of this rank.
template <int kWidth>
Vector RowOperator::transposed(const double* x, double length) const {
  const PackedRows& own = rows_.own();
  // By Cauchy and Schwarz sum_i |s_iv x_i| <= |s_v| |x| <= sqrt(n) |x|, entries of S being at
  // most 1.
  const double bound = length * std::sqrt(static_cast<double>(rows_.rows()));
  const SumCuts cuts(bound, rows_.rows());
  const auto size = static_cast<std::size_t>(rows_.tokens()) * 2 * kWidth;
  const Index copies = copies_of_sums(rows_.tokens(), threads_);
  std::vector<Vector> sums(static_cast<std::size_t>(copies));
  const Index pieces = (own.rows() + kRowsPerItem - 1) / kRowsPerItem;
  parallel_for(copies, copies, [&](Index from, Index to) {
    for (Index copy = from; copy < to; ++copy) {
      Vector& z = sums[static_cast<std::size_t>(copy)];
      z.resize(size);
      const Index last = std::min(own.rows(), pieces * (copy + 1) / copies * kRowsPerItem);
      for (Index k = pieces * copy / copies * kRowsPerItem; k < last; ++k) {
        double scaled[kWidth];
        for (int j = 0; j < kWidth; ++j)
          scaled[j] = x[k * kWidth + j] * rows_.weight(own.first + k);
        for_each_in_row(own.row(own.first + k), root_, [&](std::size_t token, double root) {
          double* const high = z.data() + token * 2 * kWidth;
          double* const low = high + kWidth;
          for (int j = 0; j < kWidth; ++j) {
            const double term = root * scaled[j], above = cuts.high(term);
            high[j] += above;
            low[j] += cuts.low(term - above);
          }
        });
      }
    }
  });
  Vector& total = sums.front();
  for (std::size_t copy = 1; copy < sums.size(); ++copy)
    for (std::size_t k = 0; k < size; ++k) total[k] += sums[copy][k];
  ranks_.sum(total);
  Vector z(size / 2);
  for (std::size_t token = 0; token < static_cast<std::size_t>(rows_.tokens()); ++token)
    for (std::size_t j = 0; j < kWidth; ++j)
      z[token * kWidth + j] =
          total[token * 2 * kWidth + j] + total[token * 2 * kWidth + kWidth + j];
  return z;
}

// y = S_r z, the rows of this rank.
template <int kWidth>
void RowOperator::forward(const Vector& z, double* y) const {
  const PackedRows& own = rows_.own();
  parallel_for(own.rows(), threads_, [&](Index from, Index to) {
    for (Index k = from; k < to; ++k) {
      double sums[kWidth] = {};
      for_each_in_row(own.row(own.first + k), root_, [&](std::size_t token, double root) {
        const double* const from_z = z.data() + token * kWidth;
        for (int j = 0; j < kWidth; ++j) sums[j] += root * from_z[j];
      });
      for (int j = 0; j < kWidth; ++j) y[k * kWidth + j] = sums[j] * rows_.weight(own.first + k);
    }
  });
}

double RowOperator::trace() const {
  const PackedRows& own = rows_.own();
  const auto n = static_cast<double>(rows_.rows());
  const Vector ones(static_cast<std::size_t>(own.rows()), 1.0);
  Vector mean = transposed<1>(ones.data(), std::sqrt(n));
  double whole = 0.0;
  for (double& value : mean) {
    value /= n;
    whole += value * value;
  }
  // |s - m|^2 = sum over the row's tokens of (s - m)^2, and m^2 of the other tokens.
  Vector squares;
  for (Index i = own.first; i < own.last(); ++i) {
    double differences = 0.0, covered = 0.0;
    for_each_in_row(own.row(i), root_, [&](std::size_t token, double root) {
      const double rest = root * rows_.weight(i) - mean[token];
      differences += rest * rest;
      covered += mean[token] * mean[token];
    });
    squares.push_back(differences + (whole - covered));
  }
  double sum = 0.0;
  for (const auto& part : ranks_.gather_all(std::as_bytes(std::span(std::as_const(squares)))))
    for (const double value : values_of_bytes(part)) sum += value;
  return sum;
}

void RowOperator::multiply(std::span<const double> x, double length, std::span<double> y) const {
  forward<1>(transposed<1>(x.data(), length), y.data());
}

// S S^T of a block of columns: `message` is a bound of their lengths, then all rows. Complete on
// rank 0.
Vector RowOperator::product(Vector message) const {
  if (ranks_.size() > 1) {
    std::vector<std::byte> bytes = bytes_of_values(message);
    ranks_.broadcast(bytes);
  }
  const PackedRows& own = rows_.own();
  const double* const x = message.data() + 1 + own.first * kBlock;
  const Vector z = transposed<kBlock>(x, message.front());
  Vector y(static_cast<std::size_t>(rows_.rows() * kBlock));
  forward<kBlock>(z, y.data() + own.first * kBlock);
  for (Index rank = 1; rank < ranks_.size(); ++rank) {
    const std::vector<std::byte> part = ranks_.receive(rank);
    std::memcpy(y.data() + rows_.first_row(rank) * kBlock, part.data(), part.size());
  }
  return y;
}

void RowOperator::apply(const Matrix& x, Matrix& y) const {
  for (Index first = 0; first < x.cols(); first += kBlock) {
    const Index last = std::min(first + kBlock, x.cols());
    Vector block = columns_of(x, first, last);
    const double longest = centre(block);
    block.insert(block.begin(), longest);
    Vector image = product(std::move(block));
    centre(image);
    for (Index i = 0; i < x.rows(); ++i)
      for (Index j = first; j < last; ++j)
        y(i, j) = image[static_cast<std::size_t>(i * kBlock + j - first)];
  }
}

// What the other ranks do while rank 0 works.
void RowOperator::answer() const {
  const PackedRows& own = rows_.own();
  Vector y(static_cast<std::size_t>(own.rows() * kBlock));
  while (true) {
    std::vector<std::byte> bytes;
    ranks_.broadcast(bytes);
    const Vector message = values_of_bytes(bytes);
    if (message.front() < 0.0) {
      if (message.size() == 1) return;
      std::string text;
      for (std::size_t k = 2; k < message.size(); ++k) text += static_cast<char>(message[k]);
      fail(static_cast<ErrorCode>(static_cast<int>(message[1])), "rank 0", "{}", text);
    }
    const Vector z = transposed<kBlock>(message.data() + 1 + own.first * kBlock, message.front());
    forward<kBlock>(z, y.data());
    ranks_.send(0, std::as_bytes(std::span(std::as_const(y))));
  }
}

void RowOperator::serve(const std::function<void(const Operator&)>& work) const {
  const auto end = [&](const Vector& message) {
    std::vector<std::byte> bytes = bytes_of_values(message);
    ranks_.broadcast(bytes);
  };
  if (!ranks_.is_root()) return answer();
  try {
    work([this](const Matrix& x, Matrix& y) { apply(x, y); });
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kRankLost)
      end(end_message(static_cast<int>(error.code()), error.what()));
    throw;
  } catch (const std::exception& error) {
    end(end_message(static_cast<int>(ErrorCode::kInternal), error.what()));
    throw;
  }
  end({-1.0});
}

}  // namespace sextant
