// SPDX-License-Identifier: Apache-2.0
#include "run/shard_choice.h"

#include <cstdlib>

#include "base/check.h"
#include "base/text.h"

namespace sextant {
namespace {

Index variable_number(std::string_view option, std::string_view word, const Variables& variables,
                      const char* name) {
  const std::optional<std::string> text = variables(name);
  require(text.has_value(), option, "{} needs the variable {}, which is not set", word, name);
  const std::optional<Index> number = parse_integer(*text);
  require(number && *number >= 0 && *number <= Index{1} << 40, option,
          "{} needs a number in the variable {}, but it is '{}'", word, name, escaped(*text));
  return *number;
}

Shard array_share(std::string_view option, const Variables& variables) {
  const auto number = [&](const char* name) {
    return variable_number(option, "slurm-array", variables, name);
  };
  // Slurm sets all five; other schedulers that follow it may set the first two only.
  const auto number_or = [&](const char* name, Index otherwise) {
    return variables(name) ? number(name) : otherwise;
  };
  const Index id = number("SLURM_ARRAY_TASK_ID");
  const Index count = number("SLURM_ARRAY_TASK_COUNT");
  const Index step = number_or("SLURM_ARRAY_TASK_STEP", 1);
  const Index first = number_or("SLURM_ARRAY_TASK_MIN", 0);
  const Index last = number_or("SLURM_ARRAY_TASK_MAX", first + (count - 1) * step);
  require(step >= 1 && count >= 1 && last - first == (count - 1) * step, option,
          "slurm-array needs an array that is a range, but {} tasks go from {} to {} in steps of "
          "{}; i/N names a part alone",
          count, first, last, step);
  require(id >= first && (id - first) % step == 0, option,
          "slurm-array: the task {} is not in the range from {} in steps of {}", id, first, step);
  return {.index = (id - first) / step, .count = count};
}

Shard written_share(std::string_view option, std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::optional<Index> index = parse_integer(text.substr(0, slash));
  const std::optional<Index> count =
      slash == text.npos ? std::nullopt : parse_integer(text.substr(slash + 1));
  require(index && count, option,
          "must be i/N, slurm-array, slurm, mpirun or torchrun, but got '{}'", escaped(text));
  return {.index = *index, .count = *count};
}

}  // namespace

std::optional<std::string> environment_variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return {};
  return value;
}

Shard parse_shard(std::string_view option, std::string_view text, const Variables& variables) {
  Shard share;
  if (text == "slurm-array") {
    share = array_share(option, variables);
  } else if (text == "slurm") {
    share = {.index = variable_number(option, text, variables, "SLURM_PROCID"),
             .count = variable_number(option, text, variables, "SLURM_NTASKS")};
  } else if (text == "torchrun") {
    share = {.index = variable_number(option, text, variables, "RANK"),
             .count = variable_number(option, text, variables, "WORLD_SIZE")};
  } else if (text == "mpirun") {
    const bool is_mpich = !variables("OMPI_COMM_WORLD_RANK") && variables("PMI_RANK");
    share = {.index = variable_number(option, text, variables,
                                      is_mpich ? "PMI_RANK" : "OMPI_COMM_WORLD_RANK"),
             .count = variable_number(option, text, variables,
                                      is_mpich ? "PMI_SIZE" : "OMPI_COMM_WORLD_SIZE")};
  } else {
    share = written_share(option, text);
  }
  require(share.count >= 1 && share.count <= kMostShards, option,
          "must be a part of 1 to {} but got {}/{}", kMostShards, share.index, share.count);
  require(share.index >= 0 && share.index < share.count, option,
          "counts from 0: the last part of {} is {}/{}, but got {}/{}", share.count,
          share.count - 1, share.count, share.index, share.count);
  return share;
}

}  // namespace sextant
