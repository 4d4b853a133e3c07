#include "compiler/target/delegates/narrow_inputs_note.h"

#include <gtest/gtest.h>

#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

Graph Network() {
  return GraphOfBody(R"(
    input %ids: int64[1x4]
    input %mask: int64[1x4]
    input %offsets: int64[1x4]
    input %x: float32[4]
    %a: int64[1x2] = slice(%ids) {sizes=[1, 2], starts=[0, 0]} from "a"
    %b: int64[1x2] = slice(%mask) {sizes=[1, 2], starts=[0, 0]} from "b"
    %c: int64[1x4] = add(%offsets, %offsets) from "c"
    %d: float32[4] = relu(%x) from "d"
    %e: int64[1x1] = slice(%b) {sizes=[1, 1], starts=[0, 0]} from "e"
    output %e
    output %a
    output %b
    output %c
    output %d)");
}

std::string NoteOf(Delegate of_a, Delegate of_b, Delegate of_e = Delegate::kCpu) {
  const Graph graph = Network();
  DelegateAssignment delegates;
  for (const Op& op : graph.ops()) {
    const std::string& layer = op.origins[0];
    delegates.of[&op].delegate = layer == "a"   ? of_a
                                 : layer == "b" ? of_b
                                 : layer == "c" ? Delegate::kCpu
                                 : layer == "e" ? of_e
                                                : Delegate::kNpu;
  }
  const std::optional<Warning> note = NarrowInputsNote(graph, delegates);
  EXPECT_TRUE(!note.has_value() || note->severity == Severity::kNote);
  return note.has_value() ? note->Text() : "";
}

TEST(NarrowInputsNoteTest, NamesTheInputsThatTheNpuReads) {
  EXPECT_EQ(NoteOf(Delegate::kNpu, Delegate::kNpu),
            "inputs 'ids', 'mask': the NPU holds int64 in 32 bits, so values from -2147483648 to "
            "2147483647 are accepted, others are an error");
  EXPECT_EQ(NoteOf(Delegate::kNpu, Delegate::kCpu).find("input 'ids': the NPU"), 0u);
}

TEST(NarrowInputsNoteTest, NamesTheInputsWhoseValuesOthersPassOn) {
  EXPECT_EQ(NoteOf(Delegate::kCpu, Delegate::kCpu, Delegate::kNpu).find("input 'mask': the NPU"),
            0u);
}

TEST(NarrowInputsNoteTest, OtherDelegatesHold64Bits) {
  EXPECT_EQ(NoteOf(Delegate::kCpu, Delegate::kGpu), "");
}

}  // namespace
}  // namespace synap_internal
