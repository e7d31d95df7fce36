// SPDX-License-Identifier: Apache-2.0
#include "run/group_document.h"

#include <cmath>

#include "run/json_values.h"

namespace sextant {
namespace {

constexpr Index kMostPrinted = 64;  // rows of a matrix in JSON; -o writes any

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json matrix_json(const Matrix& matrix) {
  Json rows = Json::array();
  for (Index i = 0; i < matrix.rows(); ++i) {
    const std::span<const double> row = matrix.row(i);
    rows.push_back(Vector(row.begin(), row.end()));
  }
  return rows;
}

Json horizon_json(const Horizon& horizon) {
  return {{"f16", finite_or_null(horizon.f16)},
          {"bf16", finite_or_null(horizon.bf16)},
          {"f32", finite_or_null(horizon.f32)},
          {"f64", finite_or_null(horizon.f64)}};
}

Json ranks_json(const std::vector<KernelCertificate::Rank>& ranks) {
  Json json = Json::array();
  for (const KernelCertificate::Rank& at : ranks)
    json.push_back(
        {{"tolerance", at.tolerance}, {"rank", at.rank}, {"gap", finite_or_null(at.gap)}});
  return json;
}

Json realisation_json(const Realisation& found) {
  Json json;
  json["order"] = found.x.rows();
  json["families"] = families_json(found.generator.families);
  json["residual"] = found.residual;
  return json;
}

}  // namespace

Json families_json(std::span<const BlockFamily> families) {
  Json json = Json::array();
  for (const BlockFamily& family : families) {
    json.push_back({{"kind", name(family.kind)},
                    {"decay", family.decay},
                    {"frequency", family.frequency},
                    {"size", family.size},
                    {"count", family.count}});
  }
  return json;
}

void add_generator(Json& document, const GeneratorClass& generator) {
  document["dim"] = generator.dim;
  document["families"] = families_json(generator.families);
  document["closed_form"] = generator.closed_form;
  document["norm"] = generator.norm;
  document["noise"] = generator.noise;
  document["backward_error"] = generator.backward_error;
  document["stability"] = name(generator.stability);
  document["stability_back"] = name(generator.stability_back);
  document["norm_preserving"] = generator.norm_preserving;
  document["needs_causal_mask"] = generator.needs_causal_mask;
  document["horizon"] = horizon_json(generator.overflow);
  document["split_horizon"] = horizon_json(generator.split_overflow);
  document["vanishing"] = horizon_json(generator.vanishing);
  document["conditioning"] = Json::array();
  for (const GeneratorClass::At& at : generator.conditioning)
    document["conditioning"].push_back(
        {{"lag", at.lag}, {"norm", at.norm}, {"condition", finite_or_null(at.condition)}});
  document["ambiguous"] = generator.ambiguous;
  document["others"] = Json::array();
  for (const GeneratorClass::Other& other : generator.others)
    document["others"].push_back(
        {{"noise", other.noise}, {"families", families_json(other.families)}});
}

void add_maps(Json& document, const MapTest& test) {
  document["verdict"] = name(test.verdict);
  document["reason"] = test.reason;
  document["dim"] = test.dim;
  document["residuals"] = {{"relative", test.verdict == MapVerdict::kContentDependent
                                            ? Json()
                                            : finite_or_null(test.relative_residual)},
                           {"group", or_null(test.group_residual)},
                           {"recovery", or_null(test.recovery_residual)}};
  document["worst_pair"] = nullptr;
  if (test.worst) {
    document["worst_pair"] = {{"i", test.worst->i},
                              {"j", test.worst->j},
                              {"s", test.worst->s},
                              {"t", test.worst->t},
                              {"residual", finite_or_null(test.worst->residual)}};
  }
  document["step"] = test.step;
  document["highest_frequency"] = test.highest_frequency;
  document["aliased"] = test.aliased;
  document["integer_time_only"] = test.integer_time_only;
  document["families"] = Json::array();
  document["ambiguous"] = false;
  if (test.families) add_generator(document, *test.families);
  document["realisation"] = test.realisation ? realisation_json(*test.realisation) : Json();
  document["warnings"] = test.warnings;
}

void add_matrices(Json& document, const MapTest& test) {
  if (test.generator && test.generator->rows() <= kMostPrinted)
    document["generator"] = matrix_json(*test.generator);
  if (!test.realisation || test.realisation->x.rows() > kMostPrinted) return;
  document["realisation"]["c"] = matrix_json(test.realisation->c);
  document["realisation"]["x"] = matrix_json(test.realisation->x);
  document["realisation"]["b"] = matrix_json(test.realisation->b);
}

Json certificate_json(const KernelCertificate& certificate) {
  Json json;
  json["samples"] = certificate.samples;
  json["two_sided"] = certificate.two_sided;
  json["finite"] = certificate.finite;
  json["rank"] = certificate.hankel.empty() ? Json() : Json(certificate.hankel.front().rank);
  json["tolerances"] = ranks_json(certificate.hankel);
  json["toeplitz"] = ranks_json(certificate.toeplitz);
  json["singular_values"] = rounded(certificate.singular_values);
  json["exponents"] = families_json(certificate.exponents);
  json["residual"] = finite_or_null(certificate.residual);
  return json;
}

}  // namespace sextant
