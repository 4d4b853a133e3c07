#include <iostream>

#include "runtime/cli/synap_cli_info.h"

int main(int argc, char** argv) {
  return synap_internal::SynapCliInfo({argv + 1, argv + argc}, std::cout, std::cerr);
}
