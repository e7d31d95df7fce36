// SPDX-License-Identifier: Apache-2.0
#include "training/trial_json.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "base/rng.h"
#include "support/expect_error.h"

namespace sextant {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

// Numbers from one stream, of every size and sign.
class Draw {
 public:
  explicit Draw(std::uint64_t stream) : rng_(3, stream) {}

  std::uint64_t bits() { return rng_.at(next_++); }
  Index integer() { return std::bit_cast<Index>(bits()); }
  bool flag() { return bits() % 2 == 0; }
  double number() {
    const auto value = std::bit_cast<double>(bits());
    return std::isfinite(value) ? value : -0.0;
  }
  std::string text() {
    const char* const texts[] = {"", "rope(base=5e5)+alibi", "\"\\/\n\t", "\xc3\xa4\xe2\x82\xac"};
    return texts[bits() % std::size(texts)];
  }

 private:
  Rng rng_;
  std::uint64_t next_ = 0;
};

Trial drawn_trial(Draw& draw) {
  Trial trial{.task = draw.text(), .encoding = draw.text(), .seed = draw.bits()};
  trial.model = {.layers = draw.integer(),
                 .dim = draw.integer(),
                 .heads = draw.integer(),
                 .hidden = draw.integer(),
                 .norm = static_cast<NormPlace>(draw.bits() % 3),
                 .activation = draw.flag() ? Activation::kGelu : Activation::kRelu,
                 .causal = draw.flag(),
                 .norm_epsilon = draw.number()};
  trial.schedule = {.steps = draw.integer(),
                    .batch = draw.integer(),
                    .rate = draw.number(),
                    .warm_up = draw.integer(),
                    .decay_from = draw.number(),
                    .clip = draw.number()};
  trial.train_length = draw.integer();
  trial.test_lengths.assign(draw.bits() % 4, draw.integer());
  trial.test_sequences = draw.integer();
  trial.learn.assign(draw.bits() % 3, draw.text());
  trial.precision = draw.flag() ? Precision::kFloat : Precision::kDouble;
  trial.device = draw.text();
  trial.corpus = {.inputs = {draw.text(), draw.text()},
                  .format = draw.text(),
                  .tokenizer = draw.text(),
                  .text_column = draw.text(),
                  .label_column = draw.text(),
                  .limit = draw.integer(),
                  .vocabulary = draw.integer()};
  trial.keep_rows = draw.integer();
  trial.attention_length = draw.integer();
  trial.frame = draw.flag() ? Frame::kPlain : Frame::kBert;
  trial.weights = draw.text();
  return trial;
}

TrialResult drawn_result(Draw& draw) {
  TrialResult result{.trial = drawn_trial(draw),
                     .end = draw.flag() ? TrialEnd::kFinished : TrialEnd::kNotFinite,
                     .fault = draw.text()};
  result.curve.assign(1 + draw.bits() % 3, {.step = draw.integer(), .loss = draw.number()});
  result.evaluations = {{.length = draw.integer(), .loss = draw.number()},
                        {.length = draw.integer(),
                         .loss = draw.number(),
                         .accuracy = draw.number(),
                         .loss_by_position = {draw.number(), draw.number()}}};
  result.parameters = draw.integer();
  result.steps_per_second = draw.number();
  result.seconds = draw.number();
  result.corpus_hash = draw.text();
  result.files_hash = draw.text();
  result.framework = draw.text();
  result.folder = draw.text();
  result.notes.assign(draw.bits() % 3, draw.text());
  return result;
}

TrialResult through_text(const TrialResult& result) {
  return read_trial_result(parse_json(to_text(trial_result_json(result)), "result"), "result");
}

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

// That equal documents mean equal trials is the next test's part.
TEST(TrialJson, ReadsBackWhatItWrote) {
  for (std::uint64_t i = 0; i < 50; ++i) {
    Draw draw(i);
    const TrialResult result = drawn_result(draw), back = through_text(result);
    EXPECT_EQ(to_text(trial_result_json(back)), to_text(trial_result_json(result)));
    EXPECT_EQ(back.trial.seed, result.trial.seed);
    EXPECT_EQ(bits(back.trial.schedule.rate), bits(result.trial.schedule.rate));
    EXPECT_EQ(bits(back.curve.front().loss), bits(result.curve.front().loss));
    EXPECT_EQ(bits(back.evaluations[1].accuracy.value()),
              bits(result.evaluations[1].accuracy.value()));
    EXPECT_FALSE(back.evaluations[0].accuracy.has_value());
    const Trial same = read_trial(trial_json(result.trial), "job");  // without text between
    EXPECT_EQ(trial_json(same), trial_json(result.trial));
  }
}

constexpr const char* kTrialText =
    R"({"task":"order","encoding":"rope","seed":18446744073709551615,)"
    R"("model":{"layers":1,"dim":2,"heads":3,"hidden":4,"norm":"before","activation":"gelu",)"
    R"("causal":true,"norm_epsilon":1e-12},)"
    R"("schedule":{"steps":5,"batch":6,"rate":0.1,"warm_up":7,"decay_from":0.25,"clip":2.0},)"
    R"("train_length":8,"test_lengths":[9,10],"test_sequences":11,"learn":["alibi"],)"
    R"("precision":"double","device":"cuda:1",)"
    R"("corpus":{"inputs":["a","b"],"format":"tsv","tokenizer":"bytes","text_column":"c",)"
    R"("label_column":"d","limit":12,"vocabulary":13},"keep_rows":14,"attention_length":15,)"
    R"("frame":"bert","weights":"e"})";

TEST(TrialJson, NamesMembersAsTheyAreNamedInATrial) {
  const Trial trial = read_trial(parse_json(kTrialText, "job"), "job");
  EXPECT_EQ(trial.task, "order");
  EXPECT_EQ(trial.encoding, "rope");
  EXPECT_EQ(trial.seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(trial.model.layers, 1);
  EXPECT_EQ(trial.model.dim, 2);
  EXPECT_EQ(trial.model.heads, 3);
  EXPECT_EQ(trial.model.hidden, 4);
  EXPECT_EQ(trial.model.norm, NormPlace::kBefore);
  EXPECT_EQ(trial.model.activation, Activation::kGelu);
  EXPECT_TRUE(trial.model.causal);
  EXPECT_EQ(trial.schedule.steps, 5);
  EXPECT_EQ(trial.schedule.batch, 6);
  EXPECT_EQ(trial.schedule.rate, 0.1);
  EXPECT_EQ(trial.schedule.warm_up, 7);
  EXPECT_EQ(trial.schedule.decay_from, 0.25);
  EXPECT_EQ(trial.schedule.clip, 2.0);
  EXPECT_EQ(trial.train_length, 8);
  EXPECT_EQ(trial.test_lengths, (std::vector<Index>{9, 10}));
  EXPECT_EQ(trial.test_sequences, 11);
  EXPECT_EQ(trial.learn, std::vector<std::string>{"alibi"});
  EXPECT_EQ(trial.precision, Precision::kDouble);
  EXPECT_EQ(trial.device, "cuda:1");
  EXPECT_EQ(trial.corpus.inputs, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(trial.corpus.format, "tsv");
  EXPECT_EQ(trial.corpus.tokenizer, "bytes");
  EXPECT_EQ(trial.corpus.text_column, "c");
  EXPECT_EQ(trial.corpus.label_column, "d");
  EXPECT_EQ(trial.corpus.limit, 12);
  EXPECT_EQ(trial.corpus.vocabulary, 13);
  EXPECT_EQ(trial.keep_rows, 14);
  EXPECT_EQ(trial.attention_length, 15);
  EXPECT_EQ(trial.model.norm_epsilon, 1e-12);
  EXPECT_EQ(trial.frame, Frame::kBert);
  EXPECT_EQ(trial.weights, "e");
  EXPECT_EQ(to_line(trial_json(trial)), kTrialText);
}

TEST(TrialJson, SpellsEnumerationsAsWords) {
  TrialResult result;
  for (const auto& [place, word] : {std::pair(NormPlace::kNone, "none"),
                                    {NormPlace::kBefore, "before"},
                                    {NormPlace::kAfter, "after"}}) {
    result.trial.model.norm = place;
    EXPECT_EQ(trial_json(result.trial)["model"]["norm"], word);
  }
  EXPECT_EQ(trial_json(result.trial)["model"]["activation"], "relu");
  EXPECT_EQ(trial_json(result.trial)["precision"], "float");
  EXPECT_EQ(trial_result_json(result)["end"], "finished");
  result.end = TrialEnd::kNotFinite;
  EXPECT_EQ(trial_result_json(result)["end"], "not finite");
}

TEST(TrialJson, WritesWhatIsNotFiniteAsNullAndReadsNaN) {
  TrialResult result;
  result.seconds = std::numeric_limits<double>::infinity();
  result.curve = {{.step = 3, .loss = kNotANumber}};
  result.evaluations = {{.length = 1,
                         .loss = -std::numeric_limits<double>::infinity(),
                         .accuracy = kNotANumber,
                         .loss_by_position = {kNotANumber, 1.0}}};
  const Json json = trial_result_json(result);
  EXPECT_TRUE(json["seconds"].is_null());
  EXPECT_TRUE(json["evaluations"][0]["accuracy"].is_null());
  const TrialResult back = through_text(result);
  EXPECT_TRUE(std::isnan(back.seconds));
  EXPECT_TRUE(std::isnan(back.curve[0].loss));
  EXPECT_TRUE(std::isnan(back.evaluations[0].loss));
  EXPECT_TRUE(std::isnan(back.evaluations[0].accuracy.value()));
  EXPECT_TRUE(std::isnan(back.evaluations[0].loss_by_position[0]));
  EXPECT_EQ(back.evaluations[0].loss_by_position[1], 1.0);
}

using Pointer = JsonInput::json_pointer;

// Every object below `json`, and every member of one.
struct Places {
  std::vector<Pointer> objects, members;

  void add(const JsonInput& json, const Pointer& at) {
    if (json.is_object()) objects.push_back(at);
    for (const auto& [key, value] : json.items()) {
      if (json.is_object()) members.push_back(at / key);
      if (value.is_structured()) add(value, json.is_object() ? at / key : at / std::stoul(key));
    }
  }
};

class BrokenTrialJson : public testing::Test {
 protected:
  BrokenTrialJson() {
    Draw draw(0);
    whole_ = trial_result_json(drawn_result(draw));
    places_.add(whole_, Pointer());
  }
  static void refuses(const JsonInput& broken, const std::string& part) {
    expect_error(ErrorCode::kMalformed, part, [&] { read_trial_result(broken, "r.json"); });
  }

  JsonInput whole_;
  Places places_;
};

TEST_F(BrokenTrialJson, NamesAMemberThatIsMissing) {
  for (const Pointer& at : places_.members) {
    JsonInput broken = whole_;
    broken[at.parent_pointer()].erase(at.back());
    if (at.back() == "accuracy")
      EXPECT_NO_THROW(read_trial_result(broken, "r.json"));
    else
      refuses(broken, "'" + at.back() + "' is missing");
  }
}

TEST_F(BrokenTrialJson, NamesAMemberOfAnotherType) {
  for (const Pointer& at : places_.members) {
    JsonInput broken = whole_;
    broken[at] = whole_[at].is_object() ? JsonInput(7) : JsonInput::object();
    refuses(broken, "r.json: " + at.to_string() + ": must be ");
  }
}

TEST_F(BrokenTrialJson, NamesAMemberThatNoTrialHas) {
  for (const Pointer& at : places_.objects) {
    JsonInput broken = whole_;
    broken[at / "speed"] = 1;
    refuses(broken, "r.json: " + (at / "speed").to_string() + ": there is no such member");
  }
}

TEST_F(BrokenTrialJson, NamesAValueThatDoesNotFitItsMember) {
  const auto changed = [&](const char* at, JsonInput value) {
    JsonInput broken = whole_;
    broken[Pointer(at)] = std::move(value);
    return broken;
  };
  refuses(changed("/trial/seed", -1), "r.json: /trial/seed: must not be negative");
  refuses(changed("/trial/seed", 1.0), "r.json: /trial/seed: must be an integer");
  refuses(changed("/trial/schedule/steps", 1.0), "/trial/schedule/steps: must be an integer");
  refuses(changed("/trial/schedule/steps", nullptr), "/trial/schedule/steps: must be an integer");
  refuses(changed("/trial/keep_rows", std::numeric_limits<std::uint64_t>::max()),
          "/trial/keep_rows: must fit 63 bits");
  refuses(changed("/trial/model/norm", "middle"),
          "/trial/model/norm: must be none|before|after but is 'middle'");
  refuses(changed("/trial/learn", {"a", 1}), "/trial/learn/1: must be a string");
  refuses(changed("/trial", JsonInput::array()), "/trial: must be an object");
  refuses(JsonInput(1), "r.json: document: must be an object");
  EXPECT_EQ(read_trial_result(changed("/seconds", 2), "r.json").seconds, 2.0);
}

}  // namespace
}  // namespace sextant
