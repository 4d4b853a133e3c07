// `synap keys`: makes the keys and certificates of secure models.
#include <cstdio>
#include <memory>
#include <string>

#include "base/status_macros.h"
#include "compiler/convert/cli/commands.h"
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

void AddKeysCommand(CommandLine& app, Command& chosen) {
  const auto flags = std::make_shared<KeysFlags>();
  CommandLine keys = app.AddCommand("keys", "Make the keys and certificates of secure models");
  keys.AddOption("--out-dir", flags->out_dir, "New folder").Required();
  const Option key = keys.AddOption("--vendor-key", flags->keys.vendor_key,
                                    "Private key of a vendor that there is already (.pem)");
  const Option certificate = keys.AddOption("--vendor-certificate", flags->keys.vendor_certificate,
                                            "Its certificate (.crt)");
  key.Needs(certificate);
  certificate.Needs(key);
  keys.AddOption("--vendor-name", flags->keys.vendor_name, "Common name of a new vendor")
      .ShowDefault();
  keys.AddOption("--model-name", flags->keys.model_name, "Common name in the model certificate")
      .ShowDefault();
  SetWork(keys, flags, MakeKeys, chosen);
}

}  // namespace synap_internal
