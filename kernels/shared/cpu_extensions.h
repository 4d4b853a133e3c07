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
