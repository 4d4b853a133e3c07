#include "runtime/executor/executor.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <new>
#include <numeric>

#include "absl/status/status.h"
#include "base/thread_pool.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/testing/conformance.h"
#include "runtime/program/testing/hand_program.h"

namespace {

std::atomic<int> allocations{0};

}  // namespace

// Counts what Run may not do. Not inlined: gcc would see free() meet new.
[[gnu::noinline]] void* operator new(size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace synap_internal {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Ints = std::vector<int64_t>;

// Buffers for a program's inputs, with random data, and outputs.
class Buffers {
 public:
  explicit Buffers(const Program& program) {
    TestRandom random(11);
    for (const int32_t i : program.inputs) {
      inputs.push_back(RandomTensor(program.tensors[static_cast<size_t>(i)].type, random));
    }
    for (const int32_t o : program.outputs) {
      outputs.emplace_back(program.tensors[static_cast<size_t>(o)].type);
    }
    for (const TestTensor& input : inputs) input_data.push_back(input.data());
    for (TestTensor& output : outputs) output_data.push_back(output.data());
  }

  std::vector<TestTensor> inputs, outputs;
  std::vector<const void*> input_data;
  std::vector<void*> output_data;
};

std::vector<std::vector<uint8_t>> RunWith(const Program& program, const ExecutorOptions& options) {
  auto executor = Executor::Create(program, options);
  EXPECT_TRUE(executor.ok()) << executor.status();
  if (!executor.ok()) return {};
  Buffers buffers(program);
  (*executor)->Run(buffers.input_data, buffers.output_data);
  std::vector<std::vector<uint8_t>> bytes;
  for (const TestTensor& output : buffers.outputs) {
    EXPECT_TRUE(output.PaddingIntact());
    bytes.push_back(output.bytes());
  }
  return bytes;
}

// Large enough for several tasks in each instruction.
void AddLarge(HandProgram& hand) {
  const TensorType small{DataType::kFloat32, {1, 40, 60, 24}};
  const TensorType large{DataType::kFloat32, {1, 80, 120, 24}};
  const int32_t x = hand.Input(small);
  const int32_t resized = hand.Arena(large);
  const int32_t planes = hand.Arena({DataType::kFloat32, {1, 24, 80, 120}});
  const int32_t y = hand.Output({DataType::kFloat32, {1, 24, 82, 120}});
  hand.Add("resize", {x}, {resized}, {{"size", Ints{80, 120}}, {"mode", std::string("linear")}},
           "up");
  hand.Add("transpose", {resized}, {planes}, {{"perm", Ints{0, 3, 1, 2}}}, "planes");
  hand.Add("pad", {planes}, {y},
           {{"pads", Ints{0, 0, 1, 0, 0, 0, 1, 0}}, {"mode", std::string("reflect")}}, "pad");
}

TEST(ExecutorTest, RunsInstructionsInOrder) {
  HandProgram hand("order");
  const int32_t x = hand.Input({DataType::kFloat32, {2, 2}});
  const int32_t tail = hand.Constant({2, 1}, std::vector<float>{8, 9});
  const int32_t joined = hand.Arena({DataType::kFloat32, {2, 3}});
  const int32_t y = hand.Output({DataType::kFloat32, {3, 2}});
  hand.Add("concat", {x, tail}, {joined}, {{"axis", int64_t{1}}}, "join");
  hand.Add("transpose", {joined}, {y}, {{"perm", Ints{1, 0}}}, "turn");
  const Program program = hand.Get();
  auto executor = Executor::Create(program, {});
  ASSERT_TRUE(executor.ok()) << executor.status();
  Buffers buffers(program);
  buffers.inputs[0] = TestTensor({2, 2}, std::vector<float>{1, 2, 3, 4});
  const void* const input = buffers.inputs[0].data();
  (*executor)->Run({&input, 1}, buffers.output_data);
  EXPECT_THAT(buffers.outputs[0].values<float>(), ElementsAre(1, 3, 2, 4, 8, 9));
}

TEST(ExecutorTest, GivesTheSameBitsOnAnyNumberOfThreadsAndBothPaths) {
  HandProgram large("large"), example("example");
  AddLarge(large);
  AddExample(example);
  for (HandProgram* hand : {&large, &example}) {
    const Program program = hand->Get();
    const auto expected = RunWith(program, {.threads = 1, .path = KernelPath::kReference});
    for (const int threads : {1, 2, 3}) {
      EXPECT_EQ(RunWith(program, {.threads = threads}), expected) << threads << " threads";
    }
  }
}

TEST(ExecutorTest, GivesTheSameBitsInEveryRun) {
  HandProgram hand("again");
  AddLarge(hand);
  const Program program = hand.Get();
  auto executor = Executor::Create(program, {.threads = 2});
  ASSERT_TRUE(executor.ok()) << executor.status();
  Buffers first(program), second(program);
  (*executor)->Run(first.input_data, first.output_data);
  (*executor)->Run(second.input_data, second.output_data);
  EXPECT_EQ(first.outputs[0].bytes(), second.outputs[0].bytes());
}

TEST(ExecutorTest, NewBuffersOnEitherSideAreBound) {
  HandProgram hand("buffers");
  const int32_t x = hand.Input({DataType::kInt64, {2, 1}});
  const int32_t y = hand.Output({DataType::kInt64, {1, 2}});
  hand.Add("transpose", {x}, {y}, {{"perm", Ints{1, 0}}}, "turn");
  auto executor = Executor::Create(hand.Get(), {});
  ASSERT_TRUE(executor.ok()) << executor.status();
  TestTensor inputs[] = {TestTensor({2, 1}, Ints{1, 2}), TestTensor({2, 1}, Ints{3, 4})};
  TestTensor outputs[] = {TestTensor({1, 2}, Ints{0, 0}), TestTensor({1, 2}, Ints{0, 0})};
  const auto run = [&](size_t input, size_t output) {
    const void* const from = inputs[input].data();
    void* const to = outputs[output].data();
    (*executor)->Run({&from, 1}, {&to, 1});
    return outputs[output].values<int64_t>();
  };
  EXPECT_THAT(run(0, 0), ElementsAre(1, 2));
  EXPECT_THAT(run(1, 0), ElementsAre(3, 4));
  EXPECT_THAT(run(1, 1), ElementsAre(3, 4));
}

TEST(ExecutorTest, AllocatesNothingWhileItRuns) {
  HandProgram hand("example");
  AddExample(hand);
  const Program program = hand.Get();
  auto executor = Executor::Create(program, {});
  ASSERT_TRUE(executor.ok()) << executor.status();
  Buffers buffers(program);
  const int before = allocations;
  (*executor)->Run(buffers.input_data, buffers.output_data);
  EXPECT_EQ(allocations, before);
}

TEST(ExecutorTest, ShowsEveryOutputToTheObserver) {
  HandProgram hand("example");
  AddExample(hand);
  const Program program = hand.Get();
  auto executor = Executor::Create(program, {});
  ASSERT_TRUE(executor.ok()) << executor.status();
  Buffers buffers(program);
  std::vector<size_t> seen;
  const void* last = nullptr;
  (*executor)->set_observer([&](size_t instruction, absl::Span<const void* const> outputs) {
    seen.push_back(instruction);
    EXPECT_EQ(outputs.size(), 1u);
    last = outputs[0];
  });
  (*executor)->Run(buffers.input_data, buffers.output_data);
  EXPECT_THAT(seen, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(last, buffers.output_data[1]);
  (*executor)->set_observer(nullptr);
  (*executor)->Run(buffers.input_data, buffers.output_data);
  EXPECT_EQ(seen.size(), 5u);
}

TEST(ExecutorTest, MeasuresEachInstructionOnlyWhenAsked) {
  HandProgram hand("large");
  AddLarge(hand);
  const Program program = hand.Get();
  for (const bool profile : {false, true}) {
    auto executor = Executor::Create(program, {.profile = profile});
    ASSERT_TRUE(executor.ok()) << executor.status();
    Buffers buffers(program);
    const auto start = std::chrono::steady_clock::now();
    (*executor)->Run(buffers.input_data, buffers.output_data);
    ASSERT_EQ((*executor)->profile().size(), profile ? 3u : 0u);
    for (const auto time : (*executor)->profile()) EXPECT_GT(time.count(), 0);
    EXPECT_LE(std::accumulate((*executor)->profile().begin(), (*executor)->profile().end(),
                              std::chrono::nanoseconds(0)),
              std::chrono::steady_clock::now() - start);
  }
}

TEST(ExecutorTest, LeavesDataInPlaceWhereTheProgramSaysSo) {
  HandProgram hand("in place");
  const int32_t x = hand.Input({DataType::kInt64, {2, 3}});
  const int32_t a = hand.Arena({DataType::kInt64, {3, 2}});
  const int32_t b = hand.Arena({DataType::kInt64, {6}});
  const int32_t y = hand.Output({DataType::kInt64, {1, 6}});
  hand.Add("transpose", {x}, {a}, {{"perm", Ints{1, 0}}}, "a");
  hand.Add("reshape", {a}, {b}, {{"shape", Ints{6}}}, "b");
  hand.Add("reshape", {b}, {y}, {{"shape", Ints{1, 6}}}, "c");
  Program program = hand.Get();
  program.tensors[static_cast<size_t>(b)].offset = program.tensors[static_cast<size_t>(a)].offset;
  ASSERT_TRUE(CheckProgram(program).ok()) << CheckProgram(program);
  auto executor = Executor::Create(program, {});
  ASSERT_TRUE(executor.ok()) << executor.status();
  TestTensor input({2, 3}, Ints{1, 2, 3, 4, 5, 6});
  TestTensor output(TensorType{DataType::kInt64, {1, 6}});
  const void* const inputs[] = {input.data()};
  void* const outputs[] = {output.data()};
  (*executor)->Run(inputs, outputs);
  EXPECT_THAT(output.values<int64_t>(), ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST(ExecutorTest, SaysHowMuchMemoryIsMissing) {
  HandProgram hand("example");
  AddExample(hand);
  Program program = hand.Get();
  program.arena_bytes = uint64_t{1} << 50;
  const absl::Status status = Executor::Create(program, {}).status();
  EXPECT_EQ(status,
            absl::ResourceExhaustedError("can't allocate 1024.0 TiB for the program's arena"));
}

TEST(ExecutorTest, SharesThePoolThatItIsGiven) {
  HandProgram hand("example");
  AddExample(hand);
  const auto pool = std::make_shared<ThreadPool>(2);
  auto executor = Executor::Create(hand.Get(), {.pool = pool});
  ASSERT_TRUE(executor.ok()) << executor.status();
  EXPECT_EQ(pool.use_count(), 2);
}

TEST(ExecutorTest, RefusesWeightsThatAreComputed) {
  HandProgram hand("computed");
  const int32_t x = hand.Input({DataType::kFloat32, {1, 4}});
  const int32_t w = hand.Input({DataType::kFloat32, {2, 4}});
  const int32_t y = hand.Output({DataType::kFloat32, {1, 2}});
  hand.AddSpareConstants(64);
  hand.Add("fully_connected", {x, w}, {y}, {}, "layer");
  const absl::Status status = CheckKernels(hand.Get());
  EXPECT_THAT(status.ToString(),
              AllOf(HasSubstr("instruction 0, fully_connected 'layer'"), HasSubstr("constant")));
}

TEST(ExecutorTest, NamesTheInstructionThatHasNoKernel) {
  HandProgram hand("example");
  AddExample(hand);
  Program program = hand.Get();
  EXPECT_TRUE(CheckKernels(program).ok());
  program.tensors.back().type.dtype = DataType::kInt32;
  const absl::Status status = Executor::Create(program, {}).status();
  EXPECT_THAT(status.ToString(),
              AllOf(HasSubstr("instruction 4, pad 'Pad_4'"), HasSubstr("int32")));
  EXPECT_EQ(CheckKernels(program), status);
  ExecutorOptions reference;
  reference.path = KernelPath::kReference;
  EXPECT_EQ(Executor::Create(program, reference).status(), status);
}

}  // namespace
}  // namespace synap_internal
