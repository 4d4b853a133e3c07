#include "runtime/program/program.h"

#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "flatbuffers/flatbuffers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/registry.h"
#include "runtime/program/program_generated.h"
#include "runtime/program/testing/hand_program.h"

namespace synap_internal {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Bytes at an address that is a multiple of 64, plus `shift`.
class AlignedBytes {
 public:
  explicit AlignedBytes(const std::string& bytes, size_t shift = 0)
      : storage_(bytes.size() + 128), size_(bytes.size()) {
    const auto address = reinterpret_cast<uintptr_t>(storage_.data());
    offset_ = (64 - address % 64) % 64 + shift;
    std::memcpy(data(), bytes.data(), size_);
  }
  uint8_t* data() { return storage_.data() + offset_; }
  absl::Span<const uint8_t> span() { return {data(), size_}; }

 private:
  std::vector<uint8_t> storage_;
  size_t size_;
  size_t offset_;
};

class ProgramTest : public ::testing::Test {
 protected:
  ProgramTest() : hand_("example") { AddExample(hand_); }

  // The message with which a damaged example is refused, by the check and,
  // serialized, by the loader; "" if both accept it.
  std::string Refusal(const std::function<void(Program&)>& damage) {
    Program program = hand_.Get();
    damage(program);
    const absl::Status checked = CheckProgram(program);
    AlignedBytes bytes(SerializeProgram(program).value());
    const absl::Status loaded = LoadProgram(bytes.span()).status();
    EXPECT_EQ(checked.ToString(), loaded.ToString());
    return std::string(checked.message());
  }

  // The message of the loader for the bytes of an example that is damaged in a
  // way that the check, which sees only C++ types, doesn't know.
  std::string LoaderRefusal(const std::function<void(Program&)>& damage) {
    Program program = hand_.Get();
    damage(program);
    AlignedBytes bytes(SerializeProgram(program).value());
    return std::string(LoadProgram(bytes.span()).status().message());
  }

  HandProgram hand_;
};

TEST_F(ProgramTest, ComesBackFromItsBytes) {
  Program program = hand_.Get();
  program.target = "VS680";
  AlignedBytes bytes(SerializeProgram(program).value());
  const auto loaded = LoadProgram(bytes.span());
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->name, program.name);
  EXPECT_EQ(loaded->target, "VS680");
  EXPECT_EQ(loaded->inputs, program.inputs);
  EXPECT_EQ(loaded->outputs, program.outputs);
  EXPECT_EQ(loaded->arena_bytes, program.arena_bytes);
  ASSERT_EQ(loaded->tensors.size(), program.tensors.size());
  for (size_t i = 0; i < program.tensors.size(); ++i) {
    EXPECT_EQ(loaded->tensors[i].name, program.tensors[i].name);
    EXPECT_EQ(loaded->tensors[i].type, program.tensors[i].type);
    EXPECT_EQ(loaded->tensors[i].place, program.tensors[i].place);
    EXPECT_EQ(loaded->tensors[i].offset, program.tensors[i].offset);
  }
  ASSERT_EQ(loaded->instructions.size(), program.instructions.size());
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    EXPECT_EQ(loaded->instructions[i].op, program.instructions[i].op);
    EXPECT_EQ(loaded->instructions[i].inputs, program.instructions[i].inputs);
    EXPECT_EQ(loaded->instructions[i].outputs, program.instructions[i].outputs);
    EXPECT_EQ(loaded->instructions[i].attributes, program.instructions[i].attributes);
    EXPECT_EQ(loaded->instructions[i].origins, program.instructions[i].origins);
  }
}

TEST_F(ProgramTest, SaysWhetherItsBytesStandForInt8) {
  Program program = hand_.Get();
  for (const bool is_signed : {false, true}) {
    program.signed_bytes = is_signed;
    AlignedBytes bytes(SerializeProgram(program).value());
    EXPECT_EQ(LoadProgram(bytes.span())->signed_bytes, is_signed);
  }
}

TEST(DeclaredTypesTest, AreInt8WhereUint8StandsForIt) {
  const TensorType bytes{DataType::kUint8, {4}, QuantParams::Affine(0.5f, 130)};
  const OpDef* add = FindOp("add");
  const OpDef* requantize = FindOp("requantize");
  Program program;
  program.tensors = {{"x", bytes, Place::kInput},
                     {"a", bytes},
                     {"y", bytes, Place::kOutput},
                     {"b", {DataType::kUint8, {4}, {}}},
                     {"z", bytes, Place::kOutput}};
  program.instructions = {{requantize, {0}, {1}}, {requantize, {1}, {2}}, {add, {1, 1}, {4}}};
  EXPECT_EQ(DeclaredTypes(program)[1], bytes);
  program.signed_bytes = true;
  const std::vector<TensorType> types = DeclaredTypes(program);
  const TensorType int8{DataType::kInt8, {4}, QuantParams::Affine(0.5f, 2)};
  EXPECT_EQ(types[1], int8);
  EXPECT_EQ(types[4], int8);
  EXPECT_EQ(types[0], bytes);  // applications see these two
  EXPECT_EQ(types[2], bytes);
  EXPECT_EQ(types[3].dtype, DataType::kUint8);  // no quantizer
}

TEST_F(ProgramTest, RefersToItsConstantsInPlace) {
  AlignedBytes bytes(SerializeProgram(hand_.Get()).value());
  const auto loaded = LoadProgram(bytes.span());
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_GT(loaded->constants.data(), bytes.data());
  EXPECT_LE(loaded->constants.data() + loaded->constants.size(),
            bytes.data() + bytes.span().size());
  EXPECT_EQ(loaded->constants, hand_.Get().constants);
}

TEST_F(ProgramTest, IsSerializedTheSameEveryTime) {
  HandProgram again("example");
  AddExample(again);
  EXPECT_EQ(SerializeProgram(hand_.Get()).value(), SerializeProgram(again.Get()).value());
}

TEST_F(ProgramTest, RefusesBytesThatAreNoProgram) {
  const std::string whole = SerializeProgram(hand_.Get()).value();
  for (const std::string& bytes :
       {std::string(), std::string(3, 'x'), std::string(1000, '\0'), whole.substr(0, 8),
        whole.substr(0, whole.size() / 2), whole.substr(0, whole.size() - 64)}) {
    AlignedBytes aligned(bytes);
    EXPECT_THAT(LoadProgram(aligned.span()).status().ToString(), HasSubstr("is not a program"))
        << bytes.size() << " bytes";
  }
  AlignedBytes other(std::string(whole).replace(4, 4, "XXXX"));
  EXPECT_THAT(LoadProgram(other.span()).status().ToString(), HasSubstr("is not a program"));
}

TEST_F(ProgramTest, RefusesBytesThatAreNotAligned) {
  const std::string whole = SerializeProgram(hand_.Get()).value();
  AlignedBytes odd(whole, 1);
  EXPECT_THAT(LoadProgram(odd.span()).status().ToString(), HasSubstr("not aligned"));
  AlignedBytes eight(whole, 8);
  EXPECT_THAT(LoadProgram(eight.span()).status().ToString(),
              HasSubstr("constants are not aligned to 64 bytes"));
}

// Every byte of the tables, damaged in four ways, is refused or accepted, but never followed out of
// the buffer (the sanitizers see that). 0x04 moves vectors of 64-bit numbers to unaligned places.
TEST_F(ProgramTest, SurvivesEveryDamagedByte) {
  const std::string whole = SerializeProgram(hand_.Get()).value();
  AlignedBytes bytes(whole);
  int refused = 0;
  for (size_t i = 0; i < whole.size(); ++i) {
    const uint8_t original = bytes.data()[i];
    for (const uint8_t flip : {0x01, 0x04, 0x80, 0xFF}) {
      bytes.data()[i] = original ^ flip;
      if (!LoadProgram(bytes.span()).ok()) ++refused;
    }
    bytes.data()[i] = original;
  }
  EXPECT_GT(refused, static_cast<int>(whole.size()));
}

// Sets a field of a serialized table.
template <typename T, typename Table>
void SetField(const Table* table, flatbuffers::voffset_t field, T value) {
  auto* raw = reinterpret_cast<flatbuffers::Table*>(const_cast<Table*>(table));
  ASSERT_TRUE(raw->SetField<T>(field, value, 0));
}

TEST_F(ProgramTest, LoaderRefusesUnknownVersions) {
  AlignedBytes bytes(SerializeProgram(hand_.Get()).value());
  SetField<uint32_t>(fbs::GetProgram(bytes.data()), fbs::Program::VT_VERSION, 2);
  EXPECT_THAT(LoadProgram(bytes.span()).status().ToString(),
              HasSubstr("format version 2, expected 1"));
}

TEST_F(ProgramTest, LoaderRefusesUnknownKindsOfAttributes) {
  AlignedBytes bytes(SerializeProgram(hand_.Get()).value());
  const auto* reshape = fbs::GetProgram(bytes.data())->instructions()->Get(2);
  SetField<uint8_t>(reshape->attributes()->Get(0), fbs::Attribute::VT_KIND, 5);
  EXPECT_THAT(LoadProgram(bytes.span()).status().ToString(),
              AllOf(HasSubstr("instruction 2, reshape 'Reshape_2'"), HasSubstr("attribute 'shape'"),
                    HasSubstr("unknown kind")));
}

TEST_F(ProgramTest, LoaderRefusesUnknownWords) {
  const std::string expected = "tensor 't1' has an unknown data type, quantizer or place";
  for (const int dtype : {0, kDataTypeCount}) {
    EXPECT_EQ(
        LoaderRefusal([&](Program& p) { p.tensors[1].type.dtype = static_cast<DataType>(dtype); }),
        expected);
  }
  EXPECT_EQ(LoaderRefusal(
                [](Program& p) { p.tensors[1].type.quant.scheme = static_cast<QuantScheme>(9); }),
            expected);
  EXPECT_EQ(LoaderRefusal([](Program& p) { p.tensors[1].place = static_cast<Place>(4); }),
            expected);
  OpDef reform;
  reform.name = "reform";
  EXPECT_EQ(LoaderRefusal([&](Program& p) { p.instructions[2].op = &reform; }),
            "instruction 2, reform 'Reshape_2': unknown op 'reform'");
}

TEST_F(ProgramTest, RefusesATooLargeArena) {
  EXPECT_THAT(Refusal([](Program& p) { p.arena_bytes = kMaxArenaBytes + 1; }),
              HasSubstr("expected at most 4294967296"));
}

TEST_F(ProgramTest, RefusesInvalidTensors) {
  EXPECT_THAT(Refusal([](Program& p) { p.tensors[3].type.shape = {-1}; }),
              AllOf(HasSubstr("tensor 't3'"), HasSubstr("negative dimension")));
  EXPECT_THAT(Refusal([](Program& p) { p.tensors[3].type.quant.scales = {0}; }),
              AllOf(HasSubstr("tensor 't3'"), HasSubstr("not a positive number")));
  EXPECT_THAT(Refusal([](Program& p) { p.tensors[3].type.quant.zero_points = {300}; }),
              AllOf(HasSubstr("tensor 't3'"), HasSubstr("zero point 300")));
  EXPECT_THAT(Refusal([](Program& p) {
                p.tensors[1].type.shape = {1 << 30, 1 << 3};
              }),
              AllOf(HasSubstr("tensor 't1'"), HasSubstr("bytes")));
}

TEST_F(ProgramTest, RefusesOffsetsOutsideOrUnaligned) {
  for (const size_t tensor : {2, 4}) {  // a constant, and one in the arena
    for (const uint64_t offset : {uint64_t{8}, uint64_t{1} << 20, ~uint64_t{63}}) {
      EXPECT_THAT(Refusal([&](Program& p) { p.tensors[tensor].offset = offset; }),
                  HasSubstr("expected a multiple of 64 and an end within"));
    }
  }
  EXPECT_THAT(Refusal([](Program& p) { p.arena_bytes -= 64; }),
              HasSubstr("expected a multiple of 64 and an end within"));
}

TEST_F(ProgramTest, RefusesAWrongListOfInputsOrOutputs) {
  EXPECT_THAT(Refusal([](Program& p) { p.inputs[0] = 99; }), HasSubstr("tensor 99 as input"));
  EXPECT_THAT(Refusal([](Program& p) { p.inputs[0] = -1; }), HasSubstr("tensor -1 as input"));
  EXPECT_THAT(Refusal([](Program& p) { p.inputs[1] = 0; }), HasSubstr("tensor 0 as input"));
  EXPECT_THAT(Refusal([](Program& p) { p.outputs[0] = 3; }), HasSubstr("tensor 3 as output"));
  EXPECT_THAT(Refusal([](Program& p) { p.outputs.pop_back(); }),
              HasSubstr("doesn't list every output"));
}

TEST_F(ProgramTest, RefusesAnOutputThatNothingWrites) {
  EXPECT_THAT(Refusal([](Program& p) { p.instructions.pop_back(); }),
              HasSubstr("tensor 't7' is never written"));
}

TEST_F(ProgramTest, RefusesWrongOperands) {
  const auto instruction = [](size_t i) { return absl::StrCat("instruction ", i); };
  EXPECT_THAT(Refusal([](Program& p) { p.instructions[3].inputs.pop_back(); }),
              AllOf(HasSubstr(instruction(3)), HasSubstr("gather 'Gather_3'"),
                    HasSubstr("has 1 operand, expected 2")));
  EXPECT_THAT(Refusal([](Program& p) { p.instructions[3].inputs[1] = -1; }),
              AllOf(HasSubstr(instruction(3)), HasSubstr("operand 1 is absent")));
  EXPECT_THAT(Refusal([](Program& p) { p.instructions[3].inputs[1] = 8; }),
              AllOf(HasSubstr(instruction(3)), HasSubstr("tensor 8, out of range")));
  EXPECT_THAT(Refusal([](Program& p) { p.instructions[0].inputs[0] = 4; }),
              AllOf(HasSubstr(instruction(0)), HasSubstr("'t4' before it is written")));
}

TEST_F(ProgramTest, RefusesWrongOutputs) {
  for (const int32_t output : {-1, 8, 0, 2}) {  // absent, out of range, an input, a constant
    EXPECT_THAT(Refusal([&](Program& p) { p.instructions[4].outputs[0] = output; }),
                AllOf(HasSubstr("instruction 4"), HasSubstr("out of range or already written")));
  }
  EXPECT_THAT(Refusal([](Program& p) { p.instructions[4].outputs.clear(); }),
              HasSubstr("0 outputs, expected 1"));
}

TEST_F(ProgramTest, RefusesTypesThatTheOpDoesNotGive) {
  EXPECT_THAT(Refusal([](Program& p) {
                p.tensors[7].type.shape = {5, 2};
              }),
              AllOf(HasSubstr("instruction 4, pad 'Pad_4'"), HasSubstr("as 5x2, expected 2x5")));
  EXPECT_THAT(Refusal([](Program& p) { p.instructions[1].attributes.clear(); }),
              AllOf(HasSubstr("instruction 1"), HasSubstr("attribute 'perm' is missing")));
}

TEST(CheckProgramTest, RefusesToReadWhatWasOverwritten) {
  HandProgram hand("late");
  const TensorType type{DataType::kFloat32, {100}};
  const int32_t x = hand.Input(type), a = hand.Arena(type), b = hand.Arena(type);
  const int32_t y = hand.Output(type), z = hand.Output(type);
  hand.Add("exp", {x}, {a}, {}, "a");
  hand.Add("neg", {a}, {b}, {}, "b");
  hand.Add("tanh", {b}, {y}, {}, "y");
  hand.Add("tanh", {a}, {z}, {}, "late reader");
  Program program = hand.Get();
  EXPECT_TRUE(CheckProgram(program).ok()) << CheckProgram(program);
  program.tensors[static_cast<size_t>(b)].offset = program.tensors[static_cast<size_t>(a)].offset;
  EXPECT_THAT(CheckProgram(program).message(),
              AllOf(HasSubstr("instruction 3, tanh 'late reader'"),
                    HasSubstr("reads tensor 't1' after it was overwritten")));
}

TEST_F(ProgramTest, RefusesAnOutputOverAnOperand) {
  EXPECT_THAT(Refusal([](Program& p) { p.tensors[4].offset = p.tensors[3].offset; }),
              AllOf(HasSubstr("instruction 1"), HasSubstr("'t4' over its operand tensor 't3'")));
}

TEST_F(ProgramTest, AcceptsAnOutputInPlaceWhereTheOpAllowsIt) {
  HandProgram hand("in place");
  const int32_t x = hand.Input({DataType::kFloat32, {2, 3}});
  const int32_t a = hand.Arena({DataType::kFloat32, {3, 2}});
  const int32_t b = hand.Arena({DataType::kFloat32, {6}});
  const int32_t y = hand.Output({DataType::kFloat32, {3, 2}});
  using Ints = std::vector<int64_t>;
  hand.Add("transpose", {x}, {a}, {{"perm", Ints{1, 0}}}, "a");
  hand.Add("reshape", {a}, {b}, {{"shape", Ints{6}}}, "b");
  hand.Add("reshape", {b}, {y}, {{"shape", Ints{3, 2}}}, "c");
  Program program = hand.Get();
  program.tensors[2].offset = program.tensors[1].offset;
  EXPECT_TRUE(CheckProgram(program).ok()) << CheckProgram(program);
}

TEST_F(ProgramTest, RefusesTablesThatShareTheirBytesToGrow) {
  flatbuffers::FlatBufferBuilder builder;
  const auto text = builder.CreateString(std::string(10000, 'x'));
  std::vector<flatbuffers::Offset<fbs::Tensor>> tensors(
      1000, fbs::CreateTensor(builder, text, static_cast<uint8_t>(DataType::kUint8)));
  const auto vector = builder.CreateVector(tensors);
  fbs::ProgramBuilder program(builder);
  program.add_version(kProgramVersion);
  program.add_tensors(vector);
  fbs::FinishProgramBuffer(builder, program.Finish());
  AlignedBytes bytes(
      std::string(reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()));
  EXPECT_THAT(LoadProgram(bytes.span()).status().ToString(), HasSubstr("tables share"));
}

}  // namespace
}  // namespace synap_internal
