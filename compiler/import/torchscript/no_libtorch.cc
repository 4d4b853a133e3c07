// synap_torchscript_reader on a machine without libtorch: says what is missing.
#include <cstdio>

int main() {
  std::fputs(
      "TorchScript models need libtorch, which was not installed when synap was built: install "
      "Debian's package libtorch-dev (apt-get install libtorch-dev), or run ./bazelw, which does, "
      "and build //compiler/convert/cli:synap again\n",
      stderr);
  return 3;
}
