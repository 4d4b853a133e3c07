#include "kernels/conv_transpose2d/conv_transpose2d.h"

namespace synap_internal {
namespace {

// The input position that tap t of output position o reads; -1 if there is none.
int64_t Source(const WindowAxis& axis, int64_t o, int64_t t, int64_t extent) {
  const int64_t scaled = o + axis.pad_begin - t * axis.dilation;
  if (scaled < 0 || scaled % axis.stride != 0 || scaled / axis.stride >= extent) return -1;
  return scaled / axis.stride;
}

// Calls step(index into x, index into w) for every tap of output (n, r, q, o)
// that reads a pixel, in the order (kh, kw, ci).
template <typename Step>
void ForEachTap(const ConvTranspose2dAttributes& attributes, const Shape& x, int64_t outputs,
                int64_t n, int64_t r, int64_t q, int64_t o, Step step) {
  const WindowAxis& rows = attributes.window.rows;
  const WindowAxis& columns = attributes.window.columns;
  const int64_t inputs = x[3] / attributes.groups;
  const int64_t group = o / (outputs / attributes.groups);
  for (int64_t kh = 0; kh < rows.taps; ++kh) {
    for (int64_t kw = 0; kw < columns.taps; ++kw) {
      const int64_t row = Source(rows, r, kh, x[1]);
      const int64_t column = Source(columns, q, kw, x[2]);
      if (row < 0 || column < 0) continue;
      const int64_t pixel = ((n * x[1] + row) * x[2] + column) * x[3] + group * inputs;
      const int64_t weights = ((o * rows.taps + kh) * columns.taps + kw) * inputs;
      for (int64_t ci = 0; ci < inputs; ++ci) step(pixel + ci, weights + ci);
    }
  }
}

}  // namespace

void RunConvTranspose2dReference(const ConvTranspose2dAttributes& attributes,
                                 const LinearData& data, const Shape& x_shape,
                                 const Shape& output_shape, const KernelArgs& args) {
  const Shape& out = output_shape;
  for (int64_t i = 0; i < out.elements(); ++i) {
    const int64_t o = i % out[3], q = i / out[3] % out[2];
    const int64_t r = i / out[3] / out[2] % out[1], n = i / out[3] / out[2] / out[1];
    const auto for_each_tap = [&](auto step) {
      ForEachTap(attributes, x_shape, out[3], n, r, q, o, step);
    };
    ComputeLinear(data, args, static_cast<size_t>(o), for_each_tap, i);
  }
}

}  // namespace synap_internal
