// SPDX-License-Identifier: Apache-2.0
#include "encoding/compose.h"

#include <algorithm>

#include "base/check.h"
#include "math/eigen_map.h"

namespace sextant {
namespace {

// One rule per claim, over the parts to which it applies.
Claim all_of(Claim a, Claim b) {
  if (a == Claim::kNotApplicable) return b;
  if (b == Claim::kNotApplicable) return a;
  return a == Claim::kYes && b == Claim::kYes ? Claim::kYes : Claim::kNo;
}
Claim any_of(Claim a, Claim b) {
  return a == Claim::kYes || b == Claim::kYes ? Claim::kYes : Claim::kNo;
}

Claims merged(const Claims& a, const Claims& b) {
  return {.translation_invariant = all_of(a.translation_invariant, b.translation_invariant),
          .group = all_of(a.group, b.group),
          .norm_preserving = all_of(a.norm_preserving, b.norm_preserving),
          .orthogonal = all_of(a.orthogonal, b.orthogonal),
          .any_length = all_of(a.any_length, b.any_length),
          .separates = any_of(a.separates, b.separates),
          .bounded = all_of(a.bounded, b.bounded),
          .needs_causal_mask = any_of(a.needs_causal_mask, b.needs_causal_mask),
          .length_free = all_of(a.length_free, b.length_free)};
}

void add_input(const InputTable& more, std::optional<InputTable>& sum) {
  if (!sum) {
    sum = more;
    return;
  }
  sum->row = [first = sum->row, second = more.row](const Position& t, std::span<double> row) {
    Vector other(row.size());
    first(t, row);
    second(t, other);
    as_eigen(row) += as_eigen(std::span<const double>(other));
  };
}

void add_bias(const LogitBias& more, std::optional<LogitBias>& sum) {
  if (!sum) {
    sum = more;
    return;
  }
  sum->depends_on_lag_only = sum->depends_on_lag_only && more.depends_on_lag_only;
  sum->at = [first = sum->at, second = more.at](Index head, double s, double t) {
    return first(head, s, t) + second(head, s, t);
  };
}

void add_offset(const KeyOffset& more, std::optional<KeyOffset>& sum) {
  if (!sum) {
    sum = more;
    return;
  }
  sum->at = [first = sum->at, second = more.at](Index head, double s, double t) {
    LinearTerms terms = first(head, s, t);
    const LinearTerms other = second(head, s, t);
    as_eigen(std::span(terms.u)) += as_eigen(std::span(other.u));
    as_eigen(std::span(terms.v)) += as_eigen(std::span(other.v));
    terms.c += other.c;
    return terms;
  };
}

class Composite final : public Encoding {
 public:
  explicit Composite(std::vector<std::unique_ptr<Encoding>> parts) : parts_(std::move(parts)) {
    claims_ = parts_.front()->claims();
    for (const auto& part : parts_) {
      const Sites& sites = part->info().sites;
      require(!(sites.query_key && info_.sites.query_key), part->info().name,
              "the query/key site must have one encoding but got a second one");
      info_.sites.input |= sites.input;
      info_.sites.query_key |= sites.query_key;
      info_.sites.logit |= sites.logit;
      info_.sites.key_offset |= sites.key_offset;
      info_.needs_values |= part->info().needs_values;
      if (part != parts_.front()) claims_ = merged(claims_, part->claims());
      join(name_, "+", part->info().name);
      join(title_, " with ", part->info().title);
      join(formula_, R"(,\quad )", part->info().formula);
      join(reference_, "; ", part->info().reference);
    }
    info_.name = name_;
    info_.title = title_;
    info_.formula = formula_;
    info_.reference = reference_;
    info_.claims = claims_;
  }

  const EncodingInfo& info() const override { return info_; }
  Claims claims() const override { return claims_; }

  Index heads() const override {
    Index fixed = 0;
    for (const auto& part : parts_) fixed = std::max(fixed, part->heads());
    return fixed;
  }
  Index dim() const override {
    Index fixed = 0;
    for (const auto& part : parts_) fixed = std::max(fixed, part->dim());
    return fixed;
  }

  Effects make_effects(const Extent& extent) const override {
    Effects sum;
    for (const auto& part : parts_) add_effects(part->effects(extent), sum);
    return sum;
  }

  std::span<const std::unique_ptr<Encoding>> parts() const { return parts_; }

 private:
  static void join(std::string& sum, std::string_view between, std::string_view more) {
    if (!sum.empty()) sum += between;
    sum += more;
  }

  std::vector<std::unique_ptr<Encoding>> parts_;
  std::string name_, title_, formula_, reference_;
  Claims claims_;
  EncodingInfo info_;
};

}  // namespace

std::unique_ptr<Encoding> compose(std::vector<std::unique_ptr<Encoding>> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  return std::make_unique<Composite>(std::move(parts));
}

std::span<const std::unique_ptr<Encoding>> parts_of(const Encoding& encoding) {
  const auto* composite = dynamic_cast<const Composite*>(&encoding);
  return composite == nullptr ? std::span<const std::unique_ptr<Encoding>>() : composite->parts();
}

void add_effects(Effects more, Effects& sum) {
  if (more.input) add_input(*more.input, sum.input);
  if (more.query_key) sum.query_key = std::move(more.query_key);
  if (more.logit) add_bias(*more.logit, sum.logit);
  if (more.key_offset) add_offset(*more.key_offset, sum.key_offset);
}

}  // namespace sextant
