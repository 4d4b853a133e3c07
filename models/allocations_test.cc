// Counts what predict() allocates after its first call: nothing, for networks of one subgraph, of
// several in a row and of branches that run at the same time, with and without statistics.
//   allocations_test model.synap...
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include "synap/buffer.hpp"
#include "synap/network.hpp"
#include "synap/threads.hpp"

namespace {

std::atomic<int> allocations{0};

}  // namespace

// The C library's own functions; operator new and libraries call what is defined here.
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* memory, size_t size) {
  ++allocations;
  return __libc_realloc(memory, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
}

namespace synaptics::synap {
namespace {

std::vector<std::string> models;

// Allocations of `runs` runs of predict().
int AllocationsOf(Network& net, int runs) {
  const int before = allocations;
  for (int run = 0; run < runs; ++run) EXPECT_TRUE(net.predict());
  return allocations - before;
}

void ExpectNoAllocations(const std::string& model) {
  for (const int threads : {1, 2}) {
    set_thread_count(threads);
    Network net;
    ASSERT_TRUE(net.load_model(model)) << model;
    EXPECT_GT(AllocationsOf(net, 1), 0) << "the count doesn't work";
    EXPECT_EQ(AllocationsOf(net, 3), 0) << model << ", " << threads << " threads";
    Buffer other(net.inputs[0].size());
    ASSERT_TRUE(net.inputs[0].set_buffer(&other));
    EXPECT_TRUE(net.predict());
    EXPECT_EQ(AllocationsOf(net, 3), 0) << model << ", after a buffer has changed";
  }
}

TEST(AllocationsTest, PredictAllocatesNothingAfterItsFirstCall) {
  ASSERT_GE(models.size(), 2u);
  for (const std::string& model : models) ExpectNoAllocations(model);
}

// The folder is chosen once in a process, when a network is loaded.
TEST(AllocationsDeathTest, NorDoStatistics) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run = [](const std::string& model) {
    setenv("SYNAP_SYSFS", std::getenv("TEST_TMPDIR"), 1);
    Network net;
    // The first run's times have fewer digits than the sum of ten.
    const bool is_free = net.load_model(model) && net.predict() && AllocationsOf(net, 9) == 0;
    std::_Exit(is_free ? 0 : 1);
  };
  for (const std::string& model : models) {
    EXPECT_EXIT(run(model), testing::ExitedWithCode(0), "") << model;
  }
}

}  // namespace
}  // namespace synaptics::synap

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) synaptics::synap::models.emplace_back(argv[i]);
  unsetenv("SYNAP_SYSFS");
  unsetenv("XDG_RUNTIME_DIR");
  return RUN_ALL_TESTS();
}
