#include <iostream>

#include "runtime/cli/synap_cli_ip.h"

int main(int argc, char** argv) {
  return synap_internal::SynapCliIp({argv + 1, argv + argc}, std::cout, std::cerr);
}
