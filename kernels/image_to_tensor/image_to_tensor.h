// image_to_tensor: makes a network's input of the planes of a picture: colours, region, size,
// normalization and quantization in one step.
//
//   planes   1 to 3 tensors, uint8 without quantizer, as kPictureTypes[type] says: [1, H, W, C],
//            [1, H/2, W/2, C], or [1, 3, H, W]
//   region   none, or four int32 of one element: 32768 width / OW, 32768 height / OH (both rounded
//            down), left, top, in pixels of the picture
//   output   [1, OH, OW, 3], gray: [1, OH, OW, 1]; uint8, int8 or int16 with a quantizer, or
//            float32, float16 or uint8 without one
//
// Attributes: type; size[2] (OH, OW); bgr (0): 1 for channels in the order blue, green, red;
// mean[1 or C] (0) and scale[1 or C] (1), in the order of the channels; to ("float32", "float16",
// "uint8"): the output's type where it has no quantizer.
//
// A region is the whole picture without region operands. Width w is the smallest that gives its
// operand; a region that lies partly outside is cut at the picture's edges, to a pixel or more.
//
// Each step gives integers, so that all machines compute the same bits.
// 1. Bytes of red, green and blue of a pixel; U' = U - 128, V' = V - 128.
//    nv12, nv21: rounded half to even and saturated, the coefficients are half-floats
//      R = Y + 1.40625 V'   G = Y - 0.345458984375 U' - 0.716796875 V'   B = Y + 1.7783203125 U'
//    yuv420, yuv444: saturated, >> rounds down
//      R = (298 Y + 409 V - 56992) >> 8
//      G = (298 Y - 100 U - 208 V + 34784) >> 8
//      B = (298 Y + 516 U - 70688) >> 8
//    A plane of half size has one value for 2x2 pixels. The others are bytes already.
// 2. Output column x of a region of w columns from `left` shows
//    nv12, nv21: column left + ((x step) >> 16), step = floor(65536 w / OW) + 1; at most the last
//    others: with r = floor(32768 w / OW) and p = max(0, x r + (r >> 1) - 16384), the columns
//      i = p >> 15 and i + 1, from `left`, the second with the weight ((p & 32767) + 16) >> 5 in
//      1/1024; from the last column on that one alone. Rows likewise. The four bytes are weighted
//      with the products, and (sum + 2^19) >> 20.
// 3. value = byte * s - mean * s, s = 1 / scale, in float32, each operation rounded. With a
//    quantizer round half to even of value * (1 / quantizer scale) + zero point, saturated;
//    uint8 without one is as if its scale were 1. It is not Requantize of base/rounding.h, since
//    the NPU rounds after adding the zero point.
//
// Constraints
//   image_to_tensor_c1  type is a name of kPictureTypes
//   image_to_tensor_c2  the planes have the types and shapes above, H and W are 1 to 65535, and
//   even
//                       if there are planes of half size
//   image_to_tensor_c3  there are as many operands as planes, or 4 more, int32 of one element
//   image_to_tensor_c4  OH and OW are 1 to 32768
//   image_to_tensor_c5  mean and scale have 1 value or one for each channel; no scale is 0
//   image_to_tensor_c6  to is float32, float16 or uint8
#ifndef KERNELS_IMAGE_TO_TENSOR_IMAGE_TO_TENSOR_H_
#define KERNELS_IMAGE_TO_TENSOR_IMAGE_TO_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "kernels/image_to_tensor/picture_type.h"
#include "kernels/op_def.h"

namespace synap_internal {

absl::Span<const OpDef> ImageToTensorOps();

namespace image_to_tensor {

// Element (x, y) of a component is at operand `plane`, offset + (y >> shift) * row_stride +
// (x >> shift) * step.
struct Component {
  size_t plane = 0;
  int64_t offset = 0;
  int64_t row_stride = 0;
  int64_t step = 1;
  int shift = 0;
};

struct Plan {
  PictureColours colours = PictureColours::kRgb;
  Component component[3];
  size_t planes = 1;
  bool has_region = false;
  bool bgr = false;
  int64_t height = 0, width = 0;  // of the picture
  int64_t out_height = 0, out_width = 0;
  int channels = 3;
  DataType out_type = DataType::kFloat32;
  // The stored output element of each byte, [channels][256], of 1, 2 or 4 bytes.
  std::vector<uint8_t> table;
  bool is_copy = false;  // the table holds the bytes themselves

  bool is_nearest() const { return colours == PictureColours::kFullRange; }
};

// Part of a picture along one axis.
struct Extent {
  int64_t begin = 0, size = 0;
};

// Columns or rows of the picture that an output column or row shows; weight in 1/1024.
struct Tap {
  int32_t first = 0, second = 0, weight = 0;  // of `second`
};

struct Region {
  Extent columns, rows;
};

// The region that the operands choose; never empty, always inside of the picture.
Region RegionOf(const Plan& plan, const KernelArgs& args);

// `at`: the output column or row, 0 to out_size - 1.
Tap NearestTap(const Extent& extent, int64_t out_size, int64_t at);
Tap LinearTap(const Extent& extent, int64_t out_size, int64_t at);

// Writes output rows [begin, end).
void Reference(const Plan& plan, const KernelArgs& args, const Region& region, int64_t begin,
               int64_t end);

// The same by rows. columns: the taps of all output columns. scratch: ScratchBytes(plan), 64-byte
// aligned.
void FastRows(const Plan& plan, const KernelArgs& args, const Region& region, const Tap* columns,
              int64_t begin, int64_t end, uint8_t* scratch);
size_t ScratchBytes(const Plan& plan);

// Bytes of a row of n bytes in scratch memory, which vectors of any target may pass the end of.
constexpr int64_t PaddedRow(int64_t n) { return (n + 256 + 63) / 64 * 64; }

}  // namespace image_to_tensor
}  // namespace synap_internal

#endif  // KERNELS_IMAGE_TO_TENSOR_IMAGE_TO_TENSOR_H_
