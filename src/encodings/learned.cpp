// SPDX-License-Identifier: Apache-2.0
// A trained table of rows: BERT, GPT-2, OPT, and on a grid the vision transformers.
#include "encoding/absolute.h"
#include "encoding/learned_values.h"

namespace sextant {
namespace {

constexpr double kInitialDeviation = 0.02;  // BERT's and GPT-2's initialisation

constexpr Index kInitialRows = 512;

constexpr ParamInfo kParams[] = {
    file_param("file", "trained rows, [rows, dim]; without it an initial draw"),
    word_param("beyond", "error", "error|clamp|interpolate",
               "past the last row: refuse, repeat it, or stretch the table over the sequence"),
    integer_param("grid", "", 1, 1e6, "lines of a two-axis table, whose rows are cells of a grid"),
    integer_param("seed", "1", 0, 1e15, "of the initial draw"),
    kPositionsParam,
    integer_param("train", "", 1, 1e6, "training length; rows of the initial draw (512)"),
};

constexpr std::string_view kExamples[] = {
    "learned(beyond=clamp,train=16)",
    "learned(beyond=interpolate,train=16)",
    "learned(positions=clamp,train=16)",
    "learned(beyond=interpolate,grid=4,train=64)",
};

constexpr EncodingInfo kInfo = {
    .name = "learned",
    .title = "Learned table",
    .formula = R"(p_t = P_{t,:})",
    .reference =
        "Gehring et al., Convolutional Sequence to Sequence Learning, 2017, "
        "arXiv:1705.03122",
    .notes =
        "Past the last row there is nothing: an error unless beyond says otherwise. On a grid "
        "a position is (line, column) in units of cells, and interpolate is bilinear.",
    .sites = {.input = true},
    .params = kParams,
    .claims = {.orthogonal = Claim::kNo,
               .any_length = Claim::kNo,
               .separates = Claim::kYes,
               .bounded = Claim::kYes},
    .examples = kExamples,
    .needs_values = true,
};

class Learned final : public Encoding {
 public:
  explicit Learned(const Params& params)
      : values_(params, kInfo.name),
        rows_(values_.trained()     ? values_.file().rows()
              : params.has("train") ? params.integer("train")
                                    : kInitialRows),
        rule_(params, rows_),
        beyond_(parse_beyond(params.word("beyond"))),
        lines_(params.has("grid") ? params.integer("grid") : 0) {}

  const EncodingInfo& info() const override { return kInfo; }
  Claims claims() const override {
    Claims claims = rule_.adjusted(adjusted(kInfo.claims, beyond_));
    if (lines_ > 0 && beyond_ == RowTable::Beyond::kInterpolate) {
      claims.length_free = Claim::kYes;  // a grid is not stretched: past its edge cells repeat
      claims.separates = Claim::kNo;
    }
    return claims;
  }

  Effects make_effects(const Extent& extent) const override {
    return {.input =
                input_table(rule_, extent, lines_ > 0 ? 2 : 1,
                            [table = RowTable(values_.matrix(rows_, extent.dim, kInitialDeviation),
                                              beyond_, lines_),
                             length = extent.positions](const Position& t, std::span<double> row) {
                              table.row(t, length, kInfo.name, row);
                            })};
  }

 private:
  LearnedValues values_;
  Index rows_;
  PositionRule rule_;
  RowTable::Beyond beyond_;
  Index lines_;
};

}  // namespace

void register_learned(EncodingRegistry& registry) { registry.add<Learned>(kInfo); }

}  // namespace sextant
