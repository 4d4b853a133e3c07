/* detect_faces_in_c MODEL PICTURE...: the same program in C99. */
#include <stdio.h>

#include "synap/synap.h"

/* Prints a line for each face. */
static void print_faces(const char* picture, const synap_detections* faces) {
  for (size_t i = 0; i < synap_detections_count(faces); ++i) {
    synap_detection face = SYNAP_DETECTION_INIT;
    if (!synap_detections_get(faces, i, &face)) continue;
    printf("%s: %.2f at %d,%d size %dx%d\n", picture, face.confidence, face.bounding_box.x,
           face.bounding_box.y, face.bounding_box.width, face.bounding_box.height);
  }
}

/* Finds the faces of one picture; false on failure. */
static bool detect(synap_network* net, synap_detector* detector, const char* picture) {
  synap_input_data* data = synap_input_data_create_from_file(picture);
  synap_detections* faces = NULL;
  synap_rect area;
  if (data != NULL && synap_network_preprocess(net, 0, data, NULL, &area) &&
      synap_network_predict(net)) {
    faces = synap_detector_process(detector, net, &area);
  }
  const bool success = faces != NULL;
  if (success) print_faces(picture, faces);
  synap_detections_destroy(faces);
  synap_input_data_destroy(data);
  return success;
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "Usage: detect_faces_in_c MODEL PICTURE...\n");
    return 1;
  }
  /* Messages reach the user once, as the error below. */
  synap_set_log_level(SYNAP_LOG_NONE);
  synap_network* net = synap_network_create();
  synap_detector* detector = synap_detector_create(NULL);
  bool success = synap_network_load_file(net, argv[1], NULL);
  for (int i = 2; success && i < argc; ++i) success = detect(net, detector, argv[i]);
  if (!success) fprintf(stderr, "%s\n", synap_last_error());
  synap_detector_destroy(detector);
  synap_network_destroy(net);
  return success ? 0 : 1;
}
