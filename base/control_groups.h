// Folders of the control groups (cgroups) of this process, which hold a container's limits.
#ifndef BASE_CONTROL_GROUPS_H_
#define BASE_CONTROL_GROUPS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace synap_internal {

// Each list begins with the process's own group and ends with the outermost group that is mounted:
// a limit holds for all groups inside of it. Folders needn't exist.
struct ControlGroups {
  std::vector<std::string> unified;     // version 2
  std::vector<std::string> controller;  // version 1, of the controller that was asked for
};

// Finds the groups in <root>/proc/self/cgroup and <root>/proc/self/mountinfo; the folders begin
// with `root`, "" for the running system. controller: the name in version 1, such as "cpu". A list
// is empty if that version isn't mounted. Any thread.
ControlGroups FindControlGroups(absl::string_view controller, const std::string& root);

// The content of a file, "" if it can't be read. Files below /proc and /sys report no size.
std::string ReadSystemFile(const std::string& path);

}  // namespace synap_internal

#endif  // BASE_CONTROL_GROUPS_H_
