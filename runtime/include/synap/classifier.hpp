// Postprocessing of image classification networks.
#ifndef SYNAP_CLASSIFIER_HPP_
#define SYNAP_CLASSIFIER_HPP_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "synap/tensors.hpp"

namespace synaptics::synap {

// Finds the classes with the highest confidences.
class Classifier {
 public:
  struct Result {
    struct Item {
      int32_t class_index = 0;
      float confidence = 0;  // output of the network, normally in [0, 1]
    };

    bool success = false;
    std::vector<Item> items;  // highest confidence first, equal ones by class index
  };

  // top_count: number of classes to return; 0 means all.
  Classifier(size_t top_count = 1)  // NOLINT(google-explicit-constructor): as documented
      : top_count_(top_count) {}

  // `tensors` is one tensor of confidences, one for each class; its format
  // attribute class_index_base is added to the indices. On failure success is
  // false and an error is logged.
  Result process(const Tensors& tensors);

 private:
  size_t top_count_;
};

}  // namespace synaptics::synap

#endif  // SYNAP_CLASSIFIER_HPP_
