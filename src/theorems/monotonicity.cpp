// SPDX-License-Identifier: Apache-2.0
// T3: whether positions with farther laws are embedded farther apart, and whether their separations
// only ever grow or only ever shrink.
//
// The simplest model to which the claim would apply: softmax(W p_i) with W = I, cross-entropy with
// the law P_i of position i, p(0) = 0. Gradient flow is dp_i/dt = P_i - softmax(p_i), its kernel is
// the identity at every time, and p_i goes to log P_i less its mean.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sextant/theorem.h"
#include "theory/example_laws.h"
#include "theory/verdict.h"

namespace sextant {
namespace {

constexpr std::string_view kConditions[] = {
    ("published: the NTK regime, a masked-language-model, classification or positionally "
     "sufficient loss; a conjecture for which appendix A develops a proof through five lemmas"),
    "infinite width and NTK parametrisation: from a simulated rebuttal in a review of the paper",
    "the exact statement is not in our source: M1 and M2 are our readings of it",
    "M1: a larger Hellinger distance implies a larger learned distance",
    "M2: pairwise separations move monotonically under gradient flow",
    "here: logits are the position vectors themselves, cross-entropy, start at 0",
    "here: the kernel is the identity and constant; the width is not infinite",
};

constexpr TheoremInfo kInfo = {
    .id = "T3",
    .name = "monotonicity",
    .title = "Monotonicity in the NTK regime",
    .source = "Cirrincione, arXiv:2604.05217, Monotonicity Conjecture, appendix A",
    .claim =
        "in the neural tangent kernel regime learned distances follow the Hellinger distances of "
        "the positional distributions monotonically",
    .statement =
        "along dp_i/dt = P_i - softmax(p_i), p_i(0) = 0: (M1) d_H(i,j) < d_H(k,l) implies "
        "|p_i - p_j| < |p_k - p_l|, and (M2) no |p_i - p_j| turns round",
    .conditions = kConditions,
};

constexpr Index kWords = 3;
constexpr Index kLaws = 3;
constexpr double kLawTable[kLaws][kWords] = {
    {0.499, 0.499, 0.002}, {0.6, 0.398, 0.002}, {0.488, 0.488, 0.024}};
// The pairs 1-2, 1-3, 2-3, in the order of a DistanceMatrix.
constexpr std::size_t kPairs[][2] = {{0, 1}, {0, 2}, {1, 2}};
constexpr std::string_view kPairNames[] = {"1-2", "1-3", "2-3"};

constexpr double kFirstTime = 0.01, kLastTime = 2e4;  // the slowest mode decays like exp(-t/300)
constexpr int kRecords = 400;                         // times, equally spaced in log t
constexpr double kCoarse = 0.125;  // step of RK4; |lambda| <= 1/2, so that it is far from unstable
constexpr double kRounding = 1e-12;  // of slopes: at the end they are sums of rounding errors
constexpr double kAgreement = 1e-6;  // between a step and its half, for a count to be believed

using Point = std::array<double, kWords>;
using Points = std::array<Point, kLaws>;
using ByPair = std::array<double, kLaws>;

Point velocity(std::size_t law, const Point& p) {
  const double most = *std::max_element(p.begin(), p.end());
  Point result = {};
  double sum = 0.0;
  for (std::size_t k = 0; k < kWords; ++k) {
    result[k] = std::exp(p[k] - most);
    sum += result[k];
  }
  for (std::size_t k = 0; k < kWords; ++k) result[k] = kLawTable[law][k] - result[k] / sum;
  return result;
}

Point moved(const Point& p, const Point& along, double by) {
  Point result = p;
  for (std::size_t k = 0; k < p.size(); ++k) result[k] += by * along[k];
  return result;
}

// The classical Runge-Kutta step.
Point stepped(std::size_t law, const Point& p, double h) {
  const Point a = velocity(law, p);
  const Point b = velocity(law, moved(p, a, 0.5 * h));
  const Point c = velocity(law, moved(p, b, 0.5 * h));
  const Point d = velocity(law, moved(p, c, h));
  Point result = p;
  for (std::size_t k = 0; k < p.size(); ++k)
    result[k] += h / 6.0 * (a[k] + 2.0 * b[k] + 2.0 * c[k] + d[k]);
  return result;
}

double inner(const Point& a, const Point& b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

struct Record {
  double time = 0.0;
  ByPair distance = {};  // |p_i - p_j|
  ByPair slope = {};     // half of d/dt |p_i - p_j|^2
};

Record record_of(double time, const Points& points) {
  Record record{.time = time};
  for (std::size_t pair = 0; pair < kLaws; ++pair) {
    const std::size_t i = kPairs[pair][0], j = kPairs[pair][1];
    const Point apart = moved(points[i], points[j], -1.0);
    const Point drift = moved(velocity(i, points[i]), velocity(j, points[j]), -1.0);
    record.distance[pair] = std::sqrt(inner(apart, apart));
    record.slope[pair] = inner(apart, drift);
  }
  return record;
}

std::vector<Record> flow(double step) {
  std::vector<Record> records;
  records.reserve(kRecords);
  Points points = {};
  double time = 0.0;
  for (int k = 0; k < kRecords; ++k) {
    const double share = static_cast<double>(k) / (kRecords - 1);
    const double next = kFirstTime * std::pow(kLastTime / kFirstTime, share);
    const int steps = static_cast<int>(std::ceil((next - time) / step));
    for (std::size_t law = 0; law < kLaws; ++law)
      for (int s = 0; s < steps; ++s)
        points[law] = stepped(law, points[law], (next - time) / steps);
    time = next;
    records.push_back(record_of(time, points));
  }
  return records;
}

Matrix laws() {
  Matrix result(kLaws, kWords);
  for (Index i = 0; i < kLaws; ++i)
    for (Index k = 0; k < kWords; ++k) result(i, k) = kLawTable[i][k];
  return result;
}

// The distances at the end of time, in closed form.
ByPair limits() {
  Points points = {};
  for (std::size_t i = 0; i < kLaws; ++i) {
    double mean = 0.0;
    for (std::size_t k = 0; k < kWords; ++k) {
      points[i][k] = std::log(kLawTable[i][k]);
      mean += points[i][k] / kWords;
    }
    for (double& value : points[i]) value -= mean;
  }
  return record_of(0.0, points).distance;
}

// Kendall: pairs of pairs whose learned distances stand in the other order than the Hellinger ones.
int discordant(std::span<const double> hellinger, const ByPair& learned) {
  int count = 0;
  for (std::size_t a = 0; a < kLaws; ++a)
    for (std::size_t b = a + 1; b < kLaws; ++b)
      count += (hellinger[a] - hellinger[b]) * (learned[a] - learned[b]) < 0.0 ? 1 : 0;
  return count;
}

// Times at which value(record) changes its sign, between two records on a straight line. What is
// below `rounding` has no sign.
template <typename Value>
Vector sign_changes(const std::vector<Record>& records, double rounding, const Value& value) {
  Vector times;
  for (std::size_t k = 1; k < records.size(); ++k) {
    const double before = value(records[k - 1]), after = value(records[k]);
    if (before * after >= 0.0 || std::min(std::abs(before), std::abs(after)) < rounding) continue;
    const double share = before / (before - after);
    times.push_back(records[k - 1].time + share * (records[k].time - records[k - 1].time));
  }
  return times;
}

struct Flow {
  DistanceMatrix hellinger = hellinger_of_laws(laws());
  std::vector<Record> records = flow(0.5 * kCoarse);
  double difference = 0.0;  // to the flow with the double step, over all records and pairs
  double from_limit = 0.0;  // of the last record
  int most_discordant = 0, last_discordant = 0;
  double last_crossing = 0.0;  // the last time at which two learned distances change their order

  Flow() {
    const std::vector<Record> coarse = flow(kCoarse);
    const ByPair end = limits();
    for (std::size_t pair = 0; pair < kLaws; ++pair) {
      for (std::size_t k = 0; k < records.size(); ++k)
        difference =
            std::max(difference, std::abs(records[k].distance[pair] - coarse[k].distance[pair]));
      from_limit = std::max(from_limit, std::abs(records.back().distance[pair] - end[pair]));
    }
    for (const Record& record : records) {
      last_discordant = discordant(hellinger.values(), record.distance);
      most_discordant = std::max(most_discordant, last_discordant);
    }
    for (std::size_t a = 0; a < kLaws; ++a) {
      for (std::size_t b = a + 1; b < kLaws; ++b) {
        const Vector crossings = sign_changes(records, 0.0, [a, b](const Record& record) {
          return record.distance[a] - record.distance[b];
        });
        if (!crossings.empty()) last_crossing = std::max(last_crossing, crossings.back());
      }
    }
  }

  Vector turns(std::size_t pair) const {
    return sign_changes(records, kRounding,
                        [pair](const Record& record) { return record.slope[pair]; });
  }
};

std::vector<Finding> order_findings(const Flow& flow) {
  const Record& early = flow.records.front();
  const double ratio = early.distance[0] / early.distance[1];
  const bool reversed = flow.hellinger(0, 1) < flow.hellinger(0, 2) && ratio > 1.0;
  return {{.part = fmt::format("M1, t={}", early.time),
           .quantity = "|p_1-p_2| / |p_1-p_3|, where d_H(1,2) < d_H(1,3) asks for less than 1",
           .observed = ratio,
           .bound = 1.0,
           .verdict = holds_if(!reversed),
           .remark = fmt::format("d_H(1,2) = {:.4f}, d_H(1,3) = {:.4f}, |sqrt P - sqrt Q| without "
                                 "the factor 1/sqrt 2",
                                 flow.hellinger(0, 1), flow.hellinger(0, 2))},
          {.part = fmt::format("M1, t={}..{}", kFirstTime, kLastTime),
           .quantity = "most discordant pairs of pairs (Kendall) at one time, of 3",
           .observed = static_cast<double>(flow.most_discordant),
           .bound = 0.0,
           .verdict = holds_if(flow.most_discordant == 0),
           .remark = fmt::format("two distances change their order last at t={:.3g}",
                                 flow.last_crossing)},
          {.part = "M1, end of training",
           .quantity = "discordant pairs of pairs at the last time",
           .observed = static_cast<double>(flow.last_discordant),
           .bound = 0.0,
           .verdict = holds_if(flow.last_discordant == 0),
           .remark = fmt::format("distances within {:.1g} of those of log P", flow.from_limit)}};
}

Finding turn_finding(const Flow& flow, std::size_t pair) {
  const Vector turns = flow.turns(pair);
  return {.part = fmt::format("M2, pair {}", kPairNames[pair]),
          .quantity = "sign changes of d/dt |p_i - p_j|",
          .observed = static_cast<double>(turns.size()),
          .bound = 0.0,
          .verdict = holds_if(turns.empty()),
          .remark = turns.empty() ? "" : fmt::format("the first at t={:.3g}", turns.front())};
}

Figure distance_figure(const Flow& flow) {
  Figure figure{.title = "Learned distances along gradient flow",
                .x_label = "time",
                .y_label = "|p_i - p_j|",
                .log_x = true,
                .log_y = true};
  for (std::size_t pair = 0; pair < 2; ++pair) {
    Figure::Curve curve{.name = fmt::format("pair {}, d_H = {:.4f}", kPairNames[pair],
                                            flow.hellinger.values()[pair]),
                        .x = {},
                        .y = {}};
    for (const Record& record : flow.records) {
      curve.x.push_back(record.time);
      curve.y.push_back(record.distance[pair]);
    }
    figure.curves.push_back(std::move(curve));
  }
  return figure;
}

TheoremCheck check(const TheoremOptions&) {
  const Flow flow;
  TheoremCheck result;
  result.findings = order_findings(flow);
  for (std::size_t pair = 0; pair < kLaws; ++pair)
    result.findings.push_back(turn_finding(flow, pair));
  const bool accurate = flow.difference <= kAgreement;
  bool violated = false;
  for (const Finding& finding : result.findings)
    violated = violated || finding.verdict == ClaimVerdict::kViolated;
  result.verdict = !accurate  ? ClaimVerdict::kNotTestable
                   : violated ? ClaimVerdict::kViolated
                              : ClaimVerdict::kHolds;
  const Vector turned = flow.turns(0);
  result.reason = fmt::format(
      "by our readings, in the simplest model to which they would apply, with a constant kernel "
      "but without infinite width, |p_1-p_2| starts {:.3g} times as large as |p_1-p_3| although "
      "d_H(1,2) = {:.4f} < d_H(1,3) = {:.4f}, and |p_1-p_2| {}; from t={:.3g} on, and at "
      "convergence, the order is {}",
      result.findings[0].observed, flow.hellinger(0, 1), flow.hellinger(0, 2),
      turned.empty()
          ? "never turns round"
          : fmt::format("turns round {}, at t={:.3g}",
                        turned.size() == 1 ? "once" : fmt::format("{} times", turned.size()),
                        turned.front()),
      flow.last_crossing,
      flow.last_discordant == 0 ? "right, which speaks for the author" : "wrong as well");
  result.findings.push_back(
      {.part = fmt::format("Runge-Kutta, steps {} and {}", kCoarse, 0.5 * kCoarse),
       .quantity = "largest difference of a learned distance",
       .observed = flow.difference,
       .bound = kAgreement,
       .verdict = holds_if(accurate),
       .remark = "accuracy of the integration, not a claim"});
  result.findings.push_back({.part = "empirical NTK of a trained model",
                             .quantity = "drift of the Gram matrix of parameter gradients",
                             .observed = std::numeric_limits<double>::quiet_NaN(),
                             .verdict = ClaimVerdict::kNotTestable,
                             .remark =
                                 "not done here: needs training, which sextant study ntk "
                                 "does; in this model the kernel is the identity throughout"});
  result.figures = {distance_figure(flow)};
  return result;
}

}  // namespace

void register_monotonicity(TheoremRegistry& registry) { registry.add(kInfo, check); }

}  // namespace sextant
