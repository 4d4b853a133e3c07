// Options tables of TensorFlow Lite operators.
#ifndef COMPILER_EXPORT_TFLITE_OPERATOR_OPTIONS_H_
#define COMPILER_EXPORT_TFLITE_OPERATOR_OPTIONS_H_

#include <cstddef>
#include <functional>

#include "base/shape.h"
#include "compiler/import/tflite/model_generated.h"

namespace synap_internal::tflite_export {

using FileBuilder = flatbuffers::FlatBufferBuilder;

// A table as a member of the union BuiltinOptions.
struct OptionsUnion {
  tflite::BuiltinOptions type = tflite::BuiltinOptions::NONE;
  flatbuffers::Offset<void> offset;
};

// Writes an operator's options. Null: those that its kind has without anything to tell.
using Options = std::function<OptionsUnion(FileBuilder&)>;

template <typename T>
OptionsUnion AsUnion(flatbuffers::Offset<T> options) {
  return {tflite::BuiltinOptionsTraits<T>::enum_value, options.Union()};
}

// Options from a function of a FileBuilder that returns the table.
template <typename Make>
Options MakeOptions(Make make) {
  return [make](FileBuilder& builder) { return AsUnion(make(builder)); };
}

Options ReshapeTo(const Shape& shape);
Options GatherAlong(size_t axis);
Options ConcatenateAlong(size_t axis);
Options KeepDims(bool keep_dims);
Options CastBetween(tflite::TensorType from, tflite::TensorType to);

// Options of a kind of operator that has nothing to tell; without a type for kinds without any.
OptionsUnion WriteDefaultOptions(tflite::BuiltinOperator code, FileBuilder& builder);

}  // namespace synap_internal::tflite_export

#endif  // COMPILER_EXPORT_TFLITE_OPERATOR_OPTIONS_H_
