// SPDX-License-Identifier: Apache-2.0
// One value at a time in double: the reference for the vectors, and the only path of chains.
#include <cstring>

#include "base/parallel.h"
#include "base/rounding.h"
#include "kernels/rotary_apply.h"
#include "kernels/rotary_views.h"

namespace sextant {
namespace {

// Value `place` of one head, in any of the types.
double load(const HeadsView& view, Index at) {
  switch (view.dtype) {
    case Dtype::kF16:
      return from_half(static_cast<const std::uint16_t*>(view.data)[at]);
    case Dtype::kBF16:
      return from_bfloat16(static_cast<const std::uint16_t*>(view.data)[at]);
    default:
      return static_cast<double>(static_cast<const float*>(view.data)[at]);
  }
}

void store(const HeadsView& view, Index at, double value) {
  switch (view.dtype) {
    case Dtype::kF16:
      static_cast<std::uint16_t*>(view.data)[at] = to_half(value);
      break;
    case Dtype::kBF16:
      static_cast<std::uint16_t*>(view.data)[at] = to_bfloat16(value);
      break;
    default:
      static_cast<float*>(view.data)[at] = static_cast<float>(value);
  }
}

Index start_of(const HeadsView& view, Index token, Index head) {
  return token * view.token_stride + head * view.head_stride;
}

template <typename Work>
void for_each_head(const TurnJob& job, Index first, Index last, const Work& work) {
  for (Index token = first; token < last; ++token) {
    for (Index head = 0; head < job.in.heads; ++head)
      work(token, start_of(job.in, token, head), start_of(job.out, token, head));
  }
}

// What a slot does to the pair (x, y) at one token.
struct PairTurn {
  double cos = 1.0;
  double sin = 0.0;

  PairTurn(const TurnJob& job, Index token, Index slot) {
    const float* row = job.values.row(job.side, token);
    cos = static_cast<double>(row[slot]);
    sin = static_cast<double>(row[static_cast<Index>(job.values.rule->slots()) + slot]);
    if (job.backward) sin = -sin;
  }
};

// y_i = turn sum_m weight_m x_(i -+ m), weight_m = (+-step)^m / m!. The query's map is A(s)^T,
// which reads links before i; the key's is A(-t), which reads those behind, with -step. The
// transposed map reads the other way. Going on against that direction needs no copy of the chain.
void apply_chain(const TurnJob& job, const BlockChain& chain, Index token, double step, Index from,
                 Index to) {
  const PairTurn turn(job, token, chain.slot);
  const bool reads_before = (job.side == Side::kQuery) != job.backward;
  const double signed_step = job.side == Side::kQuery ? step : -step;
  const auto place = [&](Index link, Index w) {
    return chain.places[static_cast<std::size_t>(link * chain.width + w)];
  };
  for (Index done = 0; done < chain.size; ++done) {
    const Index i = reads_before ? chain.size - 1 - done : done;
    double sum[2] = {};
    double weight = 1.0;
    for (Index m = 0; m < chain.size - done; ++m) {
      const Index j = reads_before ? i - m : i + m;
      for (Index w = 0; w < chain.width; ++w) sum[w] += weight * load(job.in, from + place(j, w));
      weight *= signed_step / static_cast<double>(m + 1);
    }
    if (chain.width == 1) {
      store(job.out, to + place(i, 0), turn.cos * sum[0]);
    } else {
      store(job.out, to + place(i, 0), turn.cos * sum[0] - turn.sin * sum[1]);
      store(job.out, to + place(i, 1), turn.sin * sum[0] + turn.cos * sum[1]);
    }
  }
}

void turn_pairs(const TurnJob& job, Index first, Index last) {
  for_each_head(job, first, last, [&](Index token, Index from, Index to) {
    for (const PairRun& run : job.values.rule->pairs) {
      for (Index i = 0; i < run.count; ++i) {
        const PairTurn turn(job, token, run.slot + i);
        const Index at_x = run.x + i * run.step, at_y = run.y + i * run.step;
        const double x = load(job.in, from + at_x), y = load(job.in, from + at_y);
        store(job.out, to + at_x, turn.cos * x - turn.sin * y);
        store(job.out, to + at_y, turn.sin * x + turn.cos * y);
      }
    }
  });
}

void apply_plain(const Turns& turns, Side side, const HeadsView& in, const HeadsView& out,
                 const ApplyOptions& options) {
  if (!check_views(turns, in, out, options)) return;
  const TurnJob job{TurnsAccess::values(turns), in, out, side, options.backward};
  parallel_for(in.tokens, options.threads, [&](Index first, Index last) {
    turn_pairs(job, first, last);
    apply_chains(job, first, last);
    copy_still(job, first, last);
  });
}

}  // namespace

void apply_chains(const TurnJob& job, Index first, Index last) {
  const std::vector<BlockChain>& chains = job.values.rule->chains;
  if (chains.empty()) return;
  for_each_head(job, first, last, [&](Index token, Index from, Index to) {
    const double* steps = job.values.steps.data() + token * static_cast<Index>(chains.size());
    for (const BlockChain& chain : chains) apply_chain(job, chain, token, *steps++, from, to);
  });
}

void copy_still(const TurnJob& job, Index first, Index last) {
  if (job.in_place() || job.values.rule->still.empty()) return;
  const Index width = bytes_per_value(job.in.dtype);
  for_each_head(job, first, last, [&](Index, Index from, Index to) {
    for (const StillRun& run : job.values.rule->still) {
      std::memcpy(static_cast<std::byte*>(job.out.data) + (to + run.first) * width,
                  static_cast<const std::byte*>(job.in.data) + (from + run.first) * width,
                  static_cast<std::size_t>(run.count * width));
    }
  });
}

void apply_to_queries_plain(const Turns& turns, const HeadsView& in, const HeadsView& out,
                            const ApplyOptions& options) {
  apply_plain(turns, Side::kQuery, in, out, options);
}

void apply_to_keys_plain(const Turns& turns, const HeadsView& in, const HeadsView& out,
                         const ApplyOptions& options) {
  apply_plain(turns, Side::kKey, in, out, options);
}

}  // namespace sextant
