// SPDX-License-Identifier: Apache-2.0
// A trained table of rows.
//
// What it does between and beyond its rows is linear in them: the catalogue's own encoding of the
// unit table says which mixture of rows each position gets, by whatever rule the spec names.
#include <algorithm>

#include "lab/learned.h"

namespace sextant {
namespace {

// The rows of the file or of the initial draw, before any rule about positions.
Matrix first_rows(const LearnedStart& start) {
  const EncodingInfo& info = start.encoding->info();
  const Params params(info.name, info.params, start.term, start.encoding->spec());
  if (params.has("file")) return params.matrix("file");
  EncodingSpec::Term draw{.name = start.term.name, .arguments = {}, .at = 0};
  std::ranges::copy_if(start.term.arguments, std::back_inserter(draw.arguments),
                       [](const auto& a) { return a.key == "seed" || a.key == "train"; });
  const Index rows = params.integer("train");
  const Extent extent{.positions = rows, .dim = start.shape.dim, .heads = start.shape.heads};
  const auto table = encodings().make(EncodingSpec{.terms = {draw}}.text());
  return input_rows(*table->effects(extent).input, extent, Positions::range(rows));
}

Tensor as_values(const Matrix& matrix) {
  return {.shape = {matrix.rows(), matrix.cols()},
          .values = {matrix.values().begin(), matrix.values().end()}};
}

class LearnedTable final : public LearnedTerm {
 public:
  explicit LearnedTable(const LearnedStart& start)
      : table_(register_parameter("table", to_torch(first_rows(start), start.options))),
        mixture_(encodings().make(EncodingSpec{.terms = {start.term}}.text(),
                                  {{"file", as_values(Matrix::identity(table_.size(0)))}})) {}

  SiteTensors sites(Index n) override {
    const Extent extent{.positions = n, .dim = table_.size(0), .heads = 1};
    const Matrix mixture =
        input_rows(*mixture_->effects(extent).input, extent, Positions::range(n));
    return {.rows = torch::mm(to_torch(mixture, table_.options()), table_)};
  }

  TensorMap values() const override { return {{"file", as_values(to_matrix(table_))}}; }

 private:
  torch::Tensor table_;  // [rows, dim]
  std::unique_ptr<Encoding> mixture_;
};

}  // namespace

void register_learned(LearnedRegistry& registry) {
  registry.add("learned", [](const LearnedStart& start) -> std::shared_ptr<LearnedTerm> {
    return std::make_shared<LearnedTable>(start);
  });
}

}  // namespace sextant
