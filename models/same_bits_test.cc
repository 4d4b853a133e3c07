// same_bits_test model.synap...: what a program computes depends on the program alone: not on the
// vectors of the processor, nor on the number of threads.
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "hwy/targets.h"
#include "kernels/shared/cpu_extensions.h"
#include "kernels/testing/conformance.h"
#include "runtime/bundle/bundle.h"
#include "runtime/executor/executor.h"
#include "runtime/program/program.h"

namespace synap_internal {
namespace {

std::vector<std::string> models;

// The bytes of all outputs, on the same random input each time.
std::vector<std::vector<uint8_t>> RunWith(const Program& program, int threads) {
  auto executor = Executor::Create(program, {.threads = threads});
  EXPECT_TRUE(executor.ok()) << executor.status();
  if (!executor.ok()) return {};
  TestRandom random(17);
  std::vector<TestTensor> inputs, outputs;
  for (const int32_t i : program.inputs) {
    inputs.push_back(RandomTensor(program.tensors[static_cast<size_t>(i)].type, random));
  }
  for (const int32_t o : program.outputs) {
    outputs.emplace_back(program.tensors[static_cast<size_t>(o)].type);
  }
  std::vector<const void*> input_data;
  std::vector<void*> output_data;
  for (const TestTensor& input : inputs) input_data.push_back(input.data());
  for (TestTensor& output : outputs) output_data.push_back(output.data());
  (*executor)->Run(input_data, output_data);
  std::vector<std::vector<uint8_t>> bytes;
  for (const TestTensor& output : outputs) bytes.push_back(output.bytes());
  return bytes;
}

// Calls run(program) with the first program of a model.
template <typename Run>
void WithProgram(const std::string& path, const Run& run) {
  SCOPED_TRACE(path);
  const auto bundle = OpenBundle(path);
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  const auto program = LoadProgram(bundle->subgraphs[0].model);
  ASSERT_TRUE(program.ok()) << program.status();
  run(*program);
}

void ExpectSameBits(const Program& program) {
  const auto expected = RunWith(program, 1);
  for (const int threads : {2, 3, 8}) {
    EXPECT_TRUE(RunWith(program, threads) == expected) << "threads: " << threads;
  }
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    EXPECT_TRUE(RunWith(program, 2) == expected) << hwy::TargetName(target);
    const WithoutCpuExtensions without;
    EXPECT_TRUE(RunWith(program, 2) == expected)
        << hwy::TargetName(target) << " without dot products";
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  if (!CpuHasAmxInt8()) return;
  const WithoutMatrixUnit without;
  EXPECT_TRUE(RunWith(program, 2) == expected) << "without matrix registers";
}

TEST(SameBitsTest, OnAnyVectorsAndThreads) {
  ASSERT_FALSE(models.empty());
  for (const std::string& path : models) WithProgram(path, ExpectSameBits);
}

// The first model, the classifier of 8 bits, is the smallest one: emulation takes long.
TEST(SameBitsTest, InEmulatedMatrixRegisters) {
  if (!CpuHasAvx512Vnni()) GTEST_SKIP() << "no AVX-512 VNNI here";
  ASSERT_FALSE(models.empty());
  WithProgram(models[0], [](const Program& program) {
    const auto emulated = [&] {
      const WithEmulatedMatrixUnit unit;
      return RunWith(program, 2);
    }();
    const WithoutMatrixUnit without;
    EXPECT_TRUE(RunWith(program, 2) == emulated);
  });
}

}  // namespace
}  // namespace synap_internal

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  synap_internal::models.assign(argv + 1, argv + argc);
  return RUN_ALL_TESTS();
}
