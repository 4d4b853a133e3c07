#include "compiler/graph/lower.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "compiler/graph/passes/fold_constants.h"
#include "compiler/graph/text.h"
#include "compiler/testing/random_graph.h"
#include "compiler/testing/run_pass.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

std::unique_ptr<LoweredProgram> Lowered(const Graph& graph) {
  absl::StatusOr<std::unique_ptr<LoweredProgram>> lowered = LowerGraph(graph);
  EXPECT_TRUE(lowered.ok()) << lowered.status() << "\n" << PrintGraph(graph);
  return lowered.ok() ? *std::move(lowered) : std::make_unique<LoweredProgram>();
}

std::unique_ptr<LoweredProgram> LoweredBody(absl::string_view body) {
  return Lowered(GraphOfBody(body));
}

const ProgramTensor& Named(const Program& program, absl::string_view name) {
  const auto it = std::find_if(program.tensors.begin(), program.tensors.end(),
                               [&](const ProgramTensor& tensor) { return tensor.name == name; });
  EXPECT_NE(it, program.tensors.end()) << name;
  return *it;
}

// Steps in which a tensor's memory must be its own: from the instruction that writes it to the last
// one that reads it. Found anew, without the code under test.
struct Life {
  int first = -1;
  int last = -1;
};

std::vector<Life> LivesOf(const Program& program) {
  std::vector<Life> lives(program.tensors.size());
  for (size_t step = 0; step < program.instructions.size(); ++step) {
    const Instruction& instruction = program.instructions[step];
    for (const int32_t input : instruction.inputs) {
      if (input >= 0) lives[static_cast<size_t>(input)].last = static_cast<int>(step);
    }
    for (const int32_t output : instruction.outputs) {
      lives[static_cast<size_t>(output)] = {static_cast<int>(step), static_cast<int>(step)};
    }
  }
  return lives;
}

// `later` is made of `earlier` in place, by the last instruction that reads that.
bool IsMadeInPlace(const Program& program, const std::vector<Life>& lives, size_t earlier,
                   size_t later) {
  const Instruction& maker = program.instructions[static_cast<size_t>(lives[later].first)];
  const auto reads = std::count(maker.inputs.begin(), maker.inputs.end(), earlier);
  return maker.op->in_place && lives[earlier].last == lives[later].first && reads == 1 &&
         maker.inputs[0] == static_cast<int32_t>(earlier) &&
         maker.outputs[0] == static_cast<int32_t>(later) &&
         program.tensors[earlier].offset == program.tensors[later].offset &&
         program.tensors[earlier].type.bytes() == program.tensors[later].type.bytes();
}

bool Overlap(const ProgramTensor& a, const ProgramTensor& b) {
  const auto end = [](const ProgramTensor& t) {
    return t.offset + static_cast<uint64_t>(t.type.bytes());
  };
  return a.offset < end(b) && b.offset < end(a);
}

// Two tensors of the arena that share bytes while both are needed; "" if there are none.
std::string ConflictIn(const Program& program) {
  const std::vector<Life> lives = LivesOf(program);
  for (size_t a = 0; a < program.tensors.size(); ++a) {
    for (size_t b = 0; b < program.tensors.size(); ++b) {
      const ProgramTensor &first = program.tensors[a], &second = program.tensors[b];
      const bool ordered = a != b && lives[a].first <= lives[b].first;
      if (!ordered || first.place != Place::kArena || second.place != Place::kArena) continue;
      if (lives[b].first > lives[a].last || !Overlap(first, second)) continue;
      if (!IsMadeInPlace(program, lives, a, b)) return first.name + " and " + second.name;
    }
  }
  return "";
}

TEST(LowerTest, TensorsThatLiveTogetherShareNoMemory) {
  for (const GraphKind kind : kAllGraphKinds) {
    for (uint64_t seed = 0; seed < 200; ++seed) {
      Graph graph = RandomGraph(kind, seed);
      ASSERT_TRUE(FoldConstants(graph).ok());
      const auto lowered = Lowered(graph);
      EXPECT_EQ(ConflictIn(lowered->program), "") << Name(kind) << ", seed " << seed << "\n"
                                                  << PrintGraph(graph);
      EXPECT_GE(lowered->program.arena_bytes, lowered->largest_live_set);
    }
  }
}

TEST(LowerTest, TheConflictCheckFindsMemoryThatIsUsedTooEarly) {
  const auto lowered = LoweredBody(R"(
    input %x: float32[64]
    %a: float32[64] = slice(%x) {sizes=[64], starts=[0]} from "a"
    %b: float32[64] = slice(%a) {sizes=[64], starts=[0]} from "b"
    %c: float32[64] = slice(%b) {sizes=[64], starts=[0]} from "c"
    %y: float32[64] = add(%c, %a) from "y"
    output %y)");
  Program program = lowered->program;
  EXPECT_EQ(ConflictIn(program), "");
  const uint64_t a = Named(program, "a").offset;
  for (ProgramTensor& tensor : program.tensors) {
    if (tensor.name == "c") tensor.offset = a;
  }
  EXPECT_EQ(ConflictIn(program), "a and c");
}

TEST(LowerTest, AChainNeedsTwoTensorsOfMemory) {
  const auto lowered = LoweredBody(R"(
    input %x: float32[64]
    %a: float32[64] = slice(%x) {sizes=[64], starts=[0]} from "a"
    %b: float32[64] = slice(%a) {sizes=[64], starts=[0]} from "b"
    %c: float32[64] = slice(%b) {sizes=[64], starts=[0]} from "c"
    %d: float32[64] = slice(%c) {sizes=[64], starts=[0]} from "d"
    %y: float32[64] = slice(%d) {sizes=[64], starts=[0]} from "y"
    output %y)");
  EXPECT_EQ(lowered->program.arena_bytes, 512u);
  EXPECT_EQ(lowered->largest_live_set, 512u);
}

TEST(LowerTest, AnOpThatMayWorksInPlace) {
  const auto lowered = LoweredBody(R"(
    input %x: float32[64]
    %a: float32[64] = slice(%x) {sizes=[64], starts=[0]} from "a"
    %b: float32[64] = relu(%a) from "b"
    %c: float32[8x8] = reshape(%b) {shape=[8, 8]} from "c"
    %y: float32[64] = reshape(%c) {shape=[64]} from "y"
    output %y)");
  const Program& program = lowered->program;
  EXPECT_EQ(program.arena_bytes, 256u);
  EXPECT_EQ(Named(program, "a").offset, Named(program, "c").offset);
}

TEST(LowerTest, ATensorThatIsReadLaterIsNotOverwritten) {
  const auto lowered = LoweredBody(R"(
    input %x: float32[64]
    %a: float32[64] = slice(%x) {sizes=[64], starts=[0]} from "a"
    %b: float32[64] = relu(%a) from "b"
    %c: float32[64] = tanh(%b) from "c"
    %y: float32[64] = add(%c, %a) from "y"
    output %y)");
  const Program& program = lowered->program;
  EXPECT_NE(Named(program, "a").offset, Named(program, "b").offset);
  EXPECT_EQ(Named(program, "b").offset, Named(program, "c").offset);
  EXPECT_EQ(program.arena_bytes, 512u);
}

TEST(LowerTest, AChainInPlaceKeepsItsMemoryToTheEnd) {
  // %b lives in %a's memory; %d, which comes before %b is read, must not.
  const auto lowered = LoweredBody(R"(
    input %x: float32[64]
    %a: float32[64] = slice(%x) {sizes=[64], starts=[0]} from "a"
    %b: float32[64] = relu(%a) from "b"
    %d: float32[64] = slice(%x) {sizes=[64], starts=[0]} from "d"
    %e: float32[64] = slice(%d) {sizes=[64], starts=[0]} from "e"
    %y: float32[64] = add(%b, %e) from "y"
    output %y)");
  const Program& program = lowered->program;
  EXPECT_EQ(Named(program, "a").offset, Named(program, "b").offset);
  EXPECT_NE(Named(program, "b").offset, Named(program, "d").offset);
  EXPECT_NE(Named(program, "b").offset, Named(program, "e").offset);
}

TEST(LowerTest, AnOperandThatIsReadTwiceByTheOpIsNotOverwritten) {
  const auto lowered = LoweredBody(R"(
    input %x: float32[64]
    const %i: int64[64] = splat 0
    %a: float32[64] = slice(%x) {sizes=[64], starts=[0]} from "a"
    %b: float32[64] = scatter(%a, %i, %a) from "b"
    %y: float32[64] = slice(%b) {sizes=[64], starts=[0]} from "y"
    output %y)");
  EXPECT_NE(Named(lowered->program, "a").offset, Named(lowered->program, "b").offset);
}

TEST(LowerTest, AResultOfAnotherSizeIsNotInPlace) {
  const auto lowered = LoweredBody(R"(
    input %x: float32[64]
    %a: float32[64] = slice(%x) {sizes=[64], starts=[0]} from "a"
    %b: int64[64] = cast(%a) {to="int64"} from "b"
    %y: int64[64] = slice(%b) {sizes=[64], starts=[0]} from "y"
    output %y)");
  EXPECT_EQ(lowered->program.arena_bytes, 256u + 512u);
}

TEST(LowerTest, CallersBuffersAndConstantsAreNotOverwritten) {
  const auto lowered = LoweredBody(R"(
    input %x: float32[4]
    const %k: float32[4] = [1.0, 2.0, 3.0, 4.0]
    %a: float32[4] = relu(%x) from "a"
    %b: float32[4] = neg(%k) from "b"
    %y: float32[4] = add(%a, %b) from "y"
    output %y)");
  const Program& program = lowered->program;
  EXPECT_EQ(Named(program, "x").place, Place::kInput);
  EXPECT_EQ(Named(program, "k").place, Place::kConstant);
  EXPECT_EQ(Named(program, "a").place, Place::kArena);
  EXPECT_EQ(Named(program, "b").place, Place::kArena);
  EXPECT_EQ(Named(program, "y").place, Place::kOutput);
  EXPECT_NE(Named(program, "a").offset, Named(program, "b").offset);
}

TEST(LowerTest, EqualConstantsAreStoredOnceAndAligned) {
  const auto lowered = LoweredBody(R"(
    input %x: float32[3]
    const %a: float32[3] = [1.0, 2.0, 3.0]
    const %b: float32[1x3] = [1.0, 2.0, 3.0]
    const %c: float32[3] = [1.0, 2.0, 4.0]
    %s: float32[3] = add(%x, %a) from "s"
    %t: float32[1x3] = add(%s, %b) from "t"
    %y: float32[1x3] = mul(%t, %c) from "y"
    output %y)");
  const Program& program = lowered->program;
  EXPECT_EQ(Named(program, "a").offset, Named(program, "b").offset);
  EXPECT_NE(Named(program, "a").offset, Named(program, "c").offset);
  EXPECT_EQ(program.constants.size(), 128u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(program.constants.data()) % kProgramAlignment, 0u);
  float values[3];
  std::memcpy(values, program.constants.data() + Named(program, "c").offset, sizeof(values));
  EXPECT_EQ(values[2], 4.0f);
}

TEST(LowerTest, ConstantsTakeWholeBlocksOf64Bytes) {
  const auto lowered = LoweredBody(R"(
    input %x: float32[16]
    const %a: float32[16] = splat 1.0
    const %b: float32[16] = splat 2.0
    %s: float32[16] = add(%x, %a) from "s"
    %y: float32[16] = add(%s, %b) from "y"
    output %y)");
  EXPECT_EQ(lowered->program.constants.size(), 128u);
  EXPECT_EQ(Named(lowered->program, "b").offset, 64u);
}

TEST(LowerTest, AResultThatNothingReadsLivesForOneStep) {
  const auto lowered = LoweredBody(R"(
    input %x: float32[64]
    %a: float32[64] = slice(%x) {sizes=[64], starts=[0]} from "a"
    %b: float32[64] = slice(%x) {sizes=[64], starts=[0]} from "b"
    %y: float32[64] = slice(%b) {sizes=[64], starts=[0]} from "y"
    output %y)");
  EXPECT_EQ(lowered->program.arena_bytes, 256u);
}

TEST(LowerTest, TheProgramHasTheGraphsNameAndItsBorderNoOffsets) {
  const auto lowered = LoweredBody(R"(
    input %x: uint8[3]<affine 0.5 7>
    %y: uint8[3]<affine 0.25 9> = neg(%x) from "y"
    output %y
    output %x)");
  const Program& program = lowered->program;
  EXPECT_EQ(program.name, "test");
  for (const int32_t tensor : {program.inputs[0], program.outputs[0], program.outputs[1]}) {
    EXPECT_EQ(program.tensors[static_cast<size_t>(tensor)].offset, 0u) << tensor;
  }
  EXPECT_EQ(program.tensors[static_cast<size_t>(program.outputs[1])].type,
            program.tensors[static_cast<size_t>(program.inputs[0])].type);
}

TEST(LowerTest, OutputsThatNoOpMakesForThemAloneAreCopied) {
  const auto lowered = LoweredBody(R"(
    input %x: float32[2x3]
    const %k: float32[2] = [1.0, 2.0]
    %a: float32[2x3] = neg(%x) from "node"
    output %a
    output %x
    output %k
    output %a)");
  const Program& program = lowered->program;
  ASSERT_EQ(program.outputs.size(), 4u);
  ASSERT_EQ(program.instructions.size(), 4u);
  EXPECT_EQ(program.instructions[1].op->name, "reshape");
  EXPECT_EQ(program.instructions[1].origins, std::vector<std::string>{"x"});
  EXPECT_EQ(program.instructions[2].origins, std::vector<std::string>{"k"});
  EXPECT_EQ(program.instructions[3].origins, std::vector<std::string>{"node"});
  const auto outputs = RunOnRandomInputs(GraphOfBody(R"(
    input %x: float32[2x3]
    const %k: float32[2] = [1.0, 2.0]
    %a: float32[2x3] = neg(%x) from "node"
    output %a
    output %x
    output %k
    output %a)"));
  EXPECT_EQ(outputs[0], outputs[3]);
  EXPECT_EQ(outputs[2], (std::vector<float>{1, 2}));
  for (size_t i = 0; i < outputs[1].size(); ++i) EXPECT_EQ(outputs[1][i], -outputs[0][i]);
}

TEST(LowerTest, AnOutputThatOthersReadIsOne) {
  const auto lowered = LoweredBody(R"(
    input %x: float32[3]
    %a: float32[3] = neg(%x) from "a"
    %y: float32[3] = abs(%a) from "y"
    output %a
    output %y)");
  EXPECT_EQ(lowered->program.instructions.size(), 2u);
  EXPECT_EQ(Named(lowered->program, "a").place, Place::kOutput);
  EXPECT_EQ(lowered->program.arena_bytes, 0u);
}

TEST(LowerTest, InstructionsKeepOrderAttributesOriginsAndAbsentOperands) {
  const auto lowered = LoweredBody(R"(
    input %x: float32[1x2x3x1]
    input %r: float32[1x2x2x1]
    const %w: float32[1x1x2x1] = [1.0, 2.0]
    %c: float32[1x2x2x1] = conv2d(%x, %w, _, _, %r) {min=0.5} from "conv", "add"
    %y: float32[1x2x2x1] = neg(%c) from "neg"
    output %y)");
  const Program& program = lowered->program;
  ASSERT_EQ(program.instructions.size(), 2u);
  const Instruction& conv = program.instructions[0];
  EXPECT_EQ(conv.op->name, "conv2d");
  EXPECT_EQ(std::get<float>(conv.attributes.at("min")), 0.5f);
  EXPECT_EQ(conv.origins, (std::vector<std::string>{"conv", "add"}));
  ASSERT_EQ(conv.inputs.size(), 5u);
  EXPECT_EQ(conv.inputs[2], -1);
  EXPECT_EQ(conv.inputs[3], -1);
  EXPECT_EQ(program.tensors[static_cast<size_t>(conv.inputs[4])].name, "r");
  EXPECT_EQ(program.instructions[1].op->name, "neg");
}

TEST(LowerTest, TheGraphStaysAsItIs) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[3]
    output %x)");
  const std::string before = PrintGraph(graph);
  Lowered(graph);
  EXPECT_EQ(PrintGraph(graph), before);
}

}  // namespace
}  // namespace synap_internal
