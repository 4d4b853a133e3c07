#include <iostream>

#include "runtime/cli/synap_cli.h"

int main(int argc, char** argv) {
  return synap_internal::SynapCli({argv + 1, argv + argc}, std::cout, std::cerr);
}
