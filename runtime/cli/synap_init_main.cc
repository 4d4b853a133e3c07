#include <unistd.h>

#include <iostream>

#include "runtime/cli/synap_init.h"

int main(int argc, char** argv) {
  const auto sleep = [] {
    while (true) pause();  // it returns after signals that don't end the program
  };
  return synap_internal::SynapInit({argv + 1, argv + argc}, std::cin, std::cout, std::cerr, sleep);
}
