// SPDX-License-Identifier: Apache-2.0
#include "lab/checkpoint.h"

#include <algorithm>
#include <sstream>

#include "base/hash.h"
#include "base/text.h"
#include "io/atomic_file.h"
#include "io/input_file.h"
#include "io/json_input.h"

namespace sextant {
namespace {

constexpr std::string_view kMagic = "sextant-checkpoint 1 ";
constexpr std::size_t kChecksumDigits = 16;
constexpr std::uint64_t kChecksumSeed = 0x5E87A27;
constexpr std::uint64_t kMostCheckpointBytes = std::uint64_t{1} << 36;

std::string first_line(std::string_view rest) {
  return fmt::format("{}{:016x}\n", kMagic, hash(rest, kChecksumSeed));
}

[[noreturn]] void refuse(const std::string& file, std::string_view fault) {
  fail(ErrorCode::kCheckpoint, file, "{}; delete it to start this trial anew", fault);
}

Json header(const Json& identity, const TrainingProgress& progress) {
  Json curve = Json::array();
  for (const CurvePoint& point : progress.curve) curve.push_back({point.step, point.loss});
  return {{"identity", identity},
          {"step", progress.step},
          {"curve", std::move(curve)},
          {"loss_sum", progress.loss_sum},
          {"loss_count", progress.loss_count},
          {"seconds", progress.seconds},
          {"kept_steps", progress.kept_steps}};
}

TrainingProgress read_header(const JsonNode& root) {
  TrainingProgress result{.step = root.at("step").integer(),
                          .loss_sum = root.at("loss_sum").number(),
                          .loss_count = root.at("loss_count").integer(),
                          .seconds = root.at("seconds").number()};
  const JsonNode curve = root.at("curve"), kept = root.at("kept_steps");
  result.curve.reserve(curve.size());
  for (std::size_t i = 0; i < curve.size(); ++i)
    result.curve.push_back({curve.at(i).at(0).integer(), curve.at(i).at(1).number()});
  result.kept_steps.reserve(kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) result.kept_steps.push_back(kept.at(i).integer());
  return result;
}

// Compares leaf by leaf, so that the message names what the user can change.
void check_identity(const JsonInput& saved, const Json& wanted, const std::string& file) {
  const JsonInput before = saved.flatten(), now = parse_json(to_line(wanted), file).flatten();
  std::vector<std::string> differences;
  const auto text = [](const JsonInput& members, const std::string& key) {
    return members.contains(key) ? members.at(key).dump() : std::string("nothing");
  };
  for (const auto& [key, value] : before.items()) {
    if (!now.contains(key) || now.at(key) != value)
      differences.push_back(
          fmt::format("{} was {} and is {}", key, escaped(value.dump()), text(now, key)));
  }
  for (const auto& [key, value] : now.items()) {
    if (!before.contains(key))
      differences.push_back(fmt::format("{} was nothing and is {}", key, value.dump()));
  }
  constexpr std::size_t kShown = 3;
  if (differences.size() > kShown) differences.resize(kShown);
  if (!differences.empty())
    refuse(file, fmt::format("is of another trial: {}", fmt::join(differences, "; ")));
}

std::vector<std::vector<std::int64_t>> shapes(const torch::nn::Module& model) {
  std::vector<std::vector<std::int64_t>> result;
  for (const torch::Tensor& parameter : model.parameters())
    result.push_back(parameter.sizes().vec());
  return result;
}

std::string archived(const TrainingProgress& progress, const torch::nn::Module& model,
                     const torch::optim::Adam& optimizer) {
  torch::serialize::OutputArchive whole, weights(whole.compilation_unit()),
      moments(whole.compilation_unit());
  model.save(weights);
  optimizer.save(moments);
  whole.write("model", weights);
  whole.write("optimizer", moments);
  if (!progress.kept_rows.empty()) whole.write("rows", torch::stack(progress.kept_rows));
  std::ostringstream stream;
  whole.save_to(stream);
  return std::move(stream).str();
}

void load(std::string_view archive, torch::nn::Module& model, torch::optim::Adam& optimizer,
          TrainingProgress& progress) {
  torch::serialize::InputArchive whole, weights, moments;
  whole.load_from(archive.data(), archive.size());
  whole.read("model", weights);
  whole.read("optimizer", moments);
  model.load(weights);
  optimizer.load(moments);
  if (progress.kept_steps.empty()) return;
  torch::Tensor rows;
  whole.read("rows", rows);
  progress.kept_rows = rows.unbind(0);
}

}  // namespace

void write_checkpoint(const std::filesystem::path& path, const Json& identity,
                      const TrainingProgress& progress, const torch::nn::Module& model,
                      const torch::optim::Adam& optimizer) {
  const std::string rest =
      to_line(header(identity, progress)) + "\n" + archived(progress, model, optimizer);
  AtomicFile file(path, AtomicFile::Existing::kReplace);
  file.write(first_line(rest));
  file.write(rest);
  file.commit();
}

TrainingProgress read_checkpoint(const std::filesystem::path& path, const Json& identity,
                                 torch::nn::Module& model, torch::optim::Adam& optimizer) {
  const std::string file = path_text(path);
  std::error_code none;
  if (std::filesystem::is_empty(path, none)) refuse(file, "is empty");
  const std::string content = read_whole(path, kMostCheckpointBytes);
  const std::size_t start = kMagic.size() + kChecksumDigits + 1;
  const std::string_view rest = std::string_view(content).substr(std::min(start, content.size()));
  if (!content.starts_with(first_line(rest)))
    refuse(file, "is damaged or no checkpoint: its checksum does not hold");
  const std::size_t end = rest.find('\n');
  if (end == rest.npos) refuse(file, "has no archive");

  const JsonInput document = parse_json(rest.substr(0, end), file);
  const JsonNode root(document, file);
  root.at("identity");
  check_identity(document.at("identity"), identity, file);
  TrainingProgress result = read_header(root);
  const auto expected = shapes(model);
  std::string fault;
  try {
    load(rest.substr(end + 1), model, optimizer, result);
    if (shapes(model) != expected || result.kept_rows.size() != result.kept_steps.size())
      fault = "shapes differ";
  } catch (const c10::Error& error) {
    fault = error.what_without_backtrace();
  } catch (const std::exception& error) {
    fault = error.what();
  }
  if (!fault.empty())
    refuse(file, fmt::format("holds an archive that does not fit the model: {}", escaped(fault)));
  return result;
}

}  // namespace sextant
