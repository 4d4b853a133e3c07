// detect_faces MODEL PICTURE...: prints the faces that a detection network finds.
#include <cstdio>
#include <iostream>

#include "synap/detector.hpp"
#include "synap/input_data.hpp"
#include "synap/logging.hpp"
#include "synap/network.hpp"
#include "synap/preprocessor.hpp"

using namespace synaptics::synap;

namespace {

// Prints a line for each face of the picture; false on failure.
bool detect(Network& net, Detector& detector, const char* picture) {
  Rect area;
  if (!Preprocessor().assign(net.inputs[0], InputData(picture), &area) || !net.predict()) {
    return false;
  }
  const Detector::Result result = detector.process(net.outputs, area);
  for (const Detector::Result::Item& face : result.items) {
    const Rect& box = face.bounding_box;
    std::printf("%s: %.2f at %d,%d size %dx%d\n", picture, face.confidence, box.origin.x,
                box.origin.y, box.size.x, box.size.y);
  }
  return result.success;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "Usage: detect_faces MODEL PICTURE...\n";
    return 1;
  }
  // Messages reach the user once, as the error below.
  set_log_level(LogLevel::none);
  Network net;
  if (!net.load_model(argv[1])) {
    std::cerr << last_error() << "\n";
    return 1;
  }
  Detector detector;
  for (int i = 2; i < argc; ++i) {
    if (!detect(net, detector, argv[i])) {
      std::cerr << argv[i] << ": " << last_error() << "\n";
      return 1;
    }
  }
  return 0;
}
