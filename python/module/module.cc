// The Python module synap._synap: the application interface with tuples and buffers. The package's
// Python code makes from it what users see. Only that code knows numpy, whose C interface depends
// on its version.
#include <pybind11/pybind11.h>

#include <cstring>
#include <exception>

#include "python/module/binding.h"

namespace synap_internal {
namespace {

// Sets an exception with a message that may name a file whose name is no UTF-8.
void SetException(PyObject* type, const char* message) {
  const auto text = pybind11::reinterpret_steal<pybind11::object>(
      PyUnicode_DecodeUTF8(message, static_cast<Py_ssize_t>(std::strlen(message)), "replace"));
  if (text) PyErr_SetObject(type, text.ptr());
}

void BindError(pybind11::module_& module) {
  static PyObject* type = nullptr;  // lives as long as the process, as all of a module does
  type = PyErr_NewExceptionWithDoc(
      "synap.Error", "A failure of the framework: one sentence that says what is wrong.",
      PyExc_RuntimeError, nullptr);
  if (type == nullptr) throw pybind11::error_already_set();
  module.attr("Error") = pybind11::handle(type);
  pybind11::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      SetException(type, error.what());
    }
  });
}

}  // namespace
}  // namespace synap_internal

PYBIND11_MODULE(_synap, module) {
  module.doc() = "The application interface of the framework in C++; use the package synap.";
  synap_internal::BindError(module);
  synap_internal::BindProcess(module);
  synap_internal::BindNetwork(module);
  synap_internal::BindVision(module);
}
