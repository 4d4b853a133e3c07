// Profiles of vendors' tools: what of ONNX a tool takes, and in which form. Each is a file of
// profiles/, or one of the user's own. Generic code asks a profile's fields, never its name.
#ifndef COMPILER_EXPORT_ONNX_EXPORT_PROFILE_H_
#define COMPILER_EXPORT_ONNX_EXPORT_PROFILE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/export/onnx/opset.h"

namespace synap_internal {

// Types of a network's inputs and outputs.
enum class EndForm : uint8_t {
  kStored,  // those of the graph, integers with a quantizer among them
  kFloat,   // float32 where the graph has a quantizer, which the file applies
};

// Biases of layers of 8 bits.
enum class BiasForm : uint8_t {
  kInt32,  // behind a DequantizeLinear
  kFloat,  // the real numbers
};

// Activations and weights of 8 bits.
enum class EightBitForm : uint8_t {
  kStored,         // uint8 or int8, with any zero point
  kSymmetricInt8,  // int8 with zero point 0: where it is another one, the steps become longer
};

// Activations and weights of 16 bits.
enum class SixteenBitForm : uint8_t {
  kStored,
  kFloat,   // the layers compute in float32. So they do in any opset without 16 bits
  kUint16,  // activations have no sign: the same numbers, each zero point 32768 higher
};

// The clamp (Relu, Clip) after a layer that is quantized with it as one.
enum class ClampForm : uint8_t {
  kJoined,  // the layer, a Relu or Clip, a QuantizeLinear
  kApart,   // each quantized, with the same result: the layer, a Relu or Max, a Min. Limits at the
            // ends of the integers' range are left out
};

// Indexed by EndForm, BiasForm, EightBitForm, SixteenBitForm and ClampForm: the words of a profile.
inline constexpr absl::string_view kEndWords[] = {"stored", "float"};
inline constexpr absl::string_view kBiasWords[] = {"int32", "float"};
inline constexpr absl::string_view kEightBitWords[] = {"stored", "symmetric_int8"};
inline constexpr absl::string_view kSixteenBitWords[] = {"stored", "float", "uint16"};
inline constexpr absl::string_view kClampWords[] = {"joined", "apart"};

// An operator that can be written as several others, and the opset that has it.
struct ComposableOperator {
  absl::string_view op_type;
  int64_t since;
};
inline constexpr ComposableOperator kComposable[] = {
    {"Gelu", 20}, {"HardSwish", 14}, {"LayerNormalization", 17}, {"Mish", 18}};

// The nodes that meet all that is given here.
struct NodeCondition {
  std::vector<std::string> operators;  // one of these; empty: any
  std::vector<int> types;              // TensorProto::DataType of an input or output; empty: any
  std::optional<int64_t> rank_above;   // of an input or output
  bool dynamic = false;                // only those with a dimension that isn't known
};

// What becomes of a node that meets a limit.
enum class LimitEffect : uint8_t {
  kRefused,    // so that the tool takes nothing of the model
  kProcessor,  // it is computed on the processor instead of the NPU
};
// Indexed by LimitEffect.
inline constexpr absl::string_view kLimitEffectWords[] = {"refused", "processor"};

struct ProfileLimit {
  NodeCondition when;
  LimitEffect effect = LimitEffect::kRefused;
  std::string sentence;  // of the tool, without a full stop: "it has no such operator"
};

// A form that the tool asks for.
struct ProfileWish {
  std::string field;  // "opset"
  std::string sentence;
  bool preferred = false;  // the tool takes other forms too
};

struct ExportProfile {
  std::string name;  // "rknn"; "": no tool's
  std::string tool;  // with the version that the file was tried with
  int64_t opset = onnx_export::kNewestOpset;
  EndForm ends = EndForm::kStored;
  BiasForm biases = BiasForm::kInt32;
  EightBitForm eight_bits = EightBitForm::kStored;
  SixteenBitForm sixteen_bits = SixteenBitForm::kStored;
  ClampForm clamps = ClampForm::kJoined;
  std::vector<std::string> compose;  // of kComposable: those that the tool has no code for
  std::vector<ProfileWish> wishes;   // the fields above that the file gives, with their reasons
  std::vector<ProfileLimit> limits;

  // The sentence of the wish for that field; "" without one.
  absl::string_view Reason(absl::string_view field) const;
  // Whether the tool refuses other forms of the field than the one that the profile wishes.
  bool Insists(absl::string_view field) const;
  // Whether a node may be of that operator of kComposable.
  bool MayHave(absl::string_view op_type) const;
};

// Names of the profiles in profiles/, in their order: "openvino, ort".
std::string ProfileNames();

// A name, or the path of a profile's file, which has a slash or ends in ".yaml". NotFound with all
// names; InvalidArgument naming the file, its line and the field.
absl::StatusOr<ExportProfile> FindOrLoadProfile(const std::string& name_or_path);

}  // namespace synap_internal

#endif  // COMPILER_EXPORT_ONNX_EXPORT_PROFILE_H_
