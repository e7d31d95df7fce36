// SPDX-License-Identifier: Apache-2.0
// Rows read from a file: a table of a model, or one fitted elsewhere.
#include "encoding/absolute.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    file_param("file", "rows, [rows, dim]: .npy, or a tensor of a model"),
    word_param("beyond", "error", "error|clamp|interpolate",
               "past the last row: refuse, repeat it, or stretch the table over the sequence"),
    kPositionsParam,
    kTrainParam,
};

constexpr EncodingInfo kInfo = {
    .name = "table",
    .title = "Table from a file",
    .formula = R"(p_t = P_{t,:})",
    .reference = "any array of rows",
    .notes =
        "table:FILE.npy is short for table(file=FILE.npy). Tables of models: "
        "table:FILE.safetensors#wpe.weight, table:FILE.gguf#position_embd.weight, "
        "table:FOLDER#wpe.weight.",
    .sites = {.input = true},
    .params = kParams,
    .claims = {.orthogonal = Claim::kNo,
               .any_length = Claim::kNo,
               .separates = Claim::kYes,
               .bounded = Claim::kYes},
    .required_file = "file",
};

class TableFromFile final : public Encoding {
 public:
  explicit TableFromFile(const Params& params)
      : rule_(params),
        beyond_(parse_beyond(params.word("beyond"))),
        table_(params.matrix("file"), beyond_) {}

  const EncodingInfo& info() const override { return kInfo; }
  Index dim() const override { return table_.dim(); }
  Claims claims() const override { return rule_.adjusted(adjusted(kInfo.claims, beyond_)); }

  Effects make_effects(const Extent& extent) const override {
    return {.input = input_table(rule_, extent, 1,
                                 [table = table_, length = extent.positions](
                                     const Position& t, std::span<double> row) {
                                   table.row(t, length, kInfo.name, row);
                                 })};
  }

 private:
  PositionRule rule_;
  RowTable::Beyond beyond_;
  RowTable table_;
};

}  // namespace

void register_table(EncodingRegistry& registry) { registry.add<TableFromFile>(kInfo); }

}  // namespace sextant
