#include "kernels/testing/conformance.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/rounding.h"
#include "gtest/gtest.h"
#include "hwy/targets.h"
#include "kernels/emulated_types.h"

namespace synap_internal {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kPadding = 64;
constexpr uint8_t kPoison = 0xC3;

std::vector<TensorType> InputTypes(const OpCase& op_case) {
  std::vector<TensorType> types;
  for (const TestTensor& input : op_case.inputs) types.push_back(input.type());
  return types;
}

struct Prepared {
  std::vector<TensorType> outputs;
  Kernel kernel;
};

absl::StatusOr<Prepared> PrepareCase(const OpDef& op, const OpCase& op_case, KernelPath path) {
  const std::vector<TensorType> inputs = InputTypes(op_case);
  absl::StatusOr<std::vector<TensorType>> inferred = InferOp(op, {inputs, op_case.attributes});
  if (!inferred.ok()) return inferred.status();
  Prepared prepared;
  prepared.outputs = *std::move(inferred);
  for (size_t i = 0; i < op_case.outputs.size(); ++i) {
    prepared.outputs[i].dtype = op_case.outputs[i].dtype;
    prepared.outputs[i].quant = op_case.outputs[i].quant;
  }
  std::vector<const void*> constants(op_case.inputs.size());
  for (size_t i = 0; i < op_case.constant.size(); ++i) {
    if (op_case.constant[i]) constants[i] = op_case.inputs[i].data();
  }
  absl::StatusOr<Kernel> kernel =
      PrepareOp(op, {inputs, prepared.outputs, constants, op_case.attributes, path});
  if (!kernel.ok()) return kernel.status();
  prepared.kernel = *std::move(kernel);
  return prepared;
}

// Scratch memory for all workers, with a poisoned tail.
class Scratch {
 public:
  Scratch(size_t bytes, int workers)
      : stride_((bytes + kAlignment - 1) / kAlignment * kAlignment),
        storage_(stride_ * static_cast<size_t>(workers) + kAlignment + kPadding, kPoison) {
    const auto address = reinterpret_cast<uintptr_t>(storage_.data());
    offset_ = (kAlignment - address % kAlignment) % kAlignment;
    end_ = offset_ + stride_ * static_cast<size_t>(workers);
  }
  uint8_t* data() { return storage_.data() + offset_; }
  size_t stride() const { return stride_; }
  bool Intact() const {
    return std::all_of(storage_.begin() + static_cast<ptrdiff_t>(end_), storage_.end(),
                       [](uint8_t byte) { return byte == kPoison; });
  }

 private:
  size_t stride_;
  std::vector<uint8_t> storage_;
  size_t offset_;
  size_t end_;
};

// Index of the first byte that differs, for messages.
std::string FirstDifference(const TestTensor& expected, const TestTensor& actual) {
  const std::vector<uint8_t> a = expected.bytes(), b = actual.bytes();
  const auto mismatch = std::mismatch(a.begin(), a.end(), b.begin());
  const size_t byte = static_cast<size_t>(mismatch.first - a.begin());
  const size_t element = byte / SizeOf(expected.type().dtype);
  std::string text = absl::StrCat("element ", element, " of ", expected.type().shape.ToString());
  if (expected.type().dtype == DataType::kFloat32) {
    absl::StrAppend(&text, ": expected ", expected.values<float>()[element], ", found ",
                    actual.values<float>()[element]);
  } else {
    absl::StrAppend(&text, ": first byte expected ", a[byte], ", found ", b[byte]);
  }
  return text;
}

}  // namespace

TestTensor::TestTensor(TensorType type) : type_(std::move(type)) {
  CHECK(type_.shape.Validate().ok());
  const size_t size = static_cast<size_t>(type_.bytes());
  storage_.assign(size + kAlignment + 2 * kPadding, kPoison);
  const auto address = reinterpret_cast<uintptr_t>(storage_.data()) + kPadding;
  offset_ = kPadding + (kAlignment - address % kAlignment) % kAlignment;
}

void TestTensor::CopyFrom(const void* data, size_t size) {
  CHECK(size == static_cast<size_t>(type_.bytes()));
  if (size > 0) std::memcpy(storage_.data() + offset_, data, size);
}

std::vector<uint8_t> TestTensor::bytes() const {
  const auto* begin = storage_.data() + offset_;
  return std::vector<uint8_t>(begin, begin + type_.bytes());
}

void MergeNans(DataType dtype, absl::Span<uint8_t> bytes) {
  if (dtype != DataType::kFloat32) return;
  for (size_t i = 0; i + sizeof(float) <= bytes.size(); i += sizeof(float)) {
    float value;
    std::memcpy(&value, &bytes[i], sizeof(value));
    if (std::isnan(value)) std::memset(&bytes[i], 0xFF, sizeof(value));
  }
}

bool TestTensor::PaddingIntact() const {
  if (!type_.present()) return true;
  const auto poisoned = [](uint8_t byte) { return byte == kPoison; };
  const auto end = storage_.begin() + static_cast<ptrdiff_t>(offset_) + type_.bytes();
  return std::all_of(storage_.begin(), storage_.begin() + static_cast<ptrdiff_t>(offset_),
                     poisoned) &&
         std::all_of(end, storage_.end(), poisoned);
}

uint64_t TestRandom::Next() {
  state_ ^= state_ >> 12;
  state_ ^= state_ << 25;
  state_ ^= state_ >> 27;
  return state_ * 0x2545F4914F6CDD1Du;
}

int64_t TestRandom::Integer(int64_t min, int64_t max) {
  return min + static_cast<int64_t>((Next() >> 16) % static_cast<uint64_t>(max - min + 1));
}

float TestRandom::Float(float min, float max) {
  return min + (max - min) * (static_cast<float>(Next() >> 40) * 0x1p-24f);
}

namespace {

template <typename T, typename F>
void Fill(TestTensor& tensor, F next) {
  T* data = static_cast<T*>(tensor.data());
  for (int64_t i = 0; i < tensor.type().shape.elements(); ++i) data[i] = static_cast<T>(next());
}

}  // namespace

TestTensor RandomTensor(TensorType type, TestRandom& random) {
  TestTensor tensor(std::move(type));
  const DataType dtype = tensor.type().dtype;
  switch (dtype) {
    case DataType::kFloat32:
      Fill<float>(tensor, [&] { return random.Float(-2, 2); });
      break;
    case DataType::kInt64:
      Fill<int64_t>(tensor, [&] { return random.Integer(0, 7); });
      break;
    case DataType::kInt32:
      Fill<int32_t>(tensor, [&] { return random.Integer(-100000, 100000); });
      break;
    case DataType::kFloat16:
      Fill<uint16_t>(tensor, [&] { return FloatToHalf(random.Float(-2, 2)); });
      break;
    case DataType::kInt16:
    case DataType::kUint16:
      Fill<uint16_t>(tensor, [&] { return random.Integer(0, 0xFFFF); });
      break;
    default: {
      const IntegerRange range = RangeOf(dtype);
      Fill<uint8_t>(tensor, [&] { return random.Integer(range.min, range.max); });
    }
  }
  return tensor;
}

std::vector<TestTensor> RunOp(const OpDef& op, const OpCase& op_case, KernelPath path,
                              int threads) {
  absl::StatusOr<Prepared> prepared = PrepareCase(op, op_case, path);
  if (!prepared.ok()) {
    ADD_FAILURE() << op.name << " " << op_case.name << ": " << prepared.status();
    return {};
  }
  std::vector<TestTensor> outputs;
  for (const TensorType& type : prepared->outputs) outputs.emplace_back(type);
  std::vector<const void*> input_data;
  std::vector<void*> output_data;
  for (const TestTensor& input : op_case.inputs) input_data.push_back(input.data());
  for (TestTensor& output : outputs) output_data.push_back(output.data());
  ThreadPool pool(threads);
  Scratch scratch(prepared->kernel.scratch_bytes, threads);
  Scratch shared(prepared->kernel.shared_bytes, 1);
  prepared->kernel.run(
      {input_data, output_data, &pool, scratch.data(), scratch.stride(), shared.data()});
  EXPECT_TRUE(scratch.Intact() && shared.Intact())
      << op.name << " " << op_case.name << " wrote behind its scratch";
  for (const TestTensor& output : outputs) {
    EXPECT_TRUE(output.PaddingIntact())
        << op.name << " " << op_case.name << " wrote outside its output";
  }
  return outputs;
}

std::vector<TestTensor> CheckConformance(const OpDef& op, const OpCase& op_case) {
  const std::vector<TestTensor> expected = RunOp(op, op_case);
  if (expected.empty()) return expected;
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    for (const int threads : {1, 2, 3}) {
      const std::vector<TestTensor> actual = RunOp(op, op_case, KernelPath::kFast, threads);
      if (actual.size() != expected.size()) break;
      for (size_t i = 0; i < expected.size(); ++i) {
        EXPECT_TRUE(expected[i].bytes() == actual[i].bytes())
            << op.name << " " << op_case.name << ", output " << i << ", target "
            << hwy::TargetName(target) << ", " << threads
            << " threads: " << FirstDifference(expected[i], actual[i]);
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return expected;
}

std::string RefusalOf(const OpDef& op, const OpCase& op_case) {
  const absl::StatusOr<Prepared> prepared = PrepareCase(op, op_case, KernelPath::kFast);
  return prepared.ok() ? "" : std::string(prepared.status().message());
}

}  // namespace synap_internal
