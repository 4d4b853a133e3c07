#include "base/control_groups.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace synap_internal {
namespace {

// A mounted hierarchy of groups: `point` shows the group `root`.
struct Mount {
  std::string root;
  std::string point;
};

bool IsInList(absl::string_view list, absl::string_view name) {
  const std::vector<absl::string_view> names = absl::StrSplit(list, ',');
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool IsOctal(absl::string_view text) {
  return text.size() == 3 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '7'; });
}

// mountinfo writes blanks and backslashes in paths as \040 and so on.
std::string Unescape(absl::string_view text) {
  std::string path;
  for (size_t i = 0; i < text.size(); ++i) {
    const absl::string_view digits = text.substr(std::min(i + 1, text.size()), 3);
    if (text[i] != '\\' || !IsOctal(digits)) {
      path.push_back(text[i]);
      continue;
    }
    path.push_back(
        static_cast<char>((digits[0] - '0') * 64 + (digits[1] - '0') * 8 + digits[2] - '0'));
    i += 3;
  }
  return path;
}

// Finds the unified hierarchy, or with a controller that of version 1; false if it isn't mounted.
// A line is "36 35 98:0 /root /mount/point options optional... - type source options".
bool FindMount(absl::string_view mountinfo, absl::string_view controller, Mount& mount) {
  for (const absl::string_view line : absl::StrSplit(mountinfo, '\n')) {
    const std::vector<absl::string_view> fields = absl::StrSplit(line, ' ');
    const auto dash = std::find(fields.begin(), fields.end(), "-");
    if (fields.end() - dash < 4 || dash - fields.begin() < 6) continue;
    const bool matches = controller.empty() ? dash[1] == "cgroup2"
                                            : dash[1] == "cgroup" && IsInList(dash[3], controller);
    if (!matches) continue;
    mount = {Unescape(fields[3]), Unescape(fields[4])};
    return true;
  }
  return false;
}

// Finds the path of this process's group in the unified hierarchy (a line "0::<path>"), or with a
// controller in that of version 1 ("<id>:<controllers>:<path>"); "" if there is none.
std::string FindPath(absl::string_view cgroup, absl::string_view controller) {
  for (const absl::string_view line : absl::StrSplit(cgroup, '\n')) {
    const std::vector<absl::string_view> fields = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (fields.size() < 3) continue;
    if (controller.empty() ? fields[0] == "0" && fields[1].empty()
                           : IsInList(fields[1], controller)) {
      return std::string(fields[2]);
    }
  }
  return "";
}

std::vector<std::string> Folders(absl::string_view cgroup, absl::string_view mountinfo,
                                 absl::string_view controller, const std::string& root) {
  Mount mount;
  if (!FindMount(mountinfo, controller, mount)) return {};
  std::string group = FindPath(cgroup, controller);
  // A container may see its own group as the root of the mount.
  if (mount.root != "/") group = std::string(absl::StripPrefix(group, mount.root));
  // Groups outside of the container's namespace have no folder.
  if (group == "/" || absl::StrContains(group, "/..")) group.clear();
  std::vector<std::string> folders;
  while (true) {
    folders.push_back(absl::StrCat(root, mount.point, group));
    if (group.empty()) return folders;
    const size_t slash = group.rfind('/');
    group.resize(slash == std::string::npos ? 0 : slash);
  }
}

}  // namespace

std::string ReadSystemFile(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

ControlGroups FindControlGroups(absl::string_view controller, const std::string& root) {
  const std::string cgroup = ReadSystemFile(root + "/proc/self/cgroup");
  const std::string mountinfo = ReadSystemFile(root + "/proc/self/mountinfo");
  return {Folders(cgroup, mountinfo, "", root), Folders(cgroup, mountinfo, controller, root)};
}

}  // namespace synap_internal
