#include "compiler/export/onnx/node_attributes.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace synap_internal::onnx_export {
namespace {

struct AttributeSetter {
  onnx::AttributeProto& attribute;

  void operator()(int64_t value) const {
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(value);
  }
  void operator()(float value) const {
    attribute.set_type(onnx::AttributeProto::FLOAT);
    attribute.set_f(value);
  }
  void operator()(const std::string& value) const {
    attribute.set_type(onnx::AttributeProto::STRING);
    attribute.set_s(value);
  }
  void operator()(const std::vector<int64_t>& values) const {
    attribute.set_type(onnx::AttributeProto::INTS);
    attribute.mutable_ints()->Add(values.begin(), values.end());
  }
  void operator()(const std::vector<float>& values) const {
    attribute.set_type(onnx::AttributeProto::FLOATS);
    attribute.mutable_floats()->Add(values.begin(), values.end());
  }
};

}  // namespace

void AddAttributes(const Attributes& attributes, onnx::NodeProto& node) {
  for (const auto& [name, value] : attributes) {
    onnx::AttributeProto* attribute = node.add_attribute();
    attribute->set_name(name);
    std::visit(AttributeSetter{*attribute}, value);
  }
}

}  // namespace synap_internal::onnx_export
