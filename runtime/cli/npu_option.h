// Option --lock of programs that can reserve the NPU.
#ifndef RUNTIME_CLI_NPU_OPTION_H_
#define RUNTIME_CLI_NPU_OPTION_H_

#include <iosfwd>

#include "runtime/cli/arg_parser.h"
#include "synap/npu.hpp"

namespace synap_internal {

// Holds the lock, if the option is given, from Apply() until it is destroyed.
class NpuOption {
 public:
  // `parser` and *this must live until everything is parsed.
  void Declare(ArgParser& parser);

  // Takes the lock and says so; false after it has shown an error.
  bool Apply(std::ostream& out, std::ostream& err);

 private:
  bool lock_ = false;
  synaptics::synap::Npu npu_;
};

}  // namespace synap_internal

#endif  // RUNTIME_CLI_NPU_OPTION_H_
