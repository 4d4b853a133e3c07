// Matrix registers of bytes and of int32 sums: those of Intel's AMX, and the same in memory.
//
// A register has up to 16 rows of 64 bytes. With n <= 16 rows of x of 4 q <= 64 bytes each, and
// weights as kernels pack them ([quad][16 outputs][4], that is q rows of 64 bytes), one Multiply
// adds the products of n x 4 q unsigned by 4 q x 16 signed bytes to n x 16 int32 sums. Sums are
// exact, or wrap around. (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1,
// "Programming with Intel AMX"; TDPBUSD in volume 2.)
#ifndef KERNELS_SHARED_MATRIX_TILES_H_
#define KERNELS_SHARED_MATRIX_TILES_H_

#include <array>
#include <cstdint>
#include <cstring>

namespace synap_internal {

inline constexpr int64_t kTileRows = 16;
inline constexpr int64_t kTileQuads = 16;  // bytes of a row / 4

// The registers by their use: sums of x0 and x1 by w0 and w1.
enum MatrixTile { kSum00, kSum01, kSum10, kSum11, kX0, kX1, kW0, kW1 };

// The registers of a thread while an object lives, as 'class MatrixTiles' below:
//   constructor(rows, quads)  of x, in [1, 16]; registers have no value yet
//   Zero<tile>()
//   Load<tile>(rows, stride)  the register's rows, `stride` bytes apart
//   LoadOnce<tile>(rows, stride)  the same, of what isn't read again soon
//   Multiply<sum, x, w>()     sum += x * w
//   Store<sum>(rows)          n rows of 16 int32, dense
// A thread has one such object at a time.

#if defined(__x86_64__)
// REQUIRES: CpuHasAmxInt8(). Nothing else of this program uses the registers, and no compiler does
// by itself, so that their values last from one statement to the next.
class AmxTiles {
 public:
  AmxTiles(int64_t rows, int64_t quads) {
    struct alignas(64) {
      uint8_t palette = 1;
      uint8_t start_row = 0;
      uint8_t reserved[14] = {};
      uint16_t row_bytes[16] = {};
      uint8_t rows[16] = {};
    } shapes;
    static_assert(sizeof(shapes) == 64, "the operand of ldtilecfg");
    const auto set = [&shapes](int tile, int64_t count, int64_t bytes) {
      shapes.rows[tile] = static_cast<uint8_t>(count);
      shapes.row_bytes[tile] = static_cast<uint16_t>(bytes);
    };
    for (const int tile : {kSum00, kSum01, kSum10, kSum11}) set(tile, rows, 64);
    for (const int tile : {kX0, kX1}) set(tile, rows, 4 * quads);
    for (const int tile : {kW0, kW1}) set(tile, quads, 64);
    asm volatile("ldtilecfg %0" : : "m"(shapes));
  }
  // Else the kernel would save them at every change of threads.
  ~AmxTiles() { asm volatile("tilerelease"); }
  AmxTiles(const AmxTiles&) = delete;
  AmxTiles& operator=(const AmxTiles&) = delete;

  template <MatrixTile kTile>
  void Zero() {
    asm volatile("tilezero %%tmm%c0" : : "i"(kTile));
  }
  template <MatrixTile kTile>
  void Load(const void* rows, int64_t stride) {
    asm volatile("tileloadd (%1,%2,1), %%tmm%c0" : : "i"(kTile), "r"(rows), "r"(stride) : "memory");
  }
  // Weights stream by: they shouldn't displace x, which is read again, from the first-level cache.
  template <MatrixTile kTile>
  void LoadOnce(const void* rows, int64_t stride) {
    asm volatile("tileloaddt1 (%1,%2,1), %%tmm%c0"
                 :
                 : "i"(kTile), "r"(rows), "r"(stride)
                 : "memory");
  }
  template <MatrixTile kSum, MatrixTile kX, MatrixTile kW>
  void Multiply() {
    asm volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(kSum), "i"(kX), "i"(kW));
  }
  template <MatrixTile kSum>
  void Store(int32_t* rows) {
    asm volatile("tilestored %%tmm%c0, (%1,%2,1)"
                 :
                 : "i"(kSum), "r"(rows), "r"(int64_t{64})
                 : "memory");
  }
};
#endif

// The same in memory, slowly: lets tests run what is built on the registers on every machine.
class EmulatedTiles {
 public:
  EmulatedTiles(int64_t rows, int64_t quads) : rows_(rows), quads_(quads) {}

  template <MatrixTile kTile>
  void Zero() {
    tiles_[kTile] = {};
  }
  template <MatrixTile kTile>
  void Load(const void* rows, int64_t stride) {
    const bool weights = kTile == kW0 || kTile == kW1, x = kTile == kX0 || kTile == kX1;
    const auto bytes = static_cast<size_t>(x ? 4 * quads_ : 64);
    const auto* from = static_cast<const uint8_t*>(rows);
    for (int64_t row = 0; row < (weights ? quads_ : rows_); ++row, from += stride) {
      std::memcpy(tiles_[kTile].data() + row * 64, from, bytes);
    }
  }
  template <MatrixTile kTile>
  void LoadOnce(const void* rows, int64_t stride) {
    Load<kTile>(rows, stride);
  }
  template <MatrixTile kSum, MatrixTile kX, MatrixTile kW>
  void Multiply() {
    for (int64_t row = 0; row < rows_; ++row) {
      for (int64_t output = 0; output < 16; ++output) {
        uint8_t* const at = tiles_[kSum].data() + row * 64 + output * 4;
        uint32_t sum;
        std::memcpy(&sum, at, sizeof(sum));
        for (int64_t k = 0; k < 4 * quads_; ++k) {
          const int32_t x = tiles_[kX][static_cast<size_t>(row * 64 + k)];
          const auto w =
              static_cast<int8_t>(tiles_[kW][static_cast<size_t>(k / 4 * 64 + output * 4 + k % 4)]);
          sum += static_cast<uint32_t>(x * w);
        }
        std::memcpy(at, &sum, sizeof(sum));
      }
    }
  }
  template <MatrixTile kSum>
  void Store(int32_t* rows) {
    std::memcpy(rows, tiles_[kSum].data(), static_cast<size_t>(rows_ * 64));
  }

 private:
  const int64_t rows_, quads_;
  std::array<std::array<uint8_t, 1024>, 8> tiles_ = {};
};

}  // namespace synap_internal

#endif  // KERNELS_SHARED_MATRIX_TILES_H_
