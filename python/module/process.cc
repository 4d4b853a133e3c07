// What belongs to the process: version, messages, threads and the lock of the NPU.
#include <pybind11/pybind11.h>

#include <sstream>
#include <string>

#include "python/module/binding.h"
#include "synap/logging.hpp"
#include "synap/npu.hpp"
#include "synap/target.hpp"
#include "synap/threads.hpp"
#include "synap/version.hpp"

namespace synap_internal {
namespace {

namespace py = pybind11;
using synaptics::synap::LogLevel;
using synaptics::synap::Npu;

// Guarded by the interpreter's lock. A plain pointer: a destructor would run after the interpreter.
PyObject* log_callback = nullptr;

bool IsInterpreterGone() { return Py_IsInitialized() == 0 || _Py_IsFinalizing() != 0; }

// Of the call that this thread is in, or null.
thread_local HeldMessages* holder = nullptr;

// REQUIRES: the interpreter's lock.
void CallBack(LogLevel level, const std::string& message) {
  const auto callback = py::reinterpret_borrow<py::object>(log_callback);
  if (!callback) return;
  try {
    callback(static_cast<int>(level),
             py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(
                 message.data(), static_cast<Py_ssize_t>(message.size()), "replace")));
  } catch (py::error_already_set& error) {
    error.discard_as_unraisable("synap's log callback");
  }
}

}  // namespace

// Gives a message of any thread to its holder, or at once to the callback.
void ReceiveMessage(LogLevel level, const std::string& message) {
  if (holder != nullptr) {
    holder->messages_.push_back({level, message});
    return;
  }
  if (IsInterpreterGone()) return;
  const py::gil_scoped_acquire acquire;
  CallBack(level, message);
}

HeldMessages::HeldMessages() { holder = this; }

HeldMessages::~HeldMessages() { holder = nullptr; }

void HeldMessages::Forward() {
  holder = nullptr;
  for (const Message& message : messages_) CallBack(message.level, message.text);
}

namespace {

void SetLogCallback(const py::object& callback) {
  PyObject* const old = log_callback;
  log_callback = callback.is_none() ? nullptr : callback.inc_ref().ptr();
  Py_XDECREF(old);
  const bool is_none = callback.is_none();
  const py::gil_scoped_release release;
  if (is_none) {
    synaptics::synap::set_log_callback(nullptr);
  } else {
    synaptics::synap::set_log_callback(ReceiveMessage);
  }
}

std::string Version() {
  std::ostringstream text;
  text << synaptics::synap::synap_version();
  return text.str();
}

void BindNpu(py::module_& module) {
  const auto lock = [](Npu& npu) { RunUnlocked([&] { return npu.lock(); }); };
  const auto unlock = [](Npu& npu) { RunUnlocked([&] { return npu.unlock(); }); };
  py::class_<Npu>(module, "Npu")
      .def(py::init<>())
      .def("available", &Npu::available)
      .def("lock", lock)
      .def("unlock", unlock)
      .def("is_locked", &Npu::is_locked)
      .def("__enter__",
           [lock](py::object self) {
             lock(self.cast<Npu&>());
             return self;
           })
      .def("__exit__", [unlock](Npu& npu, const py::args&) { unlock(npu); })
      .def("__repr__", [](const Npu& npu) {
        return npu.is_locked() ? "<synap.Npu, locked>" : "<synap.Npu, not locked>";
      });
}

}  // namespace

void BindProcess(py::module_& module) {
  module.def("version", &Version);
  module.def("set_log_level",
             [](int level) { synaptics::synap::set_log_level(static_cast<LogLevel>(level)); });
  module.def("set_log_callback", &SetLogCallback);
  module.def("set_thread_count", [](int count) {
    RunUnlocked([&] { return synaptics::synap::set_thread_count(count); });
  });
  module.def("thread_count", &synaptics::synap::thread_count);
  module.def("set_target", [](const std::string& name) {
    RunUnlocked([&] { return synaptics::synap::set_target(name); });
  });
  module.def("target", &synaptics::synap::target);
  BindNpu(module);
}

}  // namespace synap_internal
