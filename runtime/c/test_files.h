// Files for the tests of the C interface, which are C themselves.
#ifndef RUNTIME_C_TEST_FILES_H_
#define RUNTIME_C_TEST_FILES_H_

#ifdef __cplusplus
extern "C" {
#endif

// Writes a model whose output is its input image, uint8 [1, 1, 2, 3] of rgb in nhwc with the
// quantizer 1/255: a list of one detection of format "yolov5", which is x, y, w, h, confidence and
// score of its only class. Returns its path.
const char* WriteDetectionModel(void);

// Writes the picture 2x1 for it: an object of confidence 0.8 all over the picture.
const char* WriteDetectionPicture(void);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // RUNTIME_C_TEST_FILES_H_
