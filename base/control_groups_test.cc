#include "base/control_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A folder with the two files below proc/self.
std::string MakeRoot(const std::string& name, const std::string& cgroup,
                     const std::string& mountinfo) {
  const std::string root = std::string(std::getenv("TEST_TMPDIR")) + "/" + name;
  std::filesystem::create_directories(root + "/proc/self");
  std::ofstream(root + "/proc/self/cgroup") << cgroup;
  std::ofstream(root + "/proc/self/mountinfo") << mountinfo;
  return root;
}

TEST(ControlGroupsTest, AreThoseOfTheProcessAndItsAncestors) {
  const std::string root =
      MakeRoot("unified", "0::/user.slice/app.scope\n",
               "22 1 8:1 / / rw shared:1 - ext4 /dev/sda1 rw\n"
               "30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n");
  const ControlGroups groups = FindControlGroups("cpu", root);
  EXPECT_THAT(groups.unified,
              ElementsAre(root + "/sys/fs/cgroup/user.slice/app.scope",
                          root + "/sys/fs/cgroup/user.slice", root + "/sys/fs/cgroup"));
  EXPECT_THAT(groups.controller, IsEmpty());
}

TEST(ControlGroupsTest, OfVersionOneAreThoseOfTheController) {
  const std::string root =
      MakeRoot("controllers", "4:memory:/a\n3:cpuset:/b\n2:cpu,cpuacct:/c:d\n0::/\n",
               "33 32 0:30 / /cg/cpuset rw - cgroup cgroup rw,cpuset\n"
               "34 32 0:31 / /cg/cpu\\040time rw - cgroup cgroup rw,cpu,cpuacct\n"
               "35 32 0:32 / /cg/unified rw - cgroup2 none rw\n");
  const ControlGroups groups = FindControlGroups("cpu", root);
  EXPECT_THAT(groups.controller, ElementsAre(root + "/cg/cpu time/c:d", root + "/cg/cpu time"));
  EXPECT_THAT(groups.unified, ElementsAre(root + "/cg/unified"));
}

TEST(ControlGroupsTest, OfAContainerBeginAtTheRootOfItsMount) {
  const std::string mount = "34 32 0:31 /docker/1a /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n";
  std::string root = MakeRoot("container", "0::/docker/1a/part\n", mount);
  EXPECT_THAT(FindControlGroups("cpu", root).unified,
              ElementsAre(root + "/sys/fs/cgroup/part", root + "/sys/fs/cgroup"));
  root = MakeRoot("outside", "0::/../other\n", mount);
  EXPECT_THAT(FindControlGroups("cpu", root).unified, ElementsAre(root + "/sys/fs/cgroup"));
}

TEST(ControlGroupsTest, ThereAreNoneWithoutTheFilesOrWithDamagedOnes) {
  const ControlGroups none = FindControlGroups("cpu", "/nonexistent");
  EXPECT_THAT(none.unified, IsEmpty());
  EXPECT_THAT(none.controller, IsEmpty());
  const std::string root = MakeRoot("damaged", "0:\n::\n\n", "a - cgroup2\n- - - - -\n\n");
  EXPECT_THAT(FindControlGroups("cpu", root).unified, IsEmpty());
}

}  // namespace
}  // namespace synap_internal
