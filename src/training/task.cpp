// SPDX-License-Identifier: Apache-2.0
#include "sextant/task.h"

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "encoding/params.h"

namespace sextant {

Batch Task::test_batch(std::uint64_t seed, Index k, Index sequences, Index length) const {
  return sample(seed, static_cast<std::uint64_t>(k),
                std::min(kTestBatch, sequences - k * kTestBatch), length);
}

std::vector<std::string> TaskRegistry::names() const {
  std::vector<std::string> result;
  result.reserve(entries_.size());
  for (const auto& [name, entry] : entries_) result.push_back(name);
  return result;
}

const TaskRegistry::Entry& TaskRegistry::entry(std::string_view name,
                                               std::string_view where) const {
  const auto found = entries_.find(name);
  if (found != entries_.end()) return found->second;
  fail(ErrorCode::kUsage, where, "there is no task '{}'{}", escaped(name),
       suggestion(name, names()));
}

const TaskInfo& TaskRegistry::info(std::string_view name) const {
  return *entry(name, "tasks").info;
}

std::unique_ptr<Task> TaskRegistry::make(std::string_view spec,
                                         std::shared_ptr<const TokenCorpus> corpus) const {
  const EncodingSpec parsed = EncodingSpec::parse(spec);
  require(parsed.terms.size() == 1, spec_place(spec, 1), "a task is one name with its parameters");
  const EncodingSpec::Term& term = parsed.terms.front();
  const Entry& found = entry(term.name, spec_place(spec, term.at));
  const TaskInfo& info = *found.info;
  const Params params(info.name, info.params, term, spec);
  require(!info.needs_corpus || (corpus && corpus->size() > 0), info.name, "needs a corpus");
  require(!info.needs_labels || !corpus->labels.empty(), info.name,
          "needs a label for each text; name its column");
  std::unique_ptr<Task> result = found.make(params, std::move(corpus));
  result->spec_ = EncodingSpec{.terms = {params.canonical()}}.text();
  return result;
}

#define X(name) void register_##name(TaskRegistry&);
#include "catalogue_tasks.inc"
#undef X

const TaskRegistry& tasks() {
  static const TaskRegistry registry = [] {
    TaskRegistry r;
#define X(name) register_##name(r);
#include "catalogue_tasks.inc"
#undef X
    return r;
  }();
  return registry;
}

}  // namespace sextant
