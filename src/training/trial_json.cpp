// SPDX-License-Identifier: Apache-2.0
// Each struct lists its members once, for both directions. The structured bindings make a new
// member of a struct an error here.
#include "training/trial_json.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <map>
#include <span>

#include "base/text.h"

namespace sextant {
namespace {

constexpr std::string_view kNorms[] = {"none", "before", "after"};
constexpr std::string_view kActivations[] = {"gelu", "relu"};
constexpr std::string_view kPrecisions[] = {"float", "double"};
constexpr std::string_view kFrames[] = {"plain", "bert"};
constexpr std::string_view kEnds[] = {"finished", "not finite"};

// In the order of their enumerators.
std::span<const std::string_view> enum_words(NormPlace) { return kNorms; }
std::span<const std::string_view> enum_words(Activation) { return kActivations; }
std::span<const std::string_view> enum_words(Precision) { return kPrecisions; }
std::span<const std::string_view> enum_words(Frame) { return kFrames; }
std::span<const std::string_view> enum_words(TrialEnd) { return kEnds; }

// T, const or not.
template <typename Any, typename T>
concept Some = std::same_as<std::remove_const_t<Any>, T>;

void each_member(Some<TransformerShape> auto& shape, auto&& visit) {
  auto& [layers, dim, heads, hidden, norm, activation, causal, norm_epsilon] = shape;
  visit("layers", layers);
  visit("dim", dim);
  visit("heads", heads);
  visit("hidden", hidden);
  visit("norm", norm);
  visit("activation", activation);
  visit("causal", causal);
  visit("norm_epsilon", norm_epsilon);
}

void each_member(Some<Schedule> auto& schedule, auto&& visit) {
  auto& [steps, batch, rate, warm_up, decay_from, clip] = schedule;
  visit("steps", steps);
  visit("batch", batch);
  visit("rate", rate);
  visit("warm_up", warm_up);
  visit("decay_from", decay_from);
  visit("clip", clip);
}

void each_member(Some<TrialCorpus> auto& corpus, auto&& visit) {
  auto& [inputs, format, tokenizer, text_column, label_column, limit, vocabulary] = corpus;
  visit("inputs", inputs);
  visit("format", format);
  visit("tokenizer", tokenizer);
  visit("text_column", text_column);
  visit("label_column", label_column);
  visit("limit", limit);
  visit("vocabulary", vocabulary);
}

void each_member(Some<Trial> auto& trial, auto&& visit) {
  auto& [task, encoding, seed, model, schedule, train_length, test_lengths, test_sequences, learn,
         precision, device, corpus, keep_rows, attention_length, frame, weights] = trial;
  visit("task", task);
  visit("encoding", encoding);
  visit("seed", seed);
  visit("model", model);
  visit("schedule", schedule);
  visit("train_length", train_length);
  visit("test_lengths", test_lengths);
  visit("test_sequences", test_sequences);
  visit("learn", learn);
  visit("precision", precision);
  visit("device", device);
  visit("corpus", corpus);
  visit("keep_rows", keep_rows);
  visit("attention_length", attention_length);
  visit("frame", frame);
  visit("weights", weights);
}

void each_member(Some<Evaluation> auto& evaluation, auto&& visit) {
  auto& [length, loss, accuracy, loss_by_position] = evaluation;
  visit("length", length);
  visit("loss", loss);
  visit("accuracy", accuracy);
  visit("loss_by_position", loss_by_position);
}

void each_member(Some<CurvePoint> auto& point, auto&& visit) {
  auto& [step, loss] = point;
  visit("step", step);
  visit("loss", loss);
}

void each_member(Some<TrialResult> auto& result, auto&& visit) {
  auto& [trial, end, fault, curve, evaluations, parameters, steps_per_second, seconds, corpus_hash,
         files_hash, framework, folder, notes] = result;
  visit("trial", trial);
  visit("end", end);
  visit("fault", fault);
  visit("curve", curve);
  visit("evaluations", evaluations);
  visit("parameters", parameters);
  visit("steps_per_second", steps_per_second);
  visit("seconds", seconds);
  visit("corpus_hash", corpus_hash);
  visit("files_hash", files_hash);
  visit("framework", framework);
  visit("folder", folder);
  visit("notes", notes);
}

template <typename T>
concept Plain = std::integral<T> || std::same_as<T, std::string>;

class Writer {
 public:
  static Json of(const Plain auto& value) { return value; }
  static Json of(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

  template <typename T>
  static Json of(const std::vector<T>& values) {
    Json array = Json::array();
    for (const T& value : values) array.push_back(of(value));
    return array;
  }

  template <typename T>
  static Json of(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      return enum_words(value)[static_cast<std::size_t>(value)];
    } else {
      Json object = Json::object();
      each_member(value, [&]<typename M>(const char* name, const M& member) {
        if constexpr (std::same_as<M, std::optional<double>>) {
          if (member) object[name] = of(*member);
        } else {
          object[name] = of(member);
        }
      });
      return object;
    }
  }
};

class Reader {
 public:
  static void read(const JsonNode& node, Index& value) { value = node.integer(); }
  static void read(const JsonNode& node, std::uint64_t& value) { value = node.count(); }
  static void read(const JsonNode& node, bool& value) { value = node.flag(); }
  static void read(const JsonNode& node, std::string& value) { value = node.text(); }
  static void read(const JsonNode& node, double& value) {
    value = node.is_null() ? std::numeric_limits<double>::quiet_NaN() : node.number();
  }

  template <typename T>
  static void read(const JsonNode& node, std::vector<T>& values) {
    values.resize(node.size());
    for (std::size_t i = 0; i < values.size(); ++i) read(node.at(i), values[i]);
  }

  template <typename T>
  static void read(const JsonNode& node, T& value) {
    if constexpr (std::is_enum_v<T>)
      read_word(node, value);
    else
      read_object(node, value);
  }

 private:
  template <typename T>
  static void read_word(const JsonNode& node, T& value) {
    const std::span<const std::string_view> words = enum_words(value);
    const auto found = std::ranges::find(words, node.text());
    if (found == words.end())
      node.fail_here("must be {} but is '{}'", fmt::join(words, "|"), escaped(node.text()));
    value = static_cast<T>(found - words.begin());
  }

  template <typename T>
  static void read_object(const JsonNode& node, T& value) {
    const auto given = node.members();
    std::map<std::string_view, const JsonNode*> rest;
    for (const auto& [name, member] : given) rest.emplace(name, &member);
    each_member(value, [&]<typename M>(const char* name, M& member) {
      const auto found = rest.find(name);
      if constexpr (std::same_as<M, std::optional<double>>) {
        member.reset();
        if (found == rest.end()) return;
        read(*found->second, member.emplace());
      } else {
        if (found == rest.end()) node.fail_here("'{}' is missing", name);
        read(*found->second, member);
      }
      rest.erase(found);
    });
    if (!rest.empty()) rest.begin()->second->fail_here("there is no such member");
  }
};

template <typename T>
T read_whole_value(const JsonInput& json, std::string_view where) {
  const std::string name(where);
  T value;
  Reader::read(JsonNode(json, name), value);
  return value;
}

}  // namespace

Json trial_json(const Trial& trial) { return Writer::of(trial); }
Json trial_result_json(const TrialResult& result) { return Writer::of(result); }

Trial read_trial(const JsonInput& json, std::string_view where) {
  return read_whole_value<Trial>(json, where);
}
TrialResult read_trial_result(const JsonInput& json, std::string_view where) {
  return read_whole_value<TrialResult>(json, where);
}

}  // namespace sextant
