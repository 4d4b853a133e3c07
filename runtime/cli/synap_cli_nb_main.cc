#include <iostream>

#include "runtime/cli/synap_cli_nb.h"

int main(int argc, char** argv) {
  return synap_internal::SynapCliNb({argv + 1, argv + argc}, std::cout, std::cerr);
}
