// Draws boxes, labels and dots on images.
#ifndef COMPILER_CONVERT_CLI_DRAWING_H_
#define COMPILER_CONVERT_CLI_DRAWING_H_

#include <array>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "runtime/vision/image.h"

namespace synap_internal {

using Color = std::array<uint8_t, 3>;  // red, green, blue

// A filled rectangle; what lies outside the image is left out. REQUIRES: the
// image has 3 channels (also below).
void FillRectangle(Image& image, int x, int y, int width, int height, Color color);

// An outline of `thickness` pixels, drawn inwards.
void DrawRectangle(Image& image, int x, int y, int width, int height, int thickness, Color color);

// Text in a 5x7 font, `scale` times as large; (x, y) is the lower left corner of
// the first character. Characters that the font lacks are blank.
void DrawText(Image& image, int x, int y, int scale, absl::string_view text, Color color);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_CLI_DRAWING_H_
