// C interface of the framework: loads a model, runs it, decodes its outputs. C99 and C++.
//
//   synap_network* net = synap_network_create();
//   const float* scores = NULL;
//   if (synap_network_load_file(net, "model.synap", NULL) &&
//       synap_tensor_assign_bytes(synap_network_input(net, 0), data, size) &&
//       synap_network_predict(net)) {
//     scores = synap_tensor_as_float(synap_network_output(net, 0));
//   }
//   if (scores == NULL) fprintf(stderr, "%s\n", synap_last_error());
//   else printf("%f\n", scores[0]);
//   synap_network_destroy(net);  // and with it the scores
//
// Errors. A function that fails returns false, null or 0, logs one sentence and keeps it for
// synap_last_error(). Null handles, null pointers and indices that are too large are such errors; a
// handle that was destroyed must not be used. No exception leaves a function, also for want of
// memory.
//
// Ownership. What synap_x_create() and synap_detector_process() return belongs to the caller, who
// gives it to synap_x_destroy() once; null is fine there. All other pointers that functions return
// belong to the handle that they are from. Functions keep no pointer to what is passed to them.
//
// Threads. A handle and what belongs to it may be used by one thread at a time, different handles
// by different threads. Functions without a handle may be called by any thread.
//
// Stability. Functions, enumerators and members are added, never changed or removed. Structures
// that may grow begin with struct_size, which the caller sets to sizeof of the structure that it
// was compiled with: the library then neither reads nor writes beyond it. The other structures and
// the values of enumerators are final. An application runs with every library whose
// synap_abi_version() is at least the SYNAP_ABI_VERSION that it was compiled with.
#ifndef SYNAP_SYNAP_H_
#define SYNAP_SYNAP_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Raised whenever something is added.
#define SYNAP_ABI_VERSION 1

#ifndef SYNAP_API
#define SYNAP_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

// ---- Version ----

// The SYNAP_ABI_VERSION of the library that the application runs with.
SYNAP_API int32_t synap_abi_version(void);

// The framework's version, such as "3.2.0".
SYNAP_API const char* synap_version_string(void);

// ---- Errors and messages ----

// The last error message of this thread, "" if there was none. Valid until the thread's next call
// of this function. Functions that succeed don't change it.
SYNAP_API const char* synap_last_error(void);

// Forgets it.
SYNAP_API void synap_clear_last_error(void);

typedef enum synap_log_level {
  SYNAP_LOG_VERBOSE = 0,  // each run of a network
  SYNAP_LOG_INFO = 1,     // loaded networks, the NPU's lock
  SYNAP_LOG_WARNING = 2,  // what works, but probably not as intended
  SYNAP_LOG_ERROR = 3,    // a function fails
  SYNAP_LOG_NONE = 4      // no messages at all
} synap_log_level;

// Sets the lowest level that is shown, instead of the environment variable SYNAP_NB_LOG_LEVEL (the
// numbers above) or, if it isn't set, SYNAP_LOG_WARNING.
SYNAP_API void synap_set_log_level(synap_log_level level);

// A receiver of messages: one sentence without a newline, valid during the call.
typedef void (*synap_log_callback)(synap_log_level level, const char* message, void* user);

// Gives the messages that are shown to `callback`, on the thread that they are about and with
// `user`, instead of writing them to stderr. Null restores that. Messages of other threads may
// still reach the old callback while this function runs.
//
// The callback may call functions without a handle and those of other handles. It must not use a
// handle that the function which logs was given, nor what belongs to that handle, such as the
// tensors of a network. A function that it calls may log too and calls it again; several threads
// may call it at the same time.
SYNAP_API void synap_set_log_callback(synap_log_callback callback, void* user);

// ---- Threads ----

// Sets the number of threads for networks that are loaded from now on, with that of the caller: 1
// to 1024, or 0 for the default, which is that of the environment variable SYNAP_NUM_THREADS or the
// number of processors that the process may use. All networks of a process share the threads.
SYNAP_API bool synap_set_thread_count(int32_t count);

// The number for a network that is loaded now.
SYNAP_API int32_t synap_thread_count(void);

// ---- Target ----

// Sets the chip that the emulated NPU stands for, by its name or an alias in any case ("VS680"):
// networks that are loaded from now on have to be compiled for it. "" for the default, which is
// that of the environment variable SYNAP_TARGET, or any chip.
SYNAP_API bool synap_set_target(const char* name);

// ---- Types ----

// Type of the items of a tensor. The integral types hold quantized data or plain integers; byte is
// uninterpreted data.
typedef enum synap_data_type {
  SYNAP_DATA_TYPE_INVALID = 0,
  SYNAP_DATA_TYPE_BYTE = 1,
  SYNAP_DATA_TYPE_INT8 = 2,
  SYNAP_DATA_TYPE_UINT8 = 3,
  SYNAP_DATA_TYPE_INT16 = 4,
  SYNAP_DATA_TYPE_UINT16 = 5,
  SYNAP_DATA_TYPE_INT32 = 6,
  SYNAP_DATA_TYPE_UINT32 = 7,
  SYNAP_DATA_TYPE_FLOAT16 = 8,
  SYNAP_DATA_TYPE_FLOAT32 = 9,
  SYNAP_DATA_TYPE_INT64 = 10
} synap_data_type;

// Order of the dimensions of a tensor with four dimensions.
typedef enum synap_layout {
  SYNAP_LAYOUT_NONE = 0,
  SYNAP_LAYOUT_NCHW = 1,
  SYNAP_LAYOUT_NHWC = 2
} synap_layout;

// Kinds of input data.
typedef enum synap_input_type {
  SYNAP_INPUT_INVALID = 0,
  SYNAP_INPUT_RAW = 1,            // bytes in the tensor's own type and layout
  SYNAP_INPUT_ENCODED_IMAGE = 2,  // JPEG, PNG or BMP
  SYNAP_INPUT_IMAGE_8BITS = 3,    // 8-bit pixels, nhwc or nchw
  SYNAP_INPUT_NV12 = 4,           // 8-bit luma plane, then u and v interleaved at half the size
  SYNAP_INPUT_NV21 = 5            // the same with v before u
} synap_input_type;

// Top left corner and size in pixels, x to the right, y down.
typedef struct synap_rect {
  int32_t x;
  int32_t y;
  int32_t width;
  int32_t height;
} synap_rect;

// A point of a detected object in pixels; z and visibility are 0 if the model has none.
typedef struct synap_landmark {
  int32_t x;
  int32_t y;
  int32_t z;
  float visibility;
} synap_landmark;

// A loaded model with its input and output tensors.
typedef struct synap_network synap_network;

// A tensor of a network, which owns it: it is valid until the network loads another model, fails to
// do so, or is destroyed.
typedef struct synap_tensor synap_tensor;

// Data for a network's inputs. Immutable: any number of threads may use it.
typedef struct synap_input_data synap_input_data;

// Class names of a model.
typedef struct synap_labels synap_labels;

// Decoder of the outputs of a detection network.
typedef struct synap_detector synap_detector;

// What a detector has found.
typedef struct synap_detections synap_detections;

// The image that a network has made.
typedef struct synap_output_image synap_output_image;

// Exclusive use of the NPU.
typedef struct synap_npu synap_npu;

// ---- Networks ----

// A network without a model. Null only for want of memory.
SYNAP_API synap_network* synap_network_create(void);
SYNAP_API void synap_network_destroy(synap_network* network);

// Loads a model, after the previous one was released. model_file is a .synap file, with a null
// meta_file; or a .nb file, with the .json of the same conversion.
SYNAP_API bool synap_network_load_file(synap_network* network, const char* model_file,
                                       const char* meta_file);

// The same from memory, which may be freed afterwards. meta_data: null for .synap data, the text of
// the .json for .nb data.
SYNAP_API bool synap_network_load_memory(synap_network* network, const void* model_data,
                                         size_t model_size, const char* meta_data);

// Number of inputs and outputs; 0 until a model is loaded.
SYNAP_API size_t synap_network_input_count(const synap_network* network);
SYNAP_API size_t synap_network_output_count(const synap_network* network);

// The tensor at `index`.
SYNAP_API synap_tensor* synap_network_input(synap_network* network, size_t index);
SYNAP_API synap_tensor* synap_network_output(synap_network* network, size_t index);

// Runs the network on the data of its inputs and stores the results in its outputs.
SYNAP_API bool synap_network_predict(synap_network* network);

// Sets whether models that are loaded from now on measure their layers; false by default.
SYNAP_API void synap_network_set_profiling(synap_network* network, bool on);

// The times of the layers in the last run, as text: a line of counters, a header and a line for
// each layer. "" if the model doesn't measure or hasn't run. Valid until the next call for this
// network.
SYNAP_API const char* synap_network_profile(synap_network* network);

// ---- Tensors ----

// Name of the tensor in the model or its metafile; "" for null.
SYNAP_API const char* synap_tensor_name(const synap_tensor* tensor);

// Format string of the metafile, such as "rgb" or "yolov5 landmarks=5"; "" if it has none.
SYNAP_API const char* synap_tensor_format(const synap_tensor* tensor);

SYNAP_API synap_data_type synap_tensor_data_type(const synap_tensor* tensor);
SYNAP_API synap_layout synap_tensor_layout(const synap_tensor* tensor);

// Number of dimensions, and their sizes in the order of the layout. A scalar has the shape {1}.
SYNAP_API size_t synap_tensor_rank(const synap_tensor* tensor);
SYNAP_API const int32_t* synap_tensor_shape(const synap_tensor* tensor);

// Size of the data in bytes, and number of its items.
SYNAP_API size_t synap_tensor_size(const synap_tensor* tensor);
SYNAP_API size_t synap_tensor_item_count(const synap_tensor* tensor);

// The quantizer: real value = scale * (item - zero_point). False, without an error and with 1 and
// 0, if the items aren't quantized. Each pointer may be null.
SYNAP_API bool synap_tensor_quantizer(const synap_tensor* tensor, float* scale,
                                      int32_t* zero_point);

// The data, synap_tensor_size() bytes, to write (inputs) or read (outputs) directly. It is
// allocated when it is first accessed and keeps its address as long as the tensor is valid.
SYNAP_API void* synap_tensor_data(synap_tensor* tensor);

// The data as real numbers, synap_tensor_item_count() of them. Null if the tensor has no data yet.
// Valid until the next call for this tensor.
SYNAP_API const float* synap_tensor_as_float(synap_tensor* tensor);

// Copies `size` bytes unchanged; size must be synap_tensor_size().
SYNAP_API bool synap_tensor_assign_bytes(synap_tensor* tensor, const void* data, size_t size);

// Normalizes `count` values with mean and scale of the metafile ((v - mean) / scale), quantizes
// them to the tensor's type, and stores them; values outside of its range saturate. count must be
// synap_tensor_item_count(). uint8 values are pixels: without mean and scale in the metafile, the
// model's own input quantizer normalizes them, if it has one.
SYNAP_API bool synap_tensor_assign_uint8(synap_tensor* tensor, const uint8_t* data, size_t count);
SYNAP_API bool synap_tensor_assign_int16(synap_tensor* tensor, const int16_t* data, size_t count);
SYNAP_API bool synap_tensor_assign_float(synap_tensor* tensor, const float* data, size_t count);
SYNAP_API bool synap_tensor_assign_int32(synap_tensor* tensor, const int32_t* data, size_t count);

// Stores a value in a scalar of an integral type.
SYNAP_API bool synap_tensor_assign_scalar(synap_tensor* tensor, int32_t value);

// Copies the data of a tensor of the same data type and size.
SYNAP_API bool synap_tensor_assign_tensor(synap_tensor* tensor, const synap_tensor* source);

// ---- Preprocessing ----

// Reads a file. Its suffix gives the type: jpg, jpeg, png and bmp are encoded images, bin and dat
// raw data, rgb, bgr, bgra and gray 8-bit pixels, nv12 and nv21 those. The size of unencoded images
// is at the end of the name, as in frame_640x480.rgb.
SYNAP_API synap_input_data* synap_input_data_create_from_file(const char* file);

// Copies encoded images or raw data.
SYNAP_API synap_input_data* synap_input_data_create(const void* data, size_t size,
                                                    synap_input_type type);

// Copies pixels (SYNAP_INPUT_IMAGE_8BITS, NV12 or NV21) of an image of that size. layout: nchw for
// pixels in planes, else nhwc. format: "rgb", "bgr", "bgra" or "gray", whose number of channels is
// `channels`; null for "rgb", and for nv12 and nv21, where `channels` isn't used. Null if `size`
// isn't the number of bytes of such an image; nv12 and nv21 need an even width and height.
SYNAP_API synap_input_data* synap_input_data_create_pixels(const void* data, size_t size,
                                                           synap_input_type type, int32_t width,
                                                           int32_t height, int32_t channels,
                                                           synap_layout layout, const char* format);
SYNAP_API void synap_input_data_destroy(synap_input_data* data);

// Type of the data, and width and height of the image in pixels: 0 if it is no image, has no known
// size, or can't be decoded.
SYNAP_API synap_input_type synap_input_data_type(const synap_input_data* data);
SYNAP_API int32_t synap_input_data_width(const synap_input_data* data);
SYNAP_API int32_t synap_input_data_height(const synap_input_data* data);

// Converts `data` to the type, size, layout and format of the input at `index` and assigns it; also
// to the inputs that belong to it: a chroma plane and the cropping rectangle. roi: part of the
// image that is processed by networks converted with cropping; null for all of it. assigned, which
// may be null, gets the rectangle of the image that the input shows, letterbox bands included:
// synap_detector_process() takes it.
SYNAP_API bool synap_network_preprocess(synap_network* network, size_t index,
                                        const synap_input_data* data, const synap_rect* roi,
                                        synap_rect* assigned);

// ---- Classification ----

typedef struct synap_class {
  int32_t class_index;
  float confidence;  // output of the network, normally in [0, 1]
} synap_class;

// Writes the `capacity` classes with the highest confidences to `classes`, highest first, fewer if
// the network's only output has fewer; *count gets their number.
SYNAP_API bool synap_network_classify(const synap_network* network, synap_class* classes,
                                      size_t capacity, size_t* count);

// Reads the class names in the info.json in the folder of the model, or in the nearest folder above
// it that has one. No names if none has one; null if that file has no list "labels" of names.
SYNAP_API synap_labels* synap_labels_create(const char* model_file);
SYNAP_API void synap_labels_destroy(synap_labels* labels);

// Name of a class, "" if it has none.
SYNAP_API const char* synap_labels_get(const synap_labels* labels, int32_t class_index);
SYNAP_API size_t synap_labels_count(const synap_labels* labels);

// ---- Detection ----

typedef struct synap_detector_options {
  size_t struct_size;
  float score_threshold;   // detections below it are discarded
  int32_t max_detections;  // 0: all
  bool nms;                // whether to drop detections that overlap a better one
  float iou_threshold;     // largest overlap with a better one, intersection over union
  bool iou_with_min;       // measures overlaps by the smaller area instead of the union
} synap_detector_options;

// The defaults.
#define SYNAP_DETECTOR_OPTIONS_INIT \
  { sizeof(synap_detector_options), 0.5f, 0, true, 0.5f, false }

// A detected object. The arrays belong to the synap_detections.
typedef struct synap_detection {
  size_t struct_size;
  int32_t class_index;
  float confidence;                 // in [0, 1]
  synap_rect bounding_box;          // pixels of the image
  const synap_landmark* landmarks;  // pixels of the image; null if the model has none
  size_t landmark_count;
  const float* mask;  // mask_height rows of mask_width values over the input rectangle, positive
                      // ones mark the object; null if the model has none
  int32_t mask_width;
  int32_t mask_height;
} synap_detection;

// An empty one, to pass to synap_detections_get().
#define SYNAP_DETECTION_INIT \
  { sizeof(synap_detection), 0, 0, {0, 0, 0, 0}, NULL, 0, NULL, 0, 0 }

// Any detector decodes the outputs of any network: the format string of the first output selects
// the decoder. options: null for the defaults.
SYNAP_API synap_detector* synap_detector_create(const synap_detector_options* options);
SYNAP_API void synap_detector_destroy(synap_detector* detector);

// Decodes the outputs after synap_network_predict(). input_rect: from synap_network_preprocess().
// Finding nothing is no failure: the result then has no items. It doesn't depend on the network and
// the detector any more.
SYNAP_API synap_detections* synap_detector_process(synap_detector* detector,
                                                   const synap_network* network,
                                                   const synap_rect* input_rect);
SYNAP_API void synap_detections_destroy(synap_detections* detections);

// The number of objects, and the object at `index`: the highest confidence is at 0.
// detection->struct_size must be set.
SYNAP_API size_t synap_detections_count(const synap_detections* detections);
SYNAP_API bool synap_detections_get(const synap_detections* detections, size_t index,
                                    synap_detection* detection);

// ---- Networks whose output is an image ----

// The outputs joined to an image, after synap_network_predict(): luma and chroma (formats y8 and
// uv8 or vu8), or the only output, whose planes of colour are interleaved. The values are the
// tensors' own. It doesn't depend on the network any more.
SYNAP_API synap_output_image* synap_output_image_create(const synap_network* network);
SYNAP_API void synap_output_image_destroy(synap_output_image* image);

// The data, its size in bytes, and its format: "nv12", "nv21", "rgb", "bgra", "gray", ..., or "dat"
// if the output is no image.
SYNAP_API const void* synap_output_image_data(const synap_output_image* image);
SYNAP_API size_t synap_output_image_size(const synap_output_image* image);
SYNAP_API const char* synap_output_image_format(const synap_output_image* image);

// Pixels of a row and of a column; 0 if the output is no image.
SYNAP_API int32_t synap_output_image_width(const synap_output_image* image);
SYNAP_API int32_t synap_output_image_height(const synap_output_image* image);

// ---- NPU ----

// While a process holds the lock, synap_network_predict() fails in all other processes of the same
// user. It is released with the handle and when the process ends.
SYNAP_API synap_npu* synap_npu_create(void);
SYNAP_API void synap_npu_destroy(synap_npu* npu);

// Whether the NPU can be locked at all, by whichever process.
SYNAP_API bool synap_npu_available(const synap_npu* npu);

// Takes and releases the lock; true if this handle has it, or doesn't have it, already.
SYNAP_API bool synap_npu_lock(synap_npu* npu);
SYNAP_API bool synap_npu_unlock(synap_npu* npu);
SYNAP_API bool synap_npu_is_locked(const synap_npu* npu);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // SYNAP_SYNAP_H_
