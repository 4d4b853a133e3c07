#include "kernels/image_to_tensor/image_to_tensor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/rounding.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

using image_to_tensor::Extent;
using image_to_tensor::Plan;
using image_to_tensor::Region;
using image_to_tensor::Tap;

constexpr int64_t kBlock = 16384;  // output pixels of a task
constexpr int64_t kMaxSide = 65535;
constexpr int64_t kMaxOutputSide = 32768;  // of larger ones the region's width isn't known exactly
constexpr size_t kRegionOperands = 4;

struct Settings {
  const PictureTypeRow* type = nullptr;
  std::vector<int64_t> size;  // OH, OW
  bool bgr = false;
  std::vector<float> mean, scale;
  DataType to = DataType::kFloat32;
};

// Types of outputs without a quantizer.
bool IsPlain(DataType type) {
  return type == DataType::kFloat32 || type == DataType::kFloat16 || type == DataType::kUint8;
}

bool IsPerChannel(const std::vector<float>& values, const PictureTypeRow& type) {
  return values.size() == 1 || values.size() == static_cast<size_t>(type.channels());
}

absl::Status CheckSettings(const Settings& settings) {
  for (const int64_t side : settings.size) {
    if (side >= 1 && side <= kMaxOutputSide) continue;
    return absl::InvalidArgumentError(absl::StrCat("size has ", side, ", expected 1 to ",
                                                   kMaxOutputSide, " (image_to_tensor_c4)"));
  }
  const auto is_zero = [](float scale) { return scale == 0; };
  if (!IsPerChannel(settings.mean, *settings.type) ||
      !IsPerChannel(settings.scale, *settings.type) ||
      std::any_of(settings.scale.begin(), settings.scale.end(), is_zero)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "mean has ", settings.mean.size(), " and scale ", settings.scale.size(),
        " values, expected 1 or ", settings.type->channels(), ", no scale 0 (image_to_tensor_c5)"));
  }
  if (IsPlain(settings.to)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "to is ", Name(settings.to), ", expected float32, float16 or uint8 (image_to_tensor_c6)"));
}

absl::StatusOr<Settings> ReadSettings(const Attributes& attributes) {
  AttributeReader reader(attributes);
  Settings settings;
  const std::string type = reader.RequiredString("type");
  settings.size = reader.RequiredInts("size", 2);
  settings.bgr = reader.Int("bgr", 0) != 0;
  settings.mean = reader.Floats("mean", -1, {0});
  settings.scale = reader.Floats("scale", -1, {1});
  const std::string to = reader.String("to", "float32");
  RETURN_IF_ERROR(reader.Finish());
  settings.type = FindPictureType(type);
  if (settings.type == nullptr) {
    const std::string names = absl::StrJoin(
        kPictureTypes, ", ",
        [](std::string* out, const PictureTypeRow& row) { absl::StrAppend(out, row.name); });
    return absl::InvalidArgumentError(
        absl::StrCat("type is '", type, "', expected one of ", names, " (image_to_tensor_c1)"));
  }
  ASSIGN_OR_RETURN(settings.to, ParseDataType(to));
  RETURN_IF_ERROR(CheckSettings(settings));
  return settings;
}

Shape PlaneShape(const PictureTypeRow& type, const PicturePlane& plane, int64_t height,
                 int64_t width) {
  if (type.planar) return Shape({1, plane.channels, height, width});
  const int64_t part = plane.halved ? 2 : 1;
  return Shape({1, height / part, width / part, plane.channels});
}

// Height and width of the picture, by its first plane.
std::pair<int64_t, int64_t> PictureSize(const PictureTypeRow& type, const Shape& first) {
  return type.planar ? std::make_pair(first[2], first[3]) : std::make_pair(first[1], first[2]);
}

absl::Status CheckPlanes(const PictureTypeRow& type, absl::Span<const TensorType> inputs) {
  const auto wrong = [&](size_t i, absl::string_view expected) {
    return absl::InvalidArgumentError(
        absl::StrCat("plane ", i, " of ", type.name, " is ", Name(inputs[i].dtype), " ",
                     inputs[i].shape.ToString(), ", expected ", expected, " (image_to_tensor_c2)"));
  };
  if (inputs[0].shape.rank() != 4) return wrong(0, "uint8 with 4 dimensions");
  const auto [height, width] = PictureSize(type, inputs[0].shape);
  const bool fits = std::min(height, width) >= 1 && std::max(height, width) <= kMaxSide;
  if (!fits) return wrong(0, absl::StrCat("1 to ", kMaxSide, " rows and columns"));
  if (type.has_halved_plane() && (height % 2 != 0 || width % 2 != 0)) {
    return wrong(0, "an even number of rows and of columns");
  }
  for (size_t i = 0; i < static_cast<size_t>(type.planes); ++i) {
    const Shape expected = PlaneShape(type, type.plane[i], height, width);
    if (inputs[i].dtype == DataType::kUint8 && !inputs[i].quant.quantized() &&
        inputs[i].shape == expected) {
      continue;
    }
    return wrong(i, absl::StrCat("uint8 ", expected.ToString(), " without a quantizer"));
  }
  return absl::OkStatus();
}

absl::Status CheckInputs(const PictureTypeRow& type, absl::Span<const TensorType> inputs) {
  const auto planes = static_cast<size_t>(type.planes);
  if (inputs.size() != planes && inputs.size() != planes + kRegionOperands) {
    return absl::InvalidArgumentError(
        absl::StrCat("has ", inputs.size(), " operands for ", type.name, ", expected ", planes,
                     ", or ", planes + kRegionOperands, " with a region (image_to_tensor_c3)"));
  }
  for (size_t i = planes; i < inputs.size(); ++i) {
    if (inputs[i].dtype == DataType::kInt32 && inputs[i].shape.elements() == 1) continue;
    return absl::InvalidArgumentError(absl::StrCat("operand ", i, " is ", Name(inputs[i].dtype),
                                                   " ", inputs[i].shape.ToString(),
                                                   ", expected one int32 (image_to_tensor_c3)"));
  }
  return CheckPlanes(type, inputs);
}

absl::StatusOr<std::vector<TensorType>> Infer(const InferContext& context) {
  ASSIGN_OR_RETURN(const Settings settings, ReadSettings(context.attributes));
  RETURN_IF_ERROR(CheckInputs(*settings.type, context.inputs));
  const Shape out({1, settings.size[0], settings.size[1], settings.type->channels()});
  return std::vector<TensorType>{{settings.to, out, {}}};
}

int32_t Quantized(float value, const QuantParams& quant, const IntegerRange& range) {
  const auto zero_point = static_cast<float>(quant.zero_point());
  float scaled = value * (1.0f / (quant.quantized() ? quant.scale() : 1.0f)) + zero_point;
  if (std::isnan(scaled)) scaled = zero_point;
  return static_cast<int32_t>(RoundHalfEven(
      std::clamp(scaled, static_cast<float>(range.min), static_cast<float>(range.max))));
}

// Stores `value` as an element of `type`, 4 bytes at most.
void StoreElement(const TensorType& type, float value, uint8_t* to) {
  if (type.dtype == DataType::kFloat32) {
    std::memcpy(to, &value, sizeof(value));
  } else if (type.dtype == DataType::kFloat16) {
    const uint16_t half = FloatToHalf(value);
    std::memcpy(to, &half, sizeof(half));
  } else {
    // Little endian: the low bytes are first.
    const int32_t integer = Quantized(value, type.quant, RangeOf(type.dtype));
    std::memcpy(to, &integer, SizeOf(type.dtype));
  }
}

std::vector<uint8_t> MakeTable(const Settings& settings, const TensorType& out) {
  const auto channels = static_cast<size_t>(settings.type->channels());
  const size_t bytes = SizeOf(out.dtype);
  std::vector<uint8_t> table(channels * 256 * bytes);
  for (size_t c = 0; c < channels; ++c) {
    const float mean = settings.mean[settings.mean.size() == 1 ? 0 : c];
    const float factor = 1.0f / settings.scale[settings.scale.size() == 1 ? 0 : c];
    for (size_t byte = 0; byte < 256; ++byte) {
      const float value = static_cast<float>(byte) * factor - mean * factor;
      StoreElement(out, value, table.data() + (c * 256 + byte) * bytes);
    }
  }
  return table;
}

bool IsCopy(const Plan& plan) {
  if (SizeOf(plan.out_type) != 1) return false;
  for (size_t i = 0; i < plan.table.size(); ++i) {
    if (plan.table[i] != i % 256) return false;
  }
  return true;
}

void FindComponents(const PictureTypeRow& type, Plan& plan) {
  for (int i = 0; i < plan.channels; ++i) {
    const PictureComponent& place = type.component[i];
    const PicturePlane& plane = type.plane[place.plane];
    auto& component = plan.component[i];
    component.plane = static_cast<size_t>(place.plane);
    component.shift = plane.halved ? 1 : 0;
    component.step = type.planar ? 1 : plane.channels;
    component.offset = type.planar ? place.channel * plan.height * plan.width : place.channel;
    component.row_stride = (plan.width >> component.shift) * component.step;
  }
}

absl::StatusOr<Plan> MakePlan(const PrepareContext& context) {
  ASSIGN_OR_RETURN(const Settings settings, ReadSettings(context.attributes));
  const TensorType& out = context.outputs[0];
  const bool has_kernel = out.quant.quantized()
                              ? HoldsActivations(out.dtype) && out.quant.scales.size() == 1
                              : IsPlain(out.dtype);
  if (!has_kernel) {
    return absl::UnimplementedError(
        absl::StrCat("no kernel for uint8 to ", Name(out.dtype),
                     out.quant.quantized() ? "" : " without a quantizer"));
  }
  const PictureTypeRow& type = *settings.type;
  Plan plan;
  plan.colours = type.colours;
  plan.planes = static_cast<size_t>(type.planes);
  plan.has_region = context.inputs.size() > plan.planes;
  plan.bgr = settings.bgr;
  std::tie(plan.height, plan.width) = PictureSize(type, context.inputs[0].shape);
  plan.out_height = settings.size[0];
  plan.out_width = settings.size[1];
  plan.channels = type.channels();
  plan.out_type = out.dtype;
  plan.table = MakeTable(settings, out);
  plan.is_copy = IsCopy(plan);
  FindComponents(type, plan);
  return plan;
}

size_t TapBytes(const Plan& plan) { return static_cast<size_t>(plan.out_width) * sizeof(Tap); }

void RunFast(const Plan& plan, const KernelArgs& args) {
  const Region region = image_to_tensor::RegionOf(plan, args);
  const auto tap = plan.is_nearest() ? &image_to_tensor::NearestTap : &image_to_tensor::LinearTap;
  auto* const columns = reinterpret_cast<Tap*>(args.shared);
  for (int64_t x = 0; x < plan.out_width; ++x) {
    columns[x] = tap(region.columns, plan.out_width, x);
  }
  const int64_t rows = std::max<int64_t>(1, kBlock / plan.out_width);
  args.pool->ParallelFor((plan.out_height + rows - 1) / rows, [&](int64_t task, int worker) {
    image_to_tensor::FastRows(plan, args, region, columns, task * rows,
                              std::min(plan.out_height, (task + 1) * rows),
                              args.WorkerScratch(worker));
  });
}

absl::StatusOr<Kernel> Prepare(const PrepareContext& context) {
  ASSIGN_OR_RETURN(Plan made, MakePlan(context));
  const auto plan = std::make_shared<const Plan>(std::move(made));
  if (context.path == KernelPath::kReference) {
    return Kernel{[plan](const KernelArgs& args) {
      image_to_tensor::Reference(*plan, args, image_to_tensor::RegionOf(*plan, args), 0,
                                 plan->out_height);
    }};
  }
  Kernel kernel{[plan](const KernelArgs& args) { RunFast(*plan, args); }};
  kernel.scratch_bytes = image_to_tensor::ScratchBytes(*plan);
  kernel.shared_bytes = TapBytes(*plan);
  return kernel;
}

// The products of the colours, of the weights of four pixels and of the normalization.
OpCost Cost(absl::Span<const TensorType>, absl::Span<const TensorType> outputs) {
  return {.macs = 0, .ops = 8 * outputs[0].shape.elements()};
}

int64_t Clamp(int64_t value, int64_t low, int64_t high) { return std::clamp(value, low, high); }

// The part of `side` columns or rows that the operands choose: `ratio` of an output of `out`.
Extent ExtentOf(int64_t side, int64_t out, int32_t ratio, int32_t begin) {
  const int64_t size = (int64_t{ratio} * out + 32767) >> 15;
  Extent extent;
  extent.begin = Clamp(begin, 0, side - 1);
  extent.size = Clamp(size, 1, side - extent.begin);
  return extent;
}

}  // namespace

namespace image_to_tensor {

Region RegionOf(const Plan& plan, const KernelArgs& args) {
  if (!plan.has_region) return {{0, plan.width}, {0, plan.height}};
  const auto operand = [&](size_t i) { return *args.input<int32_t>(plan.planes + i); };
  return {ExtentOf(plan.width, plan.out_width, operand(0), operand(2)),
          ExtentOf(plan.height, plan.out_height, operand(1), operand(3))};
}

Tap NearestTap(const Extent& extent, int64_t out_size, int64_t at) {
  const int64_t step = (extent.size << 16) / out_size + 1;
  const auto index =
      static_cast<int32_t>(extent.begin + std::min((at * step) >> 16, extent.size - 1));
  return {index, index, 0};
}

Tap LinearTap(const Extent& extent, int64_t out_size, int64_t at) {
  const int64_t ratio = (extent.size << 15) / out_size;
  const int64_t position = std::max<int64_t>(0, at * ratio + (ratio >> 1) - 16384);
  const int64_t last = extent.size - 1;
  const int64_t index = position >> 15;
  if (index >= last) {
    const auto end = static_cast<int32_t>(extent.begin + last);
    return {end, end, 0};
  }
  const auto first = static_cast<int32_t>(extent.begin + index);
  return {first, first + 1, static_cast<int32_t>(((position & 32767) + 16) >> 5)};
}

}  // namespace image_to_tensor

absl::Span<const OpDef> ImageToTensorOps() {
  static const auto* const ops = new std::vector<OpDef>{OpDef{
      .name = "image_to_tensor",
      .operands = {OperandRole::kIndex},
      .required = 1,
      .variadic = true,
      .own_types = OwnTypes::kAny,
      .infer = &Infer,
      .prepare = &Prepare,
      .cost = &Cost,
  }};
  return *ops;
}

}  // namespace synap_internal
