#include "compiler/cli/program_identity.h"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "compiler/cli/digest.h"

namespace synap {
namespace {

struct LoadedObject {
  std::string file;      // "" for the program itself
  std::string build_id;  // hexadecimal digits; "" if the linker wrote none
};

// The build ID among the notes of a segment, as bytes. Notes are a header, the name and the
// description, each padded to 4 bytes.
absl::string_view FindBuildId(absl::string_view notes) {
  const auto padded = [](size_t size) { return (size + 3) / 4 * 4; };
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes.data(), sizeof(header));
    notes.remove_prefix(sizeof(header));
    const size_t name_size = padded(header.n_namesz);
    if (name_size > notes.size() || padded(header.n_descsz) > notes.size() - name_size) return {};
    const absl::string_view name = notes.substr(0, header.n_namesz);
    const absl::string_view description = notes.substr(name_size, header.n_descsz);
    if (header.n_type == NT_GNU_BUILD_ID && name == absl::string_view("GNU", 4)) return description;
    notes.remove_prefix(name_size + padded(header.n_descsz));
  }
  return {};
}

int AddObject(dl_phdr_info* info, size_t /*size*/, void* objects) {
  LoadedObject object;
  object.file = info->dlpi_name == nullptr ? "" : info->dlpi_name;
  // The kernel's own (linux-vdso.so.1) has no file, and computes no results.
  const bool has_file = object.file.empty() || absl::StrContains(object.file, "/");
  if (!has_file) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const absl::string_view notes(reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr),
                                  segment.p_memsz);
    if (object.build_id.empty()) object.build_id = absl::BytesToHexString(FindBuildId(notes));
  }
  static_cast<std::vector<LoadedObject>*>(objects)->push_back(std::move(object));
  return 0;
}

}  // namespace

absl::StatusOr<std::string> ProgramIdentity() {
  std::vector<LoadedObject> objects;
  dl_iterate_phdr(AddObject, &objects);
  std::vector<std::string> digests;
  for (const LoadedObject& object : objects) {
    if (object.file.empty()) {
      ASSIGN_OR_RETURN(digests.emplace_back(), DigestOfFile("/proc/self/exe"));
    } else if (!object.build_id.empty()) {
      digests.push_back(object.build_id);
    } else {
      ASSIGN_OR_RETURN(digests.emplace_back(), DigestOfFile(object.file));
    }
  }
  std::sort(digests.begin(), digests.end());  // the order of loading says nothing
  return Digest(absl::StrJoin(digests, " "));
}

}  // namespace synap
