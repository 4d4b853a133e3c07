#include "compiler/graph/passes/op_attributes.h"

#include <string>
#include <variant>

namespace synap_internal {

const std::vector<int64_t>& IntsAttribute(const Op& op, absl::string_view name) {
  return std::get<std::vector<int64_t>>(op.attributes.find(name)->second);
}

int64_t IntAttribute(const Op& op, absl::string_view name, int64_t fallback) {
  const auto it = op.attributes.find(name);
  return it == op.attributes.end() ? fallback : std::get<int64_t>(it->second);
}

float FloatAttribute(const Op& op, absl::string_view name, float fallback) {
  const auto it = op.attributes.find(name);
  if (it == op.attributes.end()) return fallback;
  const int64_t* integer = std::get_if<int64_t>(&it->second);
  return integer != nullptr ? static_cast<float>(*integer) : std::get<float>(it->second);
}

std::optional<float> PadValue(const Op& op) {
  if (!op.Is(Movement::kPad)) return std::nullopt;
  const auto mode = op.attributes.find("mode");
  const bool is_constant =
      mode == op.attributes.end() || std::get<std::string>(mode->second) == "constant";
  if (!is_constant) return std::nullopt;
  return FloatAttribute(op, "value", 0);
}

bool HasClamp(const Op& op) { return op.attributes.count("min") + op.attributes.count("max") > 0; }

}  // namespace synap_internal
