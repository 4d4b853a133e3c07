#include "runtime/cli/input_values.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ostream>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/rounding.h"
#include "base/status_macros.h"
#include "runtime/vision/picture_tensors.h"
#include "synap/preprocessor.hpp"

namespace synap_internal {
namespace {

using synaptics::synap::DataType;
using synaptics::synap::InputData;
using synaptics::synap::Network;
using synaptics::synap::Preprocessor;
using synaptics::synap::Tensor;

constexpr absl::string_view kValue = "value:";

bool IsFloat(const Tensor& tensor) {
  return tensor.data_type() == DataType::float32 || tensor.data_type() == DataType::float16;
}

size_t ItemBytes(const Tensor& tensor) { return tensor.size() / tensor.item_count(); }

template <typename T>
bool AssignBytes(Tensor& tensor, const std::vector<T>& values) {
  return tensor.assign(static_cast<const void*>(values.data()), values.size() * sizeof(T));
}

template <typename T>
bool Fill(Tensor& tensor, T value) {
  return AssignBytes(tensor, std::vector<T>(tensor.item_count(), value));
}

// Sets every item to `value`, without normalization.
bool FillItems(Tensor& tensor, int32_t value) {
  if (tensor.data_type() == DataType::float32) return Fill(tensor, static_cast<float>(value));
  if (tensor.data_type() == DataType::float16) {
    return Fill(tensor, FloatToHalf(static_cast<float>(value)));
  }
  switch (ItemBytes(tensor)) {
    case 1:
      return Fill(tensor, static_cast<uint8_t>(value));
    case 2:
      return Fill(tensor, static_cast<uint16_t>(value));
    case 8:
      return Fill(tensor, int64_t{value});
    default:
      return Fill(tensor, value);
  }
}

template <typename T>
std::vector<T> RandomPixels(size_t count) {
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(std::rand() & 0xFF);
  return values;
}

bool FillRandom(Tensor& tensor) {
  const size_t count = tensor.item_count();
  if (IsFloat(tensor)) return tensor.assign(RandomPixels<float>(count).data(), count);
  switch (ItemBytes(tensor)) {
    case 4:
      return AssignBytes(tensor, RandomPixels<int32_t>(count));
    case 8:
      return AssignBytes(tensor, RandomPixels<int64_t>(count));
    default:
      return AssignBytes(tensor, RandomPixels<uint8_t>(tensor.size()));
  }
}

// An error whose reason is logged already, or OK.
absl::Status ToStatus(bool is_assigned) {
  return is_assigned ? absl::OkStatus() : absl::InternalError("Error assigning input to tensor.");
}

// Assigns the first bytes of a file to a scalar, as an integer of its size.
absl::Status AssignScalarFile(Tensor& tensor, const std::string& file) {
  ASSIGN_OR_RETURN(const std::string content, ReadFile(file));
  if (content.size() < tensor.size()) {
    return absl::InvalidArgumentError(absl::StrCat(file, ": has ", content.size(),
                                                   " bytes, expected at least the ", tensor.size(),
                                                   " of the scalar '", tensor.name(), "'"));
  }
  return ToStatus(tensor.assign(static_cast<const void*>(content.data()), tensor.size()));
}

bool ParseValue(const std::string& data, int32_t* value) {
  return absl::SimpleAtoi(data.substr(kValue.size()), value);
}

// Whether the argument is value:<n> with an n that is no integer.
bool IsBadValue(const std::string& data) {
  int32_t ignored = 0;
  return absl::StartsWith(data, kValue) && !ParseValue(data, &ignored);
}

bool IsGenerated(const std::string& data) { return data == "zero" || data == "random"; }

// REQUIRES: !IsBadValue(data).
bool AssignValue(Tensor& tensor, const std::string& data) {
  int32_t value = 0;
  if (!ParseValue(data, &value)) return false;
  return tensor.is_scalar() && !IsFloat(tensor) ? tensor.assign(value) : FillItems(tensor, value);
}

absl::Status AssignInput(Tensor& tensor, const std::string& data) {
  if (data == "zero") return ToStatus(FillItems(tensor, 0));
  if (data == "random") return ToStatus(FillRandom(tensor));
  if (absl::StartsWith(data, kValue)) return ToStatus(AssignValue(tensor, data));
  if (tensor.is_scalar()) return AssignScalarFile(tensor, data);
  return ToStatus(Preprocessor().assign(tensor, InputData(data)));
}

// A data argument and the inputs that it is for.
struct InputAssignment {
  std::string data;
  size_t index;
  size_t count;  // above 1: a picture's planes and the numbers of its region
};

bool IsFile(const std::string& data) {
  return !IsGenerated(data) && !absl::StartsWith(data, kValue);
}

// One argument for each input, or one file for all tensors of a picture. `fits`: whether there are
// as many as the network has inputs.
std::vector<InputAssignment> PlanInputs(const Network& network,
                                        const std::vector<std::string>& data, bool* fits) {
  std::vector<InputAssignment> plan;
  const bool has_all = data.size() == network.inputs.size();
  size_t next = 0;
  for (const std::string& argument : data) {
    const bool is_picture = !has_all && IsFile(argument) && next < network.inputs.size();
    const size_t count = is_picture ? FindPictureTensors(network.inputs, next).count() : 1;
    plan.push_back({argument, next, count});
    next += count;
  }
  *fits = next == network.inputs.size();
  return plan;
}

absl::Status Assign(Network& network, const InputAssignment& assignment) {
  if (assignment.count == 1) {
    return AssignInput(network.inputs[assignment.index], assignment.data);
  }
  return ToStatus(
      Preprocessor().assign(network.inputs, InputData(assignment.data), assignment.index));
}

}  // namespace

const char* SecureMark(Tensor& tensor) {
  const synaptics::synap::Buffer* const buffer = tensor.buffer();
  return buffer->size() != 0 && buffer->data() == nullptr ? " (secure)" : "";
}

std::string AssignInputs(Network& network, std::vector<std::string> data, std::ostream& out) {
  if (data.size() > network.inputs.size()) return "More data arguments than network inputs";
  if (std::any_of(data.begin(), data.end(), IsBadValue)) {
    return "A value:<n> must have an integer of 32 bits";
  }
  while (!data.empty() && IsGenerated(data.back()) && data.size() < network.inputs.size()) {
    data.push_back(data.back());
  }
  bool fits = false;
  const std::vector<InputAssignment> plan = PlanInputs(network, data, &fits);
  if (!fits) {
    return "Fewer data arguments than network inputs: give a file, zero, random or value:<n> for "
           "each, or one file for all tensors of a picture";
  }
  for (const InputAssignment& assignment : plan) {
    for (size_t i = 0; i < assignment.count; ++i) {
      Tensor& tensor = network.inputs[assignment.index + i];
      out << "Input buffer: " << tensor.name() << " size: " << tensor.size() << SecureMark(tensor)
          << " : " << assignment.data << "\n";
    }
    const absl::Status status = Assign(network, assignment);
    if (!status.ok()) return std::string(status.message());
  }
  return "";
}

}  // namespace synap_internal
