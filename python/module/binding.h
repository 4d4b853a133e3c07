// State that the Python classes share, and the conversion of failures to exceptions.
#ifndef PYTHON_MODULE_BINDING_H_
#define PYTHON_MODULE_BINDING_H_

#include <pybind11/pybind11.h>

#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "synap/logging.hpp"
#include "synap/network.hpp"
#include "synap/types.hpp"

namespace synap_internal {

// Becomes synap.Error.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Holds the messages that this thread logs, from its construction to Forward(), so that Python's
// logging handlers may use the network that a message is about. What isn't forwarded is dropped.
class HeldMessages {
 public:
  HeldMessages();
  HeldMessages(const HeldMessages&) = delete;
  HeldMessages& operator=(const HeldMessages&) = delete;
  ~HeldMessages();

  // Gives the messages to the callback. REQUIRES: the interpreter's lock.
  void Forward();

 private:
  friend void ReceiveMessage(synaptics::synap::LogLevel level, const std::string& message);
  struct Message {
    synaptics::synap::LogLevel level;
    std::string text;
  };

  std::vector<Message> messages_;
};

// A network that any number of Python threads use: everything that touches it holds the mutex, and
// nobody waits for the mutex with the interpreter's lock.
struct SharedNetwork {
  std::mutex mutex;
  synaptics::synap::Network network;
};

// A tensor, which keeps its network.
struct SharedTensor {
  std::shared_ptr<SharedNetwork> owner;
  synaptics::synap::Tensor* tensor;
};

// Calls body() without the interpreter's lock, then forwards the messages that it has logged. If it
// returns false, throws the last error.
template <typename Body>
void RunUnlocked(Body&& body) {
  std::string message;
  bool done = false;
  HeldMessages messages;
  {
    const pybind11::gil_scoped_release release;
    done = std::forward<Body>(body)();
    if (!done) message = synaptics::synap::last_error();
  }
  messages.Forward();
  if (!done) throw Error(message);
}

// The same with the network's mutex.
template <typename Body>
void RunOn(SharedNetwork& network, Body&& body) {
  RunUnlocked([&] {
    const std::lock_guard<std::mutex> lock(network.mutex);
    return std::forward<Body>(body)();
  });
}

// The bytes of an object with a contiguous buffer: bytes, a memoryview, an array. A BufferError for
// others. Doesn't change, and is valid, as long as this object lives.
class Bytes {
 public:
  explicit Bytes(const pybind11::object& object) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_SIMPLE) != 0) {
      throw pybind11::error_already_set();
    }
  }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  ~Bytes() { PyBuffer_Release(&view_); }

  const void* data() const { return view_.buf; }
  size_t size() const { return static_cast<size_t>(view_.len); }

 private:
  Py_buffer view_;
};

// (x, y, width, height)
using RectTuple = std::tuple<int32_t, int32_t, int32_t, int32_t>;

// The classes and functions of each source file.
void BindNetwork(pybind11::module_& module);
void BindProcess(pybind11::module_& module);
void BindVision(pybind11::module_& module);

}  // namespace synap_internal

#endif  // PYTHON_MODULE_BINDING_H_
