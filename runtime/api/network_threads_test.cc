#include "runtime/api/network_threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/processor_count.h"
#include "base/tensor_type.h"
#include "base/thread_ids.h"
#include "base/thread_pool.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/model_metadata.h"
#include "runtime/testing/test_models.h"
#include "synap/network.hpp"
#include "synap/threads.hpp"

namespace synaptics::synap {
namespace {

using ::synap_internal::AwaitNewThreads;
using ::synap_internal::BundleEdge;
using ::synap_internal::BundlePart;
using ::synap_internal::MakeMetadata;
using ::synap_internal::ModelMetadata;
using ::synap_internal::TensorType;
using ::synap_internal::ThreadIds;
using ::testing::HasSubstr;
using InternalType = ::synap_internal::DataType;

// Two subgraphs, one after the other, with loops of several tasks: a picture grows and shrinks.
std::string ResizeModel() {
  const TensorType small{InternalType::kFloat32, {1, 20, 30, 24}};
  const TensorType large{InternalType::kFloat32, {1, 80, 120, 24}};
  const auto resize = [](const TensorType& from, const TensorType& to) {
    return ::synap_internal::MakeProgram(
        "resize",
        {{"size", std::vector<int64_t>{to.shape[1], to.shape[2]}}, {"mode", std::string("linear")}},
        {from}, to);
  };
  const std::string grow = resize(small, large), shrink = resize(large, small);
  ModelMetadata grown, shrunk;
  grown.inputs = {MakeMetadata("x", small)};
  grown.outputs = shrunk.inputs = {MakeMetadata("h", large)};
  shrunk.outputs = {MakeMetadata("y", small)};
  const std::vector<BundlePart> parts = {{grow, grown, {{-1, 0}}}, {shrink, shrunk, {{0, 0}}}};
  return ::synap_internal::WriteBundle(parts, std::vector<BundleEdge>{{0, 0}, {1, 0}}).value();
}

Network Loaded(const std::string& model) {
  Network net;
  EXPECT_TRUE(net.load_model(model.data(), model.size()));
  return net;
}

// The outputs for an input that `seed` selects.
std::vector<float> OutputsFor(Network& net, uint32_t seed) {
  std::vector<float> values(net.inputs[0].item_count());
  for (float& value : values) {
    seed = seed * 1664525 + 1013904223;
    value = static_cast<float>(seed >> 8) / 65536;
  }
  EXPECT_TRUE(net.inputs[0].assign(values.data(), values.size()));
  EXPECT_TRUE(net.predict());
  std::vector<float> results;
  for (const Tensor& output : net.outputs) {
    results.insert(results.end(), output.as_float(), output.as_float() + output.item_count());
  }
  return results;
}

class NetworkThreadsTest : public testing::Test {
 protected:
  void TearDown() override {
    set_thread_count(0);
    unsetenv("SYNAP_NUM_THREADS");
  }
};

TEST_F(NetworkThreadsTest, TheCallThenTheVariableThenTheProcessorsGiveTheNumber) {
  EXPECT_EQ(thread_count(), ::synap_internal::ProcessorCount());
  setenv("SYNAP_NUM_THREADS", "3", 1);
  EXPECT_EQ(thread_count(), 3);
  EXPECT_EQ(::synap_internal::ThreadsOfNetworks()->threads(), 3);
  EXPECT_TRUE(set_thread_count(2));
  EXPECT_EQ(thread_count(), 2);
  EXPECT_EQ(::synap_internal::ThreadsOfNetworks()->threads(), 2);
  EXPECT_TRUE(set_thread_count(0));
  EXPECT_EQ(thread_count(), 3);
}

TEST_F(NetworkThreadsTest, OtherNumbersAreRefused) {
  testing::internal::CaptureStderr();
  EXPECT_FALSE(set_thread_count(-1));
  EXPECT_FALSE(set_thread_count(1025));
  setenv("SYNAP_NUM_THREADS", "many", 1);
  EXPECT_EQ(thread_count(), ::synap_internal::ProcessorCount());
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("-1 threads, expected 1 to 1024, or 0 for the default"));
  EXPECT_THAT(said, HasSubstr("SYNAP_NUM_THREADS is 'many', expected a number; it is ignored"));
  setenv("SYNAP_NUM_THREADS", "-4", 1);
  EXPECT_EQ(thread_count(), ::synap_internal::ProcessorCount());
}

TEST_F(NetworkThreadsTest, NetworksAndSubgraphsShareThem) {
  const std::string model = ResizeModel();
  const std::set<std::string> before = ThreadIds();
  set_thread_count(3);
  {
    Network a = Loaded(model), b = Loaded(model);
    set_thread_count(2);
    Network c = Loaded(model);
    OutputsFor(a, 1);
    OutputsFor(b, 1);
    OutputsFor(c, 1);
    EXPECT_EQ(AwaitNewThreads(before, 2), 2);
  }
  EXPECT_EQ(AwaitNewThreads(before, 0), 0);
}

TEST_F(NetworkThreadsTest, ResultsHaveTheSameBitsOnAnyNumber) {
  const std::string model = ResizeModel();
  set_thread_count(1);
  Network one = Loaded(model);
  const std::vector<float> expected = OutputsFor(one, 5);
  for (const int count : {2, 3, 8}) {
    set_thread_count(count);
    Network net = Loaded(model);
    const std::vector<float> values = OutputsFor(net, 5);
    ASSERT_EQ(values.size(), expected.size());
    EXPECT_EQ(std::memcmp(values.data(), expected.data(), values.size() * sizeof(float)), 0)
        << count << " threads";
  }
}

TEST_F(NetworkThreadsTest, SeveralThreadsRunNetworksSimultaneously) {
  constexpr int kCallers = 4;
  const std::string model = ResizeModel();
  set_thread_count(1);
  Network reference = Loaded(model);
  std::vector<std::vector<float>> expected;
  for (uint32_t seed = 0; seed < kCallers; ++seed) expected.push_back(OutputsFor(reference, seed));
  set_thread_count(3);
  std::vector<std::thread> callers;
  for (uint32_t seed = 0; seed < kCallers; ++seed) {
    callers.emplace_back([&model, &wanted = expected[seed], seed] {
      Network net = Loaded(model);
      for (int run = 0; run < 40; ++run) {
        if (run % 10 == 9) net = Loaded(model);
        ASSERT_EQ(OutputsFor(net, seed), wanted);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

}  // namespace
}  // namespace synaptics::synap
