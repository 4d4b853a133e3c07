#include "runtime/bundle/stored_zip.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "runtime/bundle/crc32.h"

// Names and sizes of fields follow APPNOTE.TXT, sections 4.3.7, 4.3.12, 4.3.16.
namespace synap_internal {
namespace {

constexpr uint32_t kLocalSignature = 0x04034b50;
constexpr uint32_t kCentralSignature = 0x02014b50;
constexpr uint32_t kEndSignature = 0x06054b50;
constexpr size_t kLocalSize = 30;
constexpr size_t kCentralSize = 46;
constexpr size_t kEndSize = 22;
constexpr size_t kMaxComment = 65535;
constexpr uint16_t kVersion = 10;
constexpr uint16_t kFirstOfJanuary1980 = (1 << 5) | 1;
constexpr uint16_t kEncryptedFlag = 1;
// Extra field of padding: id, size of the rest, alignment, zeros.
constexpr uint16_t kAlignmentExtraId = 0xD935;
constexpr size_t kMinExtra = 6;

uint32_t Read16(const uint8_t* p) { return p[0] | static_cast<uint32_t>(p[1]) << 8; }
uint32_t Read32(const uint8_t* p) { return Read16(p) | Read16(p + 2) << 16; }

void Put16(size_t value, std::string* out) {
  out->push_back(static_cast<char>(value & 0xFF));
  out->push_back(static_cast<char>((value >> 8) & 0xFF));
}

void Put32(size_t value, std::string* out) {
  Put16(value & 0xFFFF, out);
  Put16((value >> 16) & 0xFFFF, out);
}

absl::Status Corrupt(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("not a valid ZIP file: ", what));
}

// A name from the file, of any bytes, as a part of a line.
std::string Quoted(absl::string_view name) {
  constexpr size_t kShown = 80;
  return absl::StrCat("'", absl::CHexEscape(name.substr(0, kShown)), "'");
}

struct Directory {
  size_t offset;
  size_t size;
  size_t entries;
};

absl::StatusOr<Directory> FindDirectory(absl::Span<const uint8_t> bytes) {
  if (bytes.size() < kEndSize) {
    return Corrupt(absl::StrCat("it has ", bytes.size(), " bytes, expected at least ", kEndSize));
  }
  const size_t first = bytes.size() - std::min(bytes.size(), kEndSize + kMaxComment);
  for (size_t at = bytes.size() - kEndSize + 1; at-- > first;) {
    const uint8_t* end = bytes.data() + at;
    if (Read32(end) != kEndSignature) continue;
    if (at + kEndSize + Read16(end + 20) != bytes.size()) continue;
    if (Read16(end + 4) != 0 || Read16(end + 6) != 0 || Read16(end + 8) != Read16(end + 10)) {
      return absl::UnimplementedError("ZIP file has several volumes, expected one");
    }
    const Directory directory{Read32(end + 16), Read32(end + 12), Read16(end + 10)};
    if (directory.offset == 0xFFFFFFFF || directory.entries == 0xFFFF) {
      return absl::UnimplementedError(
          "ZIP file uses ZIP64, which is not supported; expected a "
          "file below 4 GiB");
    }
    if (directory.offset > at || directory.size > at - directory.offset) {
      return Corrupt("its directory is outside of the file, expected it before the end record");
    }
    return directory;
  }
  return Corrupt(
      "it has no end record, expected one at its end; it is truncated, or isn't a ZIP file at all");
}

// Offset of an entry's data, from its local header.
absl::StatusOr<size_t> DataOffset(absl::Span<const uint8_t> bytes, size_t local,
                                  absl::string_view name) {
  if (local > bytes.size() || bytes.size() - local < kLocalSize ||
      Read32(bytes.data() + local) != kLocalSignature) {
    return Corrupt(
        absl::StrCat("entry ", Quoted(name), " has no local header, expected one at byte ", local));
  }
  const size_t name_size = Read16(bytes.data() + local + 26);
  const size_t extra_size = Read16(bytes.data() + local + 28);
  if (bytes.size() - local - kLocalSize < name_size + extra_size ||
      absl::string_view(reinterpret_cast<const char*>(bytes.data()) + local + kLocalSize,
                        name_size) != name) {
    return Corrupt(
        absl::StrCat("the local header of entry ", Quoted(name),
                     " has another name or is truncated, expected the directory's name"));
  }
  return local + kLocalSize + name_size + extra_size;
}

absl::StatusOr<absl::Span<const uint8_t>> ReadData(absl::Span<const uint8_t> bytes,
                                                   const uint8_t* header, absl::string_view name) {
  if ((Read16(header + 8) & kEncryptedFlag) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("entry ", Quoted(name), " is encrypted, expected a plain one"));
  }
  const size_t size = Read32(header + 24);
  if (Read16(header + 10) != 0 || Read32(header + 20) != size) {
    return absl::InvalidArgumentError(
        absl::StrCat("entry ", Quoted(name), " is compressed, expected a stored one; use zip -0"));
  }
  ASSIGN_OR_RETURN(const size_t offset, DataOffset(bytes, Read32(header + 42), name));
  if (size > bytes.size() - offset) {
    return Corrupt(absl::StrCat("entry ", Quoted(name), " has ", size,
                                " bytes, expected at most the ", bytes.size() - offset,
                                " up to the end of the file"));
  }
  const absl::Span<const uint8_t> data = bytes.subspan(offset, size);
  const uint32_t found = Crc32(data), expected = Read32(header + 16);
  if (found != expected) {
    return Corrupt(absl::StrCat("entry ", Quoted(name), " is damaged: its checksum is ",
                                absl::Hex(found, absl::kZeroPad8), ", expected ",
                                absl::Hex(expected, absl::kZeroPad8)));
  }
  return data;
}

void PutLocalHeader(const ZipEntry& entry, uint32_t crc, std::string* out) {
  const size_t unpadded = out->size() + kLocalSize + entry.name.size();
  size_t padding = (kZipAlignment - unpadded % kZipAlignment) % kZipAlignment;
  if (padding > 0 && padding < kMinExtra) padding += kZipAlignment;
  Put32(kLocalSignature, out);
  for (const size_t field :
       {size_t{kVersion}, size_t{0}, size_t{0}, size_t{0}, size_t{kFirstOfJanuary1980}}) {
    Put16(field, out);
  }
  Put32(crc, out);
  Put32(entry.data.size(), out);
  Put32(entry.data.size(), out);
  Put16(entry.name.size(), out);
  Put16(padding, out);
  *out += entry.name;
  if (padding == 0) return;
  Put16(kAlignmentExtraId, out);
  Put16(padding - 4, out);
  Put16(kZipAlignment, out);
  out->append(padding - kMinExtra, '\0');
}

void PutCentralHeader(const ZipEntry& entry, uint32_t crc, size_t local, std::string* out) {
  Put32(kCentralSignature, out);
  for (const size_t field : {size_t{kVersion}, size_t{kVersion}, size_t{0}, size_t{0}, size_t{0},
                             size_t{kFirstOfJanuary1980}}) {
    Put16(field, out);
  }
  Put32(crc, out);
  Put32(entry.data.size(), out);
  Put32(entry.data.size(), out);
  Put16(entry.name.size(), out);
  for (int i = 0; i < 4; ++i) Put16(0, out);  // extra, comment, volume, internal attributes
  Put32(0, out);                              // external attributes
  Put32(local, out);
  *out += entry.name;
}

}  // namespace

absl::StatusOr<std::vector<ZipEntry>> ReadStoredZip(absl::Span<const uint8_t> bytes) {
  ASSIGN_OR_RETURN(const Directory directory, FindDirectory(bytes));
  absl::Span<const uint8_t> rest = bytes.subspan(directory.offset, directory.size);
  std::vector<ZipEntry> entries;
  std::set<std::string> names;
  size_t total = 0;
  for (size_t i = 0; i < directory.entries; ++i) {
    if (rest.size() < kCentralSize || Read32(rest.data()) != kCentralSignature) {
      return Corrupt(
          absl::StrCat("its directory has ", i, " entries, expected ", directory.entries));
    }
    const uint8_t* header = rest.data();
    const size_t name_size = Read16(header + 28);
    const size_t size = kCentralSize + name_size + Read16(header + 30) + Read16(header + 32);
    if (size > rest.size()) {
      return Corrupt(absl::StrCat("entry ", i, " of its directory has ", size,
                                  " bytes, expected at most the ", rest.size(), " that are left"));
    }
    std::string name(reinterpret_cast<const char*>(header) + kCentralSize, name_size);
    if (!names.insert(name).second) {
      return Corrupt(
          absl::StrCat("it has two entries ", Quoted(name), ", expected different names"));
    }
    ASSIGN_OR_RETURN(const absl::Span<const uint8_t> data, ReadData(bytes, header, name));
    total += data.size();
    if (total > bytes.size()) return Corrupt("its entries overlap, expected separate ones");
    entries.push_back({std::move(name), data});
    rest.remove_prefix(size);
  }
  return entries;
}

absl::StatusOr<std::string> WriteStoredZip(absl::Span<const ZipEntry> entries) {
  std::string out;
  std::string directory;
  size_t total = 0;
  for (const ZipEntry& entry : entries) total += entry.data.size() + 2 * entry.name.size() + 256;
  if (entries.size() >= 0xFFFF || total >= std::numeric_limits<uint32_t>::max()) {
    return absl::ResourceExhaustedError(
        absl::StrCat(entries.size(), " entries with about ", total,
                     " bytes don't fit into a ZIP file, expected less than 4 GiB"));
  }
  out.reserve(total);
  for (const ZipEntry& entry : entries) {
    CHECK(!entry.name.empty() && entry.name.size() <= 0xFFFF);
    const uint32_t crc = Crc32(entry.data);
    PutCentralHeader(entry, crc, out.size(), &directory);
    PutLocalHeader(entry, crc, &out);
    out.append(reinterpret_cast<const char*>(entry.data.data()), entry.data.size());
  }
  const size_t offset = out.size();
  out += directory;
  Put32(kEndSignature, &out);
  Put32(0, &out);  // volumes
  Put16(entries.size(), &out);
  Put16(entries.size(), &out);
  Put32(directory.size(), &out);
  Put32(offset, &out);
  Put16(0, &out);  // comment
  return out;
}

}  // namespace synap_internal
