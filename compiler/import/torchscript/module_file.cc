#include "compiler/import/torchscript/module_file.h"

#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "compiler/import/archive.h"
#include "compiler/import/unreadable_file.h"

namespace synap_internal::torchscript_import {
namespace {

// The advice about such files, as in docs/torchscript.md.
constexpr absl::string_view kHowToSave =
    "The Python code of the model is needed to load it. Load it with that, and save it with "
    "torch.jit.trace(model.eval(), example).save(\"model.torchscript\") or torch.jit.script, or "
    "export it to ONNX; of Ultralytics' models: YOLO(\"model.pt\").export(format=\"torchscript\")";

absl::Status NotAModule(absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("is not a TorchScript module: ", why));
}

// The pickle of torch.save before 1.6: its magic number, as a long of ten bytes.
bool IsLegacyPickle(absl::string_view bytes) {
  return absl::StartsWith(bytes, "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19");
}

// Any other pickle of protocols 2 to 5 begins with that number, and ends with a dot.
bool IsPickle(absl::string_view bytes) {
  return bytes.size() > 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5;
}

absl::Status CheckEntries(const Archive& archive) {
  bool code = false, constants = false, pickle = false, bytecode = false;
  for (const std::string& name : archive.names()) {
    const absl::string_view entry = WithoutFolder(name);
    code |= absl::StartsWith(entry, "code/");
    constants |= entry == "constants.pkl";
    pickle |= entry == "data.pkl";
    bytecode |= entry == "bytecode.pkl";
  }
  if (code && (constants || pickle)) return absl::OkStatus();
  if (pickle) {
    return NotAModule(absl::StrCat(
        "it was saved with torch.save and holds a state dict (parameters alone) or a pickled "
        "module, not the structure of a network. ",
        kHowToSave));
  }
  if (bytecode) return NotAModule("it holds bytecode only; save the module with its code");
  return NotAModule("it is an archive of something else");
}

}  // namespace

absl::Status CheckModuleFile(absl::string_view bytes) {
  if (const absl::string_view why = WhyUnreadable(bytes); !why.empty()) return NotAModule(why);
  if (absl::StartsWith(bytes, "PK\x03\x04")) {
    const std::optional<Archive> archive = Archive::Open(bytes);
    if (!archive.has_value()) return NotAModule("it is a truncated or damaged archive");
    return CheckEntries(*archive);
  }
  if (IsLegacyPickle(bytes) || IsPickle(bytes)) {
    return NotAModule(absl::StrCat(
        "it is a pickle: a state dict (parameters alone) or a pickled module, saved by an old "
        "torch.save, not the structure of a network. ",
        kHowToSave));
  }
  return NotAModule("it is not a ZIP archive");
}

}  // namespace synap_internal::torchscript_import
