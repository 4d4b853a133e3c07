#include "synap/network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <type_traits>
#include <utility>

#include "absl/types/span.h"
#include "base/available_memory.h"
#include "base/tensor_type.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/model_checksum.h"
#include "runtime/program/program.h"
#include "runtime/testing/address_space_limit.h"
#include "runtime/testing/test_models.h"
#include "synap/logging.hpp"
#include "synap/target.hpp"

namespace synaptics::synap {
namespace {

using ::synap_internal::AddressSpaceLimit;
using ::synap_internal::BundleEdge;
using ::synap_internal::BundlePart;
using ::synap_internal::kEndsWithoutMemory;
using ::synap_internal::MakeMetadata;
using ::synap_internal::ModelMetadata;
using ::synap_internal::QuantParams;
using ::synap_internal::TensorMetadata;
using ::synap_internal::TensorType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using InternalType = ::synap_internal::DataType;

// x: uint8 [1,2,2,1], 1 / 255 and zero point 0, normalized by 255; y: [4].
std::string Uint8Model() {
  TensorMetadata x =
      MakeMetadata("x", {InternalType::kUint8, {1, 2, 2, 1}, QuantParams::Affine(1 / 255.0f, 0)});
  x.layout = ::synap_internal::TensorLayout::kNhwc;
  x.data_format = "gray fill_color=0";
  x.scale = 255;
  x.mean = {0};
  const TensorMetadata y =
      MakeMetadata("y", {InternalType::kUint8, {4}, QuantParams::Affine(1 / 255.0f, 0)});
  return ::synap_internal::MakeReshapeModel(x, y);
}

// Identity over 4 floats.
std::string FloatProgram() {
  const TensorType type{InternalType::kFloat32, {4}, {}};
  return ::synap_internal::MakeProgram("reshape", {{"shape", std::vector<int64_t>{4}}}, {type},
                                       type);
}

ModelMetadata FloatMetadata() {
  ModelMetadata metadata;
  metadata.inputs = {MakeMetadata("x", {InternalType::kFloat32, {4}, {}})};
  metadata.outputs = {MakeMetadata("y", {InternalType::kFloat32, {4}, {}})};
  return metadata;
}

bool Load(Network& net, const std::string& bytes) {
  return net.load_model(bytes.data(), bytes.size());
}

// What loading writes to stderr.
std::string LoadError(const std::string& bytes) {
  Network net;
  testing::internal::CaptureStderr();
  EXPECT_FALSE(Load(net, bytes));
  EXPECT_EQ(net.inputs.size(), 0);
  EXPECT_FALSE(net.predict());
  return testing::internal::GetCapturedStderr();
}

std::vector<float> Values(const Tensor& tensor) {
  const float* data = tensor.as_float();
  return std::vector<float>(data, data + tensor.item_count());
}

TEST(NetworkTest, RefusesModelsForOtherChips) {
  const std::string path =
      ::synap_internal::WriteTestFile("vs680.synap", ::synap_internal::MakeModelForTarget("VS680"));
  Network net;
  EXPECT_TRUE(net.load_model(path));
  EXPECT_TRUE(set_target("sl1620"));
  EXPECT_FALSE(net.load_model(path));
  EXPECT_THAT(last_error(), HasSubstr("vs680.synap: the model was compiled for VS680, but networks "
                                      "run on SL1620 here"));
  EXPECT_TRUE(set_target("vs680"));
  EXPECT_TRUE(net.load_model(path));
  EXPECT_TRUE(set_target(""));
}

TEST(NetworkTest, LoadsRunsAndGivesRealNumbers) {
  Network net;
  ASSERT_TRUE(net.load_model(::synap_internal::WriteTestFile("m.synap", Uint8Model())));
  ASSERT_EQ(net.inputs.size(), 1);
  const std::vector<uint8_t> data = {0, 51, 102, 255};
  ASSERT_TRUE(net.inputs[0].assign(data.data(), data.size()));
  ASSERT_TRUE(net.predict());
  EXPECT_THAT(Values(net.outputs[0]),
              ElementsAre(0, testing::FloatEq(0.2f), testing::FloatEq(0.4f), testing::FloatEq(1)));
}

TEST(NetworkTest, DescribesItsTensors) {
  Network net;
  ASSERT_TRUE(Load(net, Uint8Model()));
  const Tensor& x = net.inputs[0];
  EXPECT_EQ(x.name(), "x");
  EXPECT_THAT(x.shape(), ElementsAre(1, 2, 2, 1));
  EXPECT_EQ(x.layout(), Layout::nhwc);
  EXPECT_EQ(x.dimensions().h, 2);
  EXPECT_EQ(x.dimensions().c, 1);
  EXPECT_EQ(x.format(), "gray fill_color=0");
  EXPECT_EQ(x.data_type(), DataType::uint8);
  EXPECT_EQ(x.security(), Security::none);
  EXPECT_EQ(x.size(), 4);
  EXPECT_FALSE(x.is_scalar());
  EXPECT_TRUE(net.outputs[0].dimensions().empty());
}

TEST(NetworkTest, MovesWithItsTensors) {
  Network first;
  ASSERT_TRUE(Load(first, Uint8Model()));
  Network net = std::move(first);
  EXPECT_FALSE(first.predict());  // NOLINT(bugprone-use-after-move)
  const uint8_t data[4] = {255, 255, 255, 255};
  ASSERT_TRUE(net.inputs[0].assign(data, 4));
  Network other;
  other = std::move(net);
  ASSERT_TRUE(other.predict());
  EXPECT_EQ(other.outputs[0].as_float()[3], 1);
}

TEST(NetworkTest, KeepsItsModelWhenMovedToItself) {
  Network net;
  ASSERT_TRUE(Load(net, Uint8Model()));
  Network& same = net;
  net = std::move(same);
  ASSERT_EQ(net.inputs.size(), 1);
  EXPECT_TRUE(net.predict());
  EXPECT_NE(net.outputs[0].as_float(), nullptr);
}

TEST(NetworkTest, KeepsItsTensors) {
  EXPECT_TRUE(std::is_nothrow_move_constructible_v<Network>);
  EXPECT_TRUE(std::is_swappable_v<Network>);
  // std::swap(a.inputs, b.inputs) and Tensor t = std::move(net.inputs[0]) would leave predict()
  // with tensors of another network, or none.
  EXPECT_FALSE(std::is_swappable_v<Tensors>);
  EXPECT_FALSE(std::is_move_constructible_v<Tensors>);
  EXPECT_FALSE(std::is_move_assignable_v<Tensors>);
  EXPECT_FALSE(std::is_swappable_v<Tensor>);
  EXPECT_FALSE(std::is_move_constructible_v<Tensor>);
  EXPECT_FALSE(std::is_move_assignable_v<Tensor>);
}

TEST(NetworkTest, LeavesTensorsWhereTheyAreWhenItIsMoved) {
  Network first;
  ASSERT_TRUE(Load(first, Uint8Model()));
  const Tensor* const input = &first.inputs[0];
  const Network net = std::move(first);
  EXPECT_EQ(&net.inputs[0], input);
}

TEST(NetworkTest, RefusesMemoryThatIsNoModel) {
  Network net;
  const uint8_t byte = 0;
  EXPECT_FALSE(net.load_model(nullptr, 100));
  EXPECT_FALSE(net.load_model(nullptr, 0));
  EXPECT_FALSE(net.load_model(&byte, SIZE_MAX));
  EXPECT_FALSE(net.load_model(&byte, SIZE_MAX - 100, "{}"));
}

TEST(NetworkTest, KeepsTheModelWhoseFileIsOverwritten) {
  const std::string path = ::synap_internal::WriteTestFile("overwritten.synap", Uint8Model());
  Network net;
  ASSERT_TRUE(net.load_model(path));
  std::ofstream(path, std::ios::trunc) << "another model";  // in place: the same file
  EXPECT_TRUE(net.predict());
}

TEST(NetworkTest, RunsOnTheCallersThreadWhereNoOtherCanBeCreated) {
  // Stacks of that size fit into no address space: pthread_create fails as at a limit on processes.
  pthread_attr_t old, huge;
  ASSERT_EQ(pthread_getattr_default_np(&old) + pthread_getattr_default_np(&huge), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&huge, size_t{1} << 50), 0);
  ASSERT_EQ(pthread_setattr_default_np(&huge), 0);
  setenv("SYNAP_NUM_THREADS", "4", 1);
  Network net;
  testing::internal::CaptureStderr();
  EXPECT_TRUE(Load(net, Uint8Model()));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("only 1 of 4 threads could be created"));
  EXPECT_TRUE(net.predict());
  unsetenv("SYNAP_NUM_THREADS");
  pthread_setattr_default_np(&old);
}

// A bundle with `count` inputs and outputs of 4 GiB each.
std::string HugeModel(int count) {
  const TensorType in{InternalType::kFloat32, {1 << 30}, {}};
  const TensorType out{InternalType::kFloat32, {1 << 15, 1 << 15}, {}};
  const std::string program =
      ::synap_internal::MakeProgram("reshape", {{"shape", out.shape.dims()}}, {in}, out);
  ModelMetadata metadata;
  metadata.inputs = {MakeMetadata("x", in)};
  metadata.outputs = {MakeMetadata("y", out)};
  std::vector<BundlePart> parts;
  std::vector<BundleEdge> outputs;
  for (int i = 0; i < count; ++i) {
    parts.push_back({program, metadata, {{-1, i}}});
    outputs.push_back({i, 0});
  }
  return *::synap_internal::WriteBundle(parts, outputs);
}

TEST(NetworkTest, RefusesMoreDataThanAnyBoardHas) {
  EXPECT_THAT(LoadError(HugeModel(10)),
              HasSubstr("its 10 inputs, 10 outputs and arena need 80.0 GiB, expected at most "
                        "64.0 GiB"));
}

TEST(NetworkTest, DoesntTouchMoreMemoryThanThereIs) {
  if (::synap_internal::IsAvailable(uint64_t{60} << 30)) GTEST_SKIP() << "there is memory enough";
  Network net;
  ASSERT_TRUE(Load(net, HugeModel(8)));
  testing::internal::CaptureStderr();
  EXPECT_FALSE(net.predict());
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("the network needs 64.0 GiB of memory, but only "));
}

TEST(NetworkTest, AllocatesNothingForInputsThatNoLayerReads) {
  const std::string bytes = FloatProgram();
  ::synap_internal::Program program =
      ::synap_internal::LoadProgram({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()})
          .value();
  for (int i = 0; i < 3; ++i) {
    program.inputs.push_back(static_cast<int32_t>(program.tensors.size()));
    const TensorType type{InternalType::kFloat32, {1 << 30}, {}};
    program.tensors.push_back({"huge", type, ::synap_internal::Place::kInput, 0});
  }
  Network net;
  ASSERT_TRUE(Load(net, ::synap_internal::MakeModel(program)));
  ASSERT_TRUE(net.predict());
  EXPECT_EQ(net.inputs[0].buffer()->size(), 16);
  for (size_t i = 1; i < 4; ++i) EXPECT_EQ(net.inputs[i].buffer()->size(), 0);
}

TEST(NetworkTest, FailsWithoutAModel) {
  Network net;
  EXPECT_FALSE(net.predict());
  EXPECT_FALSE(net.load_model("/nonexistent/model.synap"));
  EXPECT_FALSE(net.load_model("model.synap", "model.json"));
  EXPECT_FALSE(net.load_model("model.nb"));
}

TEST(NetworkTest, LoadsAProgramBesideItsMetadata) {
  const std::string model = ::synap_internal::WriteTestFile("model.nb", FloatProgram());
  const std::string meta = ::synap_internal::WriteTestFile(
      "model.json", *::synap_internal::PrintModelMetadata(FloatMetadata()));
  Network net;
  testing::internal::CaptureStderr();
  EXPECT_TRUE(net.load_model(model, meta));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("has no 'checksum'"));
}

// What a program beside its metadata computes of {10, 100, 200, 255}; empty if it is refused.
std::vector<float> OutputsOf(const std::string& model, const std::string& metadata) {
  Network net;
  if (!net.load_model(model.data(), model.size(), metadata.c_str())) return {};
  const uint8_t data[4] = {10, 100, 200, 255};
  if (net.inputs.size() != 1 || !net.inputs[0].assign(data, sizeof(data))) return {};
  if (!net.predict() || net.outputs.size() != 1) return {};
  return Values(net.outputs[0]);
}

// How many changes of one byte of `text` make `run` give something else than `expected`. The
// changed text is whole again after each.
int ChangesWithEffect(std::string& text, const std::vector<float>& expected,
                      const std::function<std::vector<float>()>& run) {
  int changed = 0;
  for (char& byte : text) {
    const char original = byte;
    for (const int flip : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
      byte = static_cast<char>(original ^ flip);
      const std::vector<float> outputs = run();
      changed += !outputs.empty() && outputs != expected;
    }
    byte = original;
  }
  return changed;
}

TEST(NetworkTest, NoChangedByteOfAProgramAndItsMetadataChangesTheOutputs) {
  const TensorType type{InternalType::kUint8, {4}, QuantParams::Affine(0.5f, 3)};
  std::string model =
      ::synap_internal::MakeProgram("reshape", {{"shape", std::vector<int64_t>{4}}}, {type}, type);
  ModelMetadata described;
  described.inputs = {MakeMetadata("x", type)};
  described.inputs[0].scale = 2;
  described.inputs[0].mean = {1};
  described.outputs = {MakeMetadata("y", type)};
  const auto bytes = [](const std::string& text) {
    return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  };
  std::string metadata = *::synap_internal::AddChecksum(
      *::synap_internal::PrintModelMetadata(described), bytes(model));
  const std::vector<float> expected = OutputsOf(model, metadata);
  ASSERT_FALSE(expected.empty());
  const auto run = [&] { return OutputsOf(model, metadata); };
  testing::internal::CaptureStderr();  // thousands of errors
  const int in_model = ChangesWithEffect(model, expected, run);
  const int in_metadata = ChangesWithEffect(metadata, expected, run);
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(in_model, 0);
  EXPECT_EQ(in_metadata, 0);
}

TEST(NetworkTest, SaysWhatIsWrongWithAModel) {
  EXPECT_THAT(LoadError("no model"), HasSubstr("E:SyNAP: "));
  EXPECT_THAT(LoadError("no model"), HasSubstr("not a valid ZIP file"));
  EXPECT_THAT(LoadError(*::synap_internal::WriteBundle("EBGXsomething", FloatMetadata())),
              HasSubstr("0/model.nb: it is a binary for the NPU itself (EBGX)"));
  EXPECT_THAT(LoadError(*::synap_internal::WriteBundle("damaged program!", FloatMetadata())),
              HasSubstr("0/model.nb: "));
  ModelMetadata metadata = FloatMetadata();
  metadata.delegate = "onnx cpu=1";
  EXPECT_THAT(LoadError(*::synap_internal::WriteBundle(FloatProgram(), metadata)),
              HasSubstr("delegate 'onnx cpu=1' is not supported yet"));
  metadata = FloatMetadata();
  metadata.outputs[0].shape = {5};
  EXPECT_THAT(LoadError(*::synap_internal::WriteBundle(FloatProgram(), metadata)),
              HasSubstr("output 'y' is float32 4 in the program and float32 5 in model.json"));
}

TEST(NetworkTest, RunsSubgraphsOneAfterTheOther) {
  // Subgraph 0 reads from 1; both values are outputs, one of them twice.
  const std::string program = FloatProgram();
  const BundlePart parts[] = {{program, FloatMetadata(), {{1, 0}}},
                              {program, FloatMetadata(), {{-1, 0}}}};
  const BundleEdge outputs[] = {{0, 0}, {1, 0}, {0, 0}};
  Network net;
  ASSERT_TRUE(Load(net, *::synap_internal::WriteBundle(parts, outputs)));
  const float data[4] = {1, 2, 3, 4};
  ASSERT_TRUE(net.inputs[0].assign(data, 4));
  ASSERT_TRUE(net.predict());
  for (const Tensor& output : net.outputs) EXPECT_THAT(Values(output), ElementsAre(1, 2, 3, 4));
}

TEST(TensorTest, ChecksSizesOfWhatIsAssigned) {
  Network net;
  ASSERT_TRUE(Load(net, Uint8Model()));
  Tensor& x = net.inputs[0];
  const float floats[4] = {};
  EXPECT_TRUE(x.assign(floats, 4));
  EXPECT_FALSE(x.assign(floats, 3));
  EXPECT_FALSE(x.assign(static_cast<const void*>(floats), sizeof(floats)));
  EXPECT_TRUE(x.assign(static_cast<const void*>(floats), 4));
  EXPECT_FALSE(x.assign(7));  // no scalar
}

TEST(TensorTest, CopiesTensorsOfTheSameType) {
  Network a, b, c;
  ASSERT_TRUE(Load(a, Uint8Model()) && Load(b, Uint8Model()));
  ASSERT_TRUE(Load(c, *::synap_internal::WriteBundle(FloatProgram(), FloatMetadata())));
  const uint8_t data[4] = {1, 2, 3, 4};
  a.inputs[0].assign(data, 4);
  EXPECT_TRUE(b.inputs[0].assign(a.inputs[0]));
  EXPECT_EQ(std::memcmp(b.inputs[0].data(), data, 4), 0);
  EXPECT_FALSE(c.inputs[0].assign(a.inputs[0]));
}

TEST(TensorTest, GivesTypedDataOnlyWhereNothingIsConverted) {
  Network net;
  ASSERT_TRUE(Load(net, Uint8Model()));
  EXPECT_NE(net.inputs[0].data<uint8_t>(), nullptr);  // 255 * 1 / 255
  EXPECT_EQ(net.inputs[0].data<int8_t>(), nullptr);
  EXPECT_EQ(net.outputs[0].data<uint8_t>(), nullptr);  // has to be dequantized
  EXPECT_NE(net.outputs[0].data(), nullptr);
}

TEST(TensorTest, ConvertsFromEveryIntegerOrCopies) {
  Network net;
  ASSERT_TRUE(Load(net, *::synap_internal::WriteBundle(FloatProgram(), FloatMetadata())));
  Tensor& x = net.inputs[0];
  const uint16_t u16[4] = {0, 1, 2, 65535};
  ASSERT_TRUE(x.assign(u16, 4));
  EXPECT_THAT(Values(x), ElementsAre(0, 1, 2, 65535));
  const int32_t i32[4] = {-1, 0, 1, 1 << 20};
  ASSERT_TRUE(x.assign(i32, 4));
  EXPECT_THAT(Values(x), ElementsAre(-1, 0, 1, 1 << 20));
  const uint32_t bits[4] = {0x3F800000, 0x40000000, 0, 0};
  ASSERT_TRUE(x.assign(bits, 4));
  EXPECT_EQ(Values(x)[0], 0x3F800000);
  ASSERT_TRUE(x.assign(bits, sizeof(bits)));  // raw
  EXPECT_THAT(Values(x), ElementsAre(1, 2, 0, 0));
  EXPECT_FALSE(x.assign(u16, 5));
}

TEST(TensorTest, ReadsTypedDataOfAConstTensor) {
  Network net;
  ASSERT_TRUE(Load(net, Uint8Model()));
  const Tensor& x = net.inputs[0];
  EXPECT_EQ(x.data<uint8_t>(), nullptr);  // no data yet
  EXPECT_EQ(net.inputs[0].data<float>(), nullptr);
  EXPECT_EQ(net.inputs[0].buffer()->size(), 0);  // still without memory
  ASSERT_NE(net.inputs[0].data<uint8_t>(), nullptr);
  EXPECT_EQ(x.data<uint8_t>(), x.data());
  EXPECT_EQ(x.data<int16_t>(), nullptr);
}

TEST(TensorTest, AssignsScalars) {
  TensorMetadata x = MakeMetadata("w", {InternalType::kInt32, {1}, {}});
  x.data_format = "tensor_dim=640";
  const TensorMetadata y = MakeMetadata("y", {InternalType::kInt32, {1, 1}, {}});
  Network net;
  ASSERT_TRUE(Load(net, ::synap_internal::MakeReshapeModel(x, y)));
  ASSERT_TRUE(net.inputs[0].is_scalar());
  ASSERT_TRUE(net.inputs[0].assign(320));
  EXPECT_EQ(*static_cast<int32_t*>(net.inputs[0].data()), 16384);
  EXPECT_FALSE(net.inputs[0].assign(std::numeric_limits<int32_t>::max()));
}

TEST(TensorTest, HasNoValuesBeforeItHasData) {
  Network net;
  ASSERT_TRUE(Load(net, Uint8Model()));
  EXPECT_EQ(net.outputs[0].as_float(), nullptr);
  EXPECT_EQ(last_error(), "tensor 'y' has no data; run the network before");
  EXPECT_EQ(net.inputs[0].as_float(), nullptr);
  EXPECT_EQ(last_error(), "tensor 'x' has no data; assign data before");
  clear_last_error();
  EXPECT_FALSE(net.inputs[0].assign(net.outputs[0]));
  EXPECT_EQ(last_error(), "tensor 'y' has no data; run the network before");
  ASSERT_TRUE(net.outputs[0].set_buffer(nullptr));
  EXPECT_EQ(net.outputs[0].as_float(), nullptr);
  EXPECT_EQ(last_error(), "tensor 'y' has no buffer; call set_buffer() with one");
}

TEST(TensorTest, FailsWithoutMemory) {
  if (kEndsWithoutMemory) GTEST_SKIP() << "sanitizers end the process without memory";
  constexpr int64_t kItems = int64_t{100} << 20;  // more than malloc keeps
  const TensorMetadata x = MakeMetadata("x", {InternalType::kUint8, {kItems}, {}});
  const TensorMetadata y = MakeMetadata("y", {InternalType::kUint8, {1, kItems}, {}});
  Network net;
  ASSERT_TRUE(Load(net, ::synap_internal::MakeReshapeModel(x, y)));
  ASSERT_NE(net.inputs[0].data(), nullptr);
  const AddressSpaceLimit limit(kItems / 2);
  EXPECT_EQ(net.inputs[0].as_float(), nullptr);
  EXPECT_EQ(net.outputs[0].data(), nullptr);
  EXPECT_FALSE(net.predict());
}

TEST(BufferTest, NetworksShareAnEmptyBuffer) {
  Network a, b;
  ASSERT_TRUE(Load(a, Uint8Model()) && Load(b, Uint8Model()));
  Buffer shared;
  ASSERT_TRUE(a.inputs[0].set_buffer(&shared));
  ASSERT_TRUE(b.inputs[0].set_buffer(&shared));
  EXPECT_EQ(shared.size(), 4);
  EXPECT_FALSE(shared.resize(8));
  std::memset(shared.data(), 255, 4);
  ASSERT_TRUE(a.predict() && b.predict());
  EXPECT_EQ(b.outputs[0].as_float()[0], 1);
}

TEST(BufferTest, NetworksPassDataOnWithoutACopy) {
  Network a, b;
  ASSERT_TRUE(Load(a, Uint8Model()) && Load(b, Uint8Model()));
  ASSERT_TRUE(b.inputs[0].set_buffer(a.outputs[0].buffer()));
  const uint8_t data[4] = {255, 0, 255, 0};
  a.inputs[0].assign(data, 4);
  ASSERT_TRUE(a.predict() && b.predict());
  EXPECT_THAT(Values(b.outputs[0]), ElementsAre(1, 0, 1, 0));
}

TEST(BufferTest, AnOutputWritesIntoAPartOfAnotherBuffer) {
  Network a;
  ASSERT_TRUE(Load(a, Uint8Model()));
  Buffer large(128);
  *a.outputs[0].buffer() = Buffer(large, 64, 4);
  const uint8_t data[4] = {1, 2, 3, 4};
  a.inputs[0].assign(data, 4);
  ASSERT_TRUE(a.predict());
  EXPECT_EQ(std::memcmp(static_cast<uint8_t*>(large.data()) + 64, data, 4), 0);
  EXPECT_EQ(Buffer(large, 64, 65).size(), 0);
}

TEST(BufferTest, ATensorOutlivesItsBuffer) {
  Network net;
  ASSERT_TRUE(Load(net, Uint8Model()));
  {
    Buffer buffer(4);
    ASSERT_TRUE(net.inputs[0].set_buffer(&buffer));
  }
  EXPECT_EQ(net.inputs[0].buffer(), nullptr);
  EXPECT_EQ(net.inputs[0].data(), nullptr);
  EXPECT_FALSE(net.predict());
  Buffer wrong(5);
  EXPECT_FALSE(net.inputs[0].set_buffer(&wrong));
}

TEST(BufferTest, ATensorFollowsItsMovedBuffer) {
  Network net;
  ASSERT_TRUE(Load(net, Uint8Model()));
  std::vector<Buffer> buffers;
  buffers.emplace_back(size_t{4});
  ASSERT_TRUE(net.inputs[0].set_buffer(&buffers[0]));
  buffers.reserve(100);
  EXPECT_EQ(net.inputs[0].buffer(), &buffers[0]);
  EXPECT_TRUE(net.predict());
}

TEST(BufferTest, InputAndOutputMustNotShareMemory) {
  Network net;
  ASSERT_TRUE(Load(net, Uint8Model()));
  Buffer buffer(4);
  ASSERT_TRUE(net.inputs[0].set_buffer(&buffer) && net.outputs[0].set_buffer(&buffer));
  EXPECT_FALSE(net.predict());
}

TEST(BufferTest, NetworksUsePartsAtAnyOffset) {
  Network net, floats;
  ASSERT_TRUE(Load(net, Uint8Model()));
  ASSERT_TRUE(Load(floats, *::synap_internal::WriteBundle(FloatProgram(), FloatMetadata())));
  Buffer large(128);
  *net.inputs[0].buffer() = Buffer(large, 3, 4);
  *net.outputs[0].buffer() = Buffer(large, 9, 4);
  const uint8_t data[4] = {255, 0, 255, 0};
  ASSERT_TRUE(net.inputs[0].assign(data, 4));
  ASSERT_TRUE(net.predict());
  EXPECT_THAT(Values(net.outputs[0]), ElementsAre(1, 0, 1, 0));
  EXPECT_EQ(std::memcmp(static_cast<uint8_t*>(large.data()) + 9, data, 4), 0);

  *floats.inputs[0].buffer() = Buffer(large, 33, 16);
  *floats.outputs[0].buffer() = Buffer(large, 65, 16);
  const float values[4] = {1.5f, -2, 3, 4};
  ASSERT_TRUE(floats.inputs[0].assign(values, 4));
  EXPECT_EQ(floats.inputs[0].data<float>(), nullptr);  // not aligned
  ASSERT_TRUE(floats.predict());
  EXPECT_THAT(Values(floats.outputs[0]), ElementsAre(1.5f, -2, 3, 4));
}

}  // namespace
}  // namespace synaptics::synap
