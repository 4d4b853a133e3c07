// Inputs or outputs of a Network, in their order.
#ifndef SYNAP_TENSORS_HPP_
#define SYNAP_TENSORS_HPP_

#include <cstddef>
#include <vector>

#include "synap/tensor.hpp"

namespace synaptics::synap {

// The inputs, or the outputs, of a network, which owns them. They move only with it.
class Tensors {
 public:
  using iterator = std::vector<Tensor>::iterator;
  using const_iterator = std::vector<Tensor>::const_iterator;

  Tensors() = default;
  Tensors(const Tensors&) = delete;
  Tensors& operator=(const Tensors&) = delete;

  size_t size() const { return tensors_.size(); }
  bool empty() const { return tensors_.empty(); }

  // REQUIRES: index < size().
  Tensor& operator[](size_t index) { return tensors_[index]; }
  const Tensor& operator[](size_t index) const { return tensors_[index]; }

  iterator begin() { return tensors_.begin(); }
  iterator end() { return tensors_.end(); }
  const_iterator begin() const { return tensors_.begin(); }
  const_iterator end() const { return tensors_.end(); }

 private:
  friend class Network;
  Tensors(Tensors&&) = default;
  Tensors& operator=(Tensors&&) = default;

  // Made with all of its elements, which don't move with it. Neither an empty vector nor a move
  // allocates, as those of std::deque do.
  std::vector<Tensor> tensors_;
};

}  // namespace synaptics::synap

#endif  // SYNAP_TENSORS_HPP_
