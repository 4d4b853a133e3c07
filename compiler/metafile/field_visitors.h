// Visitors of the metafile's fields, which read them, write them, keep some or list them.
//
// VisitFields(row, section) of fields.cc has one row for each field of a section, a call of the
// visitor `row`: a Value, a Section with fields of its own, a List of sections, or a field that is
// Ignored. Private to fields.cc.
#ifndef COMPILER_METAFILE_FIELD_VISITORS_H_
#define COMPILER_METAFILE_FIELD_VISITORS_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "compiler/metafile/canonical_yaml.h"
#include "compiler/metafile/fields.h"
#include "compiler/metafile/read_values.h"
#include "compiler/metafile/yaml_reader.h"

namespace synap_internal::metafile_fields {

// Traits of fields, as bits.
inline constexpr unsigned kAlways = 1;      // written as a default, too, where defaults may change
inline constexpr unsigned kLast = 2;        // written after the others
inline constexpr unsigned kLate = 4;        // the same where defaults are left out
inline constexpr unsigned kUnwritten = 8;   // another field says the same
inline constexpr unsigned kNullIsMap = 16;  // a section without a value is one without fields
inline constexpr unsigned kSecret = 32;     // errors in the section show no text that may be a key
inline constexpr unsigned kFirst = 64;      // read before the others of the section

struct Field {
  absl::string_view name;
  absl::string_view fallback;  // as MetafileField::fallback; "" for fields with words
  unsigned decides;            // 0 for sections, whose fields decide
  absl::string_view sentence;
  unsigned traits = 0;
};

template <typename Section>
absl::Status ReadSection(const FieldInput& in, Section& section);
template <typename Section>
MapWriter WriteSection(Section section, bool with_defaults);

template <typename T>
void Reset(const Field&, T& value) {
  value = T{};
}
inline void Reset(const Field& field, bool& value) { value = field.fallback == "true"; }

// Functions of types that need more than one line have the same name.
template <typename T>
void WriteValue(const Field& field, const T& value, bool always, MapWriter& out) {
  T fallback;
  Reset(field, fallback);
  if (always || value != fallback) out.Add(field.name, YamlText(value));
}

// The section that a member is or may have.
template <typename T>
T* Find(T& member) {
  return &member;
}
template <typename T>
T* Find(std::optional<T>& member) {
  return member.has_value() ? &*member : nullptr;
}

// Makes a list of the fields' readers, each for its member.
class FieldReading {
 public:
  FieldReading(const YamlReader& yaml, const MetafileOptions& options)
      : yaml_(yaml), options_(options) {}
  const std::vector<YamlReader::Field>& fields() const { return fields_; }

  template <typename T, typename Read, typename... Words>
  void Value(const Field& field, T& member, Read read, Words...) {
    Add(field, [read, &member](const FieldInput& in) { return read(in, member); });
  }
  // `check` checks the fields of the section against each other.
  template <typename T, typename Check>
  void Section(const Field& field, T& member, Check check) {
    Add(field, [field, check, &member](const FieldInput& in) -> absl::Status {
      if (in.value.IsNull() && (field.traits & kNullIsMap) == 0) return absl::OkStatus();
      if constexpr (requires { member.emplace(); }) member.emplace();
      auto& section = *Find(member);
      if constexpr (requires { section.location; }) section.location = in.value.location;
      const YamlReader yaml = (field.traits & kSecret) != 0 ? in.yaml.WithoutTexts() : in.yaml;
      const FieldInput inside{yaml, in.options, in.value};
      RETURN_IF_ERROR(ReadSection(inside, section));
      return check(inside, section);
    });
  }
  template <typename Entry>
  void List(const Field& field, std::vector<Entry>& list) {
    Add(field, [&list](const FieldInput& in) -> absl::Status {
      ASSIGN_OR_RETURN(const std::vector<YamlValue> items, in.yaml.List(in.value));
      for (const YamlValue& item : items) {
        list.emplace_back().location = item.location;
        RETURN_IF_ERROR(ReadSection({in.yaml, in.options, item}, list.back()));
      }
      return absl::OkStatus();
    });
  }
  void Ignored(const Field& field) {
    Add(field, [](const FieldInput&) { return absl::OkStatus(); });
  }

 private:
  template <typename Read>
  void Add(const Field& field, Read read) {
    fields_.push_back({std::string(field.name),
                       [this, read](const YamlValue& value) {
                         return read(FieldInput{yaml_, options_, value});
                       },
                       (field.traits & kFirst) != 0});
  }

  const YamlReader& yaml_;
  const MetafileOptions& options_;
  std::vector<YamlReader::Field> fields_;
};

// Writes the fields that have other values than their defaults.
class FieldWriting {
 public:
  // `with_defaults`: fields of the trait kAlways, too.
  explicit FieldWriting(bool with_defaults) : with_defaults_(with_defaults) {}

  MapWriter TakeMap() {
    first_.Append(last_);
    return std::move(first_);
  }

  template <typename T, typename... Readers>
  void Value(const Field& field, const T& member, Readers...) {
    const bool always = with_defaults_ && (field.traits & kAlways) != 0;
    if ((field.traits & kUnwritten) == 0) WriteValue(field, member, always, Out(field));
  }
  template <typename T, typename Check>
  void Section(const Field& field, T& member, Check) {
    if (const auto* section = Find(member)) {
      Out(field).AddMap(field.name, WriteSection(*section, with_defaults_));
    }
  }
  template <typename Entry>
  void List(const Field& field, const std::vector<Entry>& list) {
    std::vector<MapWriter> maps;
    for (const Entry& entry : list) maps.push_back(WriteSection(entry, with_defaults_));
    Out(field).AddList(field.name, maps);
  }
  void Ignored(const Field&) {}

 private:
  MapWriter& Out(const Field& field) {
    return (field.traits & (with_defaults_ ? kLast : kLast | kLate)) != 0 ? last_ : first_;
  }

  const bool with_defaults_;
  MapWriter first_, last_;
};

// Gives their defaults to the fields that decide nothing of what is `decided`.
class FieldKeeping {
 public:
  explicit FieldKeeping(unsigned decided) : decided_(decided) {}

  template <typename T, typename... Readers>
  void Value(const Field& field, T& member, Readers...) {
    if ((field.decides & decided_) == 0) Reset(field, member);
  }
  template <typename T, typename Check>
  void Section(const Field&, T& member, Check) {
    auto* const section = Find(member);
    if (section == nullptr) return;
    VisitFields(*this, *section);
    if (WriteSection(*section, (decided_ & Decides::kQuantizers) != 0).empty()) member = T{};
  }
  template <typename Entry>
  void List(const Field& field, std::vector<Entry>& list) {
    if ((field.decides & decided_) == 0) list.clear();
    for (Entry& entry : list) VisitFields(*this, entry);
  }
  void Ignored(const Field&) {}

 private:
  const unsigned decided_;
};

// Lists the fields of the section at `path`, each section before its own.
class FieldListing {
 public:
  FieldListing(std::string path, std::vector<MetafileField>& fields)
      : path_(std::move(path)), fields_(fields) {}

  template <typename T, typename Read>
  void Value(const Field& field, T&, Read, std::vector<std::string> (*words)() = nullptr) {
    Add(field, words == nullptr ? std::vector<std::string>() : words());
  }
  template <typename T, typename Check>
  void Section(const Field& field, T& member, Check) {
    Add(field, {});
    FieldListing listing(absl::StrCat(path_, field.name, "."), fields_);
    if constexpr (requires { member.emplace(); }) member.emplace();
    VisitFields(listing, *Find(member));
  }
  template <typename Entry>
  void List(const Field& field, std::vector<Entry>&) {
    Add(field, {});
    Entry entry;
    FieldListing listing(absl::StrCat(path_, field.name, "[]."), fields_);
    VisitFields(listing, entry);
  }
  void Ignored(const Field& field) { Add(field, {}); }

 private:
  void Add(const Field& field, std::vector<std::string> words) {
    std::string fallback(words.empty() ? field.fallback : words.front());
    fields_.push_back({absl::StrCat(path_, field.name), std::move(words), std::move(fallback),
                       std::string(field.sentence)});
  }

  const std::string path_;
  std::vector<MetafileField>& fields_;
};

template <typename Section>
absl::Status ReadSection(const FieldInput& in, Section& section) {
  FieldReading reading(in.yaml, in.options);
  VisitFields(reading, section);
  return in.yaml.ReadMap(in.value, reading.fields());
}

template <typename Section>
MapWriter WriteSection(Section section, bool with_defaults) {
  FieldWriting writing(with_defaults);
  VisitFields(writing, section);
  return writing.TakeMap();
}

}  // namespace synap_internal::metafile_fields

#endif  // COMPILER_METAFILE_FIELD_VISITORS_H_
