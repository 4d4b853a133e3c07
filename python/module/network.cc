// Networks and tensors.
#include "synap/network.hpp"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstring>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "python/module/binding.h"
#include "runtime/api/tensor_quantizer.h"
#include "synap/tensor.hpp"

namespace synap_internal {
namespace {

namespace py = pybind11;
using synaptics::synap::Tensor;
using synaptics::synap::Tensors;

std::shared_ptr<SharedNetwork> LoadFile(const std::string& model, const std::string& meta,
                                        bool profiling) {
  auto shared = std::make_shared<SharedNetwork>();
  RunUnlocked([&] {
    shared->network.set_profiling(profiling);
    return shared->network.load_model(model, meta);
  });
  return shared;
}

std::shared_ptr<SharedNetwork> LoadMemory(const py::object& model,
                                          const std::optional<std::string>& meta, bool profiling) {
  auto shared = std::make_shared<SharedNetwork>();
  const Bytes bytes(model);
  RunUnlocked([&] {
    shared->network.set_profiling(profiling);
    return shared->network.load_model(bytes.data(), bytes.size(), meta ? meta->c_str() : nullptr);
  });
  return shared;
}

std::string Profile(SharedNetwork& shared) {
  std::string text;
  RunOn(shared, [&] {
    text = shared.network.profile();
    return true;
  });
  return text;
}

std::vector<SharedTensor> Share(const std::shared_ptr<SharedNetwork>& owner, Tensors& tensors) {
  std::vector<SharedTensor> shared;
  for (Tensor& tensor : tensors) shared.push_back({owner, &tensor});
  return shared;
}

// The name of a value type: "uint8", "nchw".
template <typename Value>
std::string Text(Value value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

// A tensor's own memory as a writable buffer of bytes, which keeps the network.
struct TensorMemory {
  SharedTensor shared;
  void* data;
};

// A view of the tensor's own memory.
py::memoryview Memory(const SharedTensor& shared) {
  void* data = nullptr;
  RunOn(*shared.owner, [&] {
    data = shared.tensor->data();
    return data != nullptr;
  });
  return py::memoryview(py::cast(TensorMemory{shared, data}));
}

// float[item_count()], a copy: as_float()'s memory is valid until its next call only.
py::bytearray ToFloats(const SharedTensor& shared) {
  const size_t size = shared.tensor->item_count() * sizeof(float);
  py::bytearray floats(nullptr, size);
  char* const to = PyByteArray_AS_STRING(floats.ptr());
  RunOn(*shared.owner, [&] {
    if (shared.tensor->data() == nullptr) return false;  // allocates what was never written
    const float* const from = shared.tensor->as_float();
    if (from == nullptr) return false;
    std::memcpy(to, from, size);
    return true;
  });
  return floats;
}

void AssignBytes(const SharedTensor& shared, const py::object& data) {
  const Bytes bytes(data);
  RunOn(*shared.owner, [&] { return shared.tensor->assign(bytes.data(), bytes.size()); });
}

template <typename T>
bool AssignAs(Tensor& tensor, const Bytes& items) {
  return tensor.assign(static_cast<const T*>(items.data()), items.size() / sizeof(T));
}

// Assigns a contiguous buffer of as many items as the tensor has, as values that are normalized and
// quantized. type: "uint8", ... A TypeError for the types that Tensor::assign doesn't have.
void AssignValues(const SharedTensor& shared, const py::object& values, const std::string& type) {
  const Bytes items(values);
  bool (*assign)(Tensor&, const Bytes&) = nullptr;
  if (type == "uint8") assign = AssignAs<uint8_t>;
  if (type == "uint16") assign = AssignAs<uint16_t>;
  if (type == "uint32") assign = AssignAs<uint32_t>;
  if (type == "int16") assign = AssignAs<int16_t>;
  if (type == "int32") assign = AssignAs<int32_t>;
  if (type == "float32") assign = AssignAs<float>;
  if (assign == nullptr) throw py::type_error("items of type " + type + " can't be assigned");
  RunOn(*shared.owner, [&] { return assign(*shared.tensor, items); });
}

void AssignTensor(const SharedTensor& shared, const SharedTensor& source) {
  if (source.owner == shared.owner) {
    RunOn(*shared.owner, [&] { return shared.tensor->assign(*source.tensor); });
    return;
  }
  RunUnlocked([&] {
    const std::scoped_lock lock(shared.owner->mutex, source.owner->mutex);
    return shared.tensor->assign(*source.tensor);
  });
}

void AssignScalar(const SharedTensor& shared, int32_t value) {
  RunOn(*shared.owner, [&] { return shared.tensor->assign(value); });
}

std::optional<std::pair<float, int32_t>> QuantizerTuple(const SharedTensor& shared) {
  const Quantizer quantizer = QuantizerOf(*shared.tensor);
  if (!quantizer.is_quantized) return std::nullopt;
  return std::make_pair(quantizer.scale, quantizer.zero_point);
}

void BindTensor(py::module_& module) {
  py::class_<TensorMemory>(module, "_TensorMemory", py::buffer_protocol())
      .def_buffer([](const TensorMemory& memory) {
        return py::buffer_info(static_cast<uint8_t*>(memory.data),
                               static_cast<py::ssize_t>(memory.shared.tensor->size()));
      });
  py::class_<SharedTensor>(module, "Tensor")
      .def_property_readonly("name", [](const SharedTensor& t) { return t.tensor->name(); })
      .def_property_readonly("format", [](const SharedTensor& t) { return t.tensor->format(); })
      .def_property_readonly("shape",
                             [](const SharedTensor& t) {
                               return py::tuple(py::cast(std::vector<int32_t>(t.tensor->shape())));
                             })
      .def_property_readonly("layout",
                             [](const SharedTensor& t) { return Text(t.tensor->layout()); })
      .def_property_readonly("data_type",
                             [](const SharedTensor& t) { return Text(t.tensor->data_type()); })
      .def_property_readonly("security",
                             [](const SharedTensor& t) { return Text(t.tensor->security()); })
      .def_property_readonly("nbytes", [](const SharedTensor& t) { return t.tensor->size(); })
      .def_property_readonly("size", [](const SharedTensor& t) { return t.tensor->item_count(); })
      .def_property_readonly("is_scalar",
                             [](const SharedTensor& t) { return t.tensor->is_scalar(); })
      .def_property_readonly("quantizer", &QuantizerTuple)
      .def("memory", &Memory)
      .def("as_float", &ToFloats)
      .def("assign_bytes", &AssignBytes)
      .def("assign_values", &AssignValues)
      .def("assign_tensor", &AssignTensor)
      .def("assign_scalar", &AssignScalar);
}

}  // namespace

void BindNetwork(py::module_& module) {
  BindTensor(module);
  py::class_<SharedNetwork, std::shared_ptr<SharedNetwork>>(module, "Network")
      .def_static("load_file", &LoadFile)
      .def_static("load_memory", &LoadMemory)
      .def("predict",
           [](SharedNetwork& shared) { RunOn(shared, [&] { return shared.network.predict(); }); })
      .def("profile", &Profile)
      .def_property_readonly("inputs",
                             [](const std::shared_ptr<SharedNetwork>& shared) {
                               return Share(shared, shared->network.inputs);
                             })
      .def_property_readonly("outputs", [](const std::shared_ptr<SharedNetwork>& shared) {
        return Share(shared, shared->network.outputs);
      });
}

}  // namespace synap_internal
