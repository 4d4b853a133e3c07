// classify PICTURE...: prints the class of each picture. The network is a part of the program.
#include <cstdio>
#include <iostream>
#include <string_view>

#include "examples/embedded_model/shapes_model.h"
#include "synap/classifier.hpp"
#include "synap/input_data.hpp"
#include "synap/logging.hpp"
#include "synap/network.hpp"
#include "synap/preprocessor.hpp"

using namespace synaptics::synap;

namespace {

// Prints a line for the picture; false on failure.
bool classify(Network& net, const char* picture) {
  if (!Preprocessor().assign(net.inputs[0], InputData(picture)) || !net.predict()) return false;
  const Classifier::Result result = Classifier().process(net.outputs);
  if (!result.success) return false;
  std::printf("%s: class %d, %.2f\n", picture, result.items[0].class_index,
              result.items[0].confidence);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  // Messages reach the user once, as the error below.
  set_log_level(LogLevel::none);
  Network net;
  const std::string_view model = examples::models::shapes_model();
  bool success = net.load_model(model.data(), model.size());
  for (int i = 1; success && i < argc; ++i) success = classify(net, argv[i]);
  if (!success) std::cerr << last_error() << "\n";
  return success ? 0 : 1;
}
