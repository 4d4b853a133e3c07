#include "runtime/api/statistics.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/tensor_type.h"
#include "runtime/testing/test_models.h"
#include "synap/network.hpp"

namespace synap_internal {
namespace {

using std::chrono::microseconds;
using synaptics::synap::Network;
using synaptics::synap::RunCounters;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

std::string Path(const std::string& name) {
  return absl::StrCat(std::getenv("TEST_TMPDIR"), "/statistics/", name);
}

std::string Read(const std::string& name) { return ReadFile(Path(name)).value_or("no file"); }

RunCounters Counters(int64_t id) {
  RunCounters counters;
  counters.id = id;
  counters.buffers = 2;
  counters.buffer_bytes = 100;
  return counters;
}

// The folder is chosen once in a process: each test begins with counters of 0 there.
class StatisticsTest : public testing::Test {
 protected:
  void SetUp() override {
    setenv("SYNAP_SYSFS", Path("").c_str(), 1);
    NetworkStatistics first(Counters(1000), 0);
    std::ofstream(Path("inference_count")) << "0 again";
    NetworkStatistics second(Counters(1001), 0);
  }
};

// Runs `body` in a process that ends without destroying anything.
void InOtherProcess(const std::function<void()>& body) {
  const pid_t pid = fork();
  if (pid == 0) {
    body();
    _exit(0);
  }
  int status = -1;
  waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(StatisticsTest, CountRunsOfAllNetworks) {
  EXPECT_EQ(Read("inference_count"), "0\n");
  EXPECT_EQ(Read("inference_time"), "0\n");
  NetworkStatistics a(Counters(1), 3), b(Counters(2), 3);
  a.AddRun(microseconds(100), "");
  b.AddRun(microseconds(20), "");
  b.AddRun(microseconds(3), "");
  InOtherProcess([&] { a.AddRun(microseconds(1000), ""); });
  EXPECT_EQ(Read("inference_count"), "4\n");
  EXPECT_EQ(Read("inference_time"), "1123\n");
}

TEST_F(StatisticsTest, ListLoadedNetworks) {
  const std::string pid = absl::StrCat("pid: ", getpid());
  {
    NetworkStatistics network(Counters(7), 3);
    EXPECT_EQ(Read("networks"),
              absl::StrCat(pid,
                           ", nid: 7, inference_count: 0, inference_time: 0, inference_last: "
                           "0, iobuf_count: 2, iobuf_size: 100, layers: 3\n"));
    NetworkStatistics other(Counters(8), 1);
    network.AddRun(microseconds(30), "");
    network.AddRun(microseconds(12), "");
    EXPECT_THAT(Read("networks"), HasSubstr("nid: 7, inference_count: 2, inference_time: 42, "
                                            "inference_last: 12, iobuf_count: 2"));
    EXPECT_THAT(Read("networks"), HasSubstr(pid + ", nid: 8, inference_count: 0"));
    EXPECT_EQ(Read("network_profile"), "");
  }
  EXPECT_EQ(Read("networks"), "");
}

TEST_F(StatisticsTest, ListAtMost64Networks) {
  std::vector<std::unique_ptr<NetworkStatistics>> networks;
  for (int i = 1; i <= 70; ++i) {
    networks.push_back(std::make_unique<NetworkStatistics>(Counters(i), 1));
  }
  networks.back()->AddRun(microseconds(5), "");
  const std::string listed = Read("networks");
  EXPECT_EQ(std::count(listed.begin(), listed.end(), '\n'), 64);
  EXPECT_EQ(Read("inference_count"), "1\n");
}

TEST_F(StatisticsTest, WritingSetsCountersTo0) {
  NetworkStatistics network(Counters(1), 1);
  for (const char* file : {"inference_count", "inference_time"}) {
    network.AddRun(microseconds(100), "");
    network.AddRun(microseconds(100), "");
    std::ofstream(Path(file)) << "x\n";
    network.AddRun(microseconds(7), "");
    EXPECT_EQ(Read("inference_count"), "1\n");
    EXPECT_EQ(Read("inference_time"), "7\n");
    EXPECT_THAT(Read("networks"), HasSubstr("inference_count: 1, inference_time: 7"));
  }
}

TEST_F(StatisticsTest, HoldTheLayersOfNetworksThatMeasureThem) {
  NetworkStatistics plain(Counters(1), 1);
  {
    NetworkStatistics measured(Counters(2), 1);
    measured.AddRun(microseconds(5), "| lyr |\n|   0 |\n");
    plain.AddRun(microseconds(6), "");
    EXPECT_THAT(Read("network_profile"),
                MatchesRegex("pid: [0-9]+, nid: 2, .*layers: 1\n. lyr .\n.   0 .\n"));
  }
  EXPECT_EQ(Read("network_profile"), "");
}

TEST_F(StatisticsTest, ForgetProcessesThatEnded) {
  InOtherProcess([] {
    auto* const leaked = new NetworkStatistics(Counters(5), 1);
    leaked->AddRun(microseconds(5), "table\n");
  });
  EXPECT_THAT(Read("networks"), HasSubstr("nid: 5"));
  NetworkStatistics network(Counters(6), 1);
  EXPECT_THAT(Read("networks"), Not(HasSubstr("nid: 5")));
  EXPECT_EQ(Read("network_profile"), "");
  EXPECT_EQ(Read("inference_count"), "1\n");
}

TEST_F(StatisticsTest, LockedFilesDelayARun) {
  NetworkStatistics network(Counters(1), 1);
  const int fd = open(Path(".state").c_str(), O_RDWR);
  ASSERT_EQ(flock(fd, LOCK_EX), 0);
  network.AddRun(microseconds(5), "");
  EXPECT_EQ(Read("inference_count"), "0\n");
  close(fd);
  network.AddRun(microseconds(6), "");
  EXPECT_EQ(Read("inference_count"), "2\n");
  EXPECT_EQ(Read("inference_time"), "11\n");
}

TEST_F(StatisticsTest, SurviveADamagedState) {
  NetworkStatistics network(Counters(1), 1);
  for (const std::string& bytes : {std::string(), std::string(10000, '\xff')}) {
    std::ofstream(Path(".state")) << bytes;
    network.AddRun(microseconds(5), "");
    EXPECT_EQ(Read("inference_count"), "1\n");
    EXPECT_THAT(Read("networks"), HasSubstr("nid: 1, inference_count: 1"));
  }
}

TEST_F(StatisticsTest, NetworksKeepThem) {
  const TensorMetadata x = MakeMetadata("x", {DataType::kUint8, {4}, {}});
  const std::string bytes = MakeReshapeModel(x, x);
  {
    Network net;
    net.set_profiling(true);
    ASSERT_TRUE(net.load_model(bytes.data(), bytes.size()));
    EXPECT_THAT(Read("networks"), HasSubstr("iobuf_count: 2, iobuf_size: 8, layers: 1\n"));
    ASSERT_TRUE(net.predict());
    ASSERT_TRUE(net.predict());
    EXPECT_EQ(Read("inference_count"), "2\n");
    EXPECT_THAT(Read("network_profile"), HasSubstr("| lyr |    cycle | time_us |"));
    EXPECT_EQ(net.profile(), Read("network_profile"));
  }
  EXPECT_EQ(Read("networks"), "");
}

}  // namespace
}  // namespace synap_internal
