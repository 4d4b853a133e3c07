// `synap keys`: makes the keys and certificates of secure models.
#include <cstdio>
#include <memory>
#include <string>

#include "CLI/CLI.hpp"
#include "base/status_macros.h"
#include "compiler/convert/cli/command_line.h"
#include "runtime/security/key_folder.h"

namespace synap_internal {
namespace {

struct KeysFlags {
  std::string out_dir;
  KeyFolderOptions keys;
};

absl::Status MakeKeys(const KeysFlags& flags) {
  RETURN_IF_ERROR(WriteKeyFolder(flags.out_dir, flags.keys));
  std::printf("%s/security.yaml is for a metafile's 'security: {file: ...}', %s for SYNAP_KEYS\n",
              flags.out_dir.c_str(), RuntimeKeysIn(flags.out_dir).c_str());
  return absl::OkStatus();
}

}  // namespace

void AddKeysCommand(CLI::App& app, Command& chosen) {
  const auto flags = std::make_shared<KeysFlags>();
  CLI::App* keys = app.add_subcommand("keys", "Make the keys and certificates of secure models");
  keys->add_option("--out-dir", flags->out_dir, "New folder")->required();
  CLI::Option* key = keys->add_option("--vendor-key", flags->keys.vendor_key,
                                      "Private key of a vendor that there is already (.pem)");
  CLI::Option* certificate = keys->add_option(
      "--vendor-certificate", flags->keys.vendor_certificate, "Its certificate (.crt)");
  key->needs(certificate);
  certificate->needs(key);
  keys->add_option("--vendor-name", flags->keys.vendor_name, "Common name of a new vendor")
      ->capture_default_str();
  keys->add_option("--model-name", flags->keys.model_name, "Common name in the model certificate")
      ->capture_default_str();
  keys->callback([flags, &chosen] { chosen = [flags] { return MakeKeys(*flags); }; });
}

}  // namespace synap_internal
