// CPU features that Highway 1.0.3 can't dispatch on, for the few guarded
// micro-kernels that use them.
#ifndef KERNELS_SHARED_CPU_EXTENSIONS_H_
#define KERNELS_SHARED_CPU_EXTENSIONS_H_

namespace synap_internal {

// AVX-512 VNNI and AVX-VNNI (dot products of int8 and int16, in vectors of 512 and
// of 256 bits), AVX-512 VBMI (byte permutations); ARM's dot products of bytes of
// equal signedness (FEAT_DotProd) and of unsigned by signed bytes (FEAT_I8MM). False
// on other architectures, and while switched off.
bool CpuHasAvx512Vnni();
bool CpuHasAvxVnni();
bool CpuHasAvx512Vbmi();
bool CpuHasArmDotProd();
bool CpuHasArmI8mm();

// Intel's AMX with products of bytes (AMX-INT8), which Linux grants this process.
bool CpuHasAmxInt8();

// The matrix registers to compute with (matrix_tiles.h).
enum class MatrixUnit { kNone, kAmx, kEmulated };
MatrixUnit CpuMatrixUnit();

// Emulates matrix registers while it lives, on processors with AVX-512 VNNI, so that tests
// reach the code for processors with AMX. Not thread-safe.
class WithEmulatedMatrixUnit {
 public:
  WithEmulatedMatrixUnit();
  ~WithEmulatedMatrixUnit();
  WithEmulatedMatrixUnit(const WithEmulatedMatrixUnit&) = delete;
  WithEmulatedMatrixUnit& operator=(const WithEmulatedMatrixUnit&) = delete;
};

// Leaves the matrix registers alone while it lives, to measure without them. Not thread-safe.
class WithoutMatrixUnit {
 public:
  WithoutMatrixUnit();
  ~WithoutMatrixUnit();
  WithoutMatrixUnit(const WithoutMatrixUnit&) = delete;
  WithoutMatrixUnit& operator=(const WithoutMatrixUnit&) = delete;
};

// Switches off all of the above while it lives, so that tests reach the code for
// processors without them. Kernels ask once, in Prepare. Not thread-safe.
class WithoutCpuExtensions {
 public:
  WithoutCpuExtensions();
  ~WithoutCpuExtensions();
  WithoutCpuExtensions(const WithoutCpuExtensions&) = delete;
  WithoutCpuExtensions& operator=(const WithoutCpuExtensions&) = delete;
};

// Undoes WithoutCpuExtensions while it lives, to measure the processor itself. Not
// thread-safe.
class WithCpuExtensions {
 public:
  WithCpuExtensions();
  ~WithCpuExtensions();
  WithCpuExtensions(const WithCpuExtensions&) = delete;
  WithCpuExtensions& operator=(const WithCpuExtensions&) = delete;

 private:
  const int switched_off_;
};

}  // namespace synap_internal

#endif  // KERNELS_SHARED_CPU_EXTENSIONS_H_
