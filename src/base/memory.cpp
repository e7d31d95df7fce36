// SPDX-License-Identifier: Apache-2.0
// MemAvailable and the limits of control groups.
#include "base/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace sextant {
namespace {

namespace fs = std::filesystem;
using Bytes = std::optional<std::uint64_t>;

// The number in a file that holds one; "max" is no number.
Bytes number_in(const fs::path& path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  if (file >> value) return value;
  return {};
}

// The number after `key` in lines of "key value".
Bytes value_of(const fs::path& path, const std::string& key) {
  std::ifstream file(path);
  std::string word;
  std::uint64_t value = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    if (fields >> word >> value && word == key) return value;
  }
  return {};
}

struct GroupFiles {
  const char *limit, *used, *cached;
};
constexpr GroupFiles kVersion2 = {"memory.max", "memory.current", "inactive_file"};
constexpr GroupFiles kVersion1 = {"memory.limit_in_bytes", "memory.usage_in_bytes",
                                  "total_inactive_file"};

Bytes left_in_group(const fs::path& group, const GroupFiles& files) {
  const Bytes limit = number_in(group / files.limit);
  if (!limit) return {};
  const std::uint64_t used = number_in(group / files.used).value_or(0);
  const std::uint64_t cached = value_of(group / "memory.stat", files.cached).value_or(0);
  const std::uint64_t held = used - std::min(used, cached);
  return *limit - std::min(*limit, held);
}

// The group and all its parents up to the mount.
Bytes left_in_tree(const fs::path& mount, const std::string& name, const GroupFiles& files) {
  Bytes least = left_in_group(mount, files);
  fs::path group = mount;
  for (const fs::path& part : fs::path(name).relative_path()) {
    group /= part;
    const Bytes left = left_in_group(group, files);
    if (left && (!least || *left < *least)) least = left;
  }
  return least;
}

}  // namespace

std::optional<std::uint64_t> available_memory(const fs::path& root) {
  Bytes least = value_of(root / "proc/meminfo", "MemAvailable:");
  if (least) *least *= 1024;

  const fs::path mount = root / "sys/fs/cgroup";
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    // hierarchy:controllers:path, the controllers being empty in version 2
    const auto first = line.find(':');
    const auto second = first == line.npos ? first : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string controllers = fmt::format(",{},", line.substr(first + 1, second - first - 1));
    const std::string path = line.substr(second + 1);
    Bytes left;
    if (controllers == ",,") {
      left = left_in_tree(mount, path, kVersion2);
    } else if (controllers.find(",memory,") != controllers.npos) {
      left = left_in_tree(mount / "memory", path, kVersion1);
    }
    if (left && (!least || *left < *least)) least = left;
  }
  return least;
}

}  // namespace sextant
