// Instructions beyond what Highway 1.0.3 dispatches on, for the few guarded
// micro-kernels that use them.
#ifndef KERNELS_CPU_EXTENSIONS_H_
#define KERNELS_CPU_EXTENSIONS_H_

namespace synap {

// AVX-512 VNNI and AVX-VNNI (dot products of int8 and int16, in vectors of 512 and
// of 256 bits), AVX-512 VBMI (byte permutations); ARM's dot products of bytes whose
// signs are alike (FEAT_DotProd) and of unsigned by signed ones (FEAT_I8MM). False on
// other architectures, and while switched off.
bool CpuHasAvx512Vnni();
bool CpuHasAvxVnni();
bool CpuHasAvx512Vbmi();
bool CpuHasArmDotProd();
bool CpuHasArmI8mm();

// While one lives, all of the above are false, so that tests reach the paths
// of processors without. Kernels ask once, in Prepare. Not for threads.
class WithoutCpuExtensions {
 public:
  WithoutCpuExtensions();
  ~WithoutCpuExtensions();
  WithoutCpuExtensions(const WithoutCpuExtensions&) = delete;
  WithoutCpuExtensions& operator=(const WithoutCpuExtensions&) = delete;
};

// While one lives, none is switched off: for what measures the processor itself. Not
// for threads.
class WithCpuExtensions {
 public:
  WithCpuExtensions();
  ~WithCpuExtensions();
  WithCpuExtensions(const WithCpuExtensions&) = delete;
  WithCpuExtensions& operator=(const WithCpuExtensions&) = delete;

 private:
  const int switched_off_;
};

}  // namespace synap

#endif  // KERNELS_CPU_EXTENSIONS_H_
