#include "compiler/import/fuzzing/wire_mutator.h"

#include <iterator>
#include <limits>
#include <random>
#include <vector>

#include "google/protobuf/unknown_field_set.h"

namespace synap_internal {
namespace {

using google::protobuf::UnknownField;
using google::protobuf::UnknownFieldSet;

constexpr int kMaxDepth = 64;
constexpr size_t kMaxGrowth = 64;  // bytes that one change adds to a field

class Mutation {
 public:
  explicit Mutation(uint32_t seed) : random_(seed) {}

  std::string Mutate(const std::string& message, const MutateBytes& mutate_bytes, int depth = 0) {
    UnknownFieldSet fields;
    if (!Parse(message, &fields)) return message;
    const int chosen = Below(fields.field_count());
    UnknownField* field = fields.mutable_field(chosen);
    UnknownFieldSet inner;
    if (depth < kMaxDepth && IsMessage(*field, &inner) && Below(8) != 0) {
      *field->mutable_length_delimited() =
          Mutate(field->length_delimited(), mutate_bytes, depth + 1);
      return Serialize(fields);
    }
    switch (Below(6)) {
      case 0:
        fields.DeleteSubrange(chosen, 1);
        break;
      case 1:
        fields.AddField(UnknownField(*field));
        break;
      case 2:
        CopySibling(&fields, chosen);
        break;
      default:
        ChangeValue(field, mutate_bytes);
    }
    return Serialize(fields);
  }

  std::string Cross(const std::string& message, const std::string& donor, int depth = 0) {
    UnknownFieldSet fields, donors;
    if (!Parse(message, &fields) || !Parse(donor, &donors)) return message;
    const UnknownField& given = donors.field(Below(donors.field_count()));
    UnknownFieldSet inner;
    const std::vector<int> same = FieldsLike(fields, given);
    if (depth < kMaxDepth && !same.empty() && IsMessage(given, &inner) && Below(4) != 0) {
      UnknownField* taker = fields.mutable_field(Any(same));
      *taker->mutable_length_delimited() =
          Cross(taker->length_delimited(), given.length_delimited(), depth + 1);
    } else {
      fields.AddField(given);
    }
    return Serialize(fields);
  }

 private:
  static bool Parse(const std::string& message, UnknownFieldSet* fields) {
    return fields->ParseFromString(message) && !fields->empty();
  }

  static bool IsMessage(const UnknownField& field, UnknownFieldSet* inner) {
    return field.type() == UnknownField::TYPE_LENGTH_DELIMITED &&
           Parse(field.length_delimited(), inner);
  }

  static std::string Serialize(const UnknownFieldSet& fields) {
    std::string text;
    fields.SerializeToString(&text);
    return text;
  }

  // Those with its number and wire type.
  static std::vector<int> FieldsLike(const UnknownFieldSet& fields, const UnknownField& field) {
    std::vector<int> alike;
    for (int i = 0; i < fields.field_count(); ++i) {
      const UnknownField& other = fields.field(i);
      if (other.number() == field.number() && other.type() == field.type()) alike.push_back(i);
    }
    return alike;
  }

  int Any(const std::vector<int>& indices) {
    return indices[static_cast<size_t>(Below(static_cast<int>(indices.size())))];
  }
  int Below(int count) { return static_cast<int>(random_() % static_cast<uint32_t>(count)); }

  uint64_t Varint(uint64_t value) {
    constexpr int64_t kLimits[] = {0,
                                   1,
                                   -1,
                                   std::numeric_limits<int32_t>::max(),
                                   std::numeric_limits<int32_t>::min(),
                                   std::numeric_limits<int64_t>::max(),
                                   std::numeric_limits<int64_t>::min()};
    switch (Below(4)) {
      case 0:
        return static_cast<uint64_t>(kLimits[Below(std::size(kLimits))]);
      case 1:
        return value + static_cast<uint64_t>(Below(5)) - 2;
      case 2:
        return uint64_t{1} << Below(64);
      default:
        return static_cast<uint64_t>(Below(64));
    }
  }

  void ChangeValue(UnknownField* field, const MutateBytes& mutate_bytes) {
    switch (field->type()) {
      case UnknownField::TYPE_VARINT:
        field->set_varint(Varint(field->varint()));
        break;
      case UnknownField::TYPE_FIXED32: {
        constexpr uint32_t kFloats[] = {0,          0x80000000, 0x3f800000, 0x7f800000,
                                        0xff800000, 0x7fc00000, 0x7f7fffff, 1};
        field->set_fixed32(Below(2) ? kFloats[Below(std::size(kFloats))]
                                    : static_cast<uint32_t>(random_()));
        break;
      }
      case UnknownField::TYPE_FIXED64: {
        constexpr uint64_t kDoubles[] = {0, 1, 0x7ff0000000000000, 0xfff0000000000000,
                                         0x7ff8000000000000};
        field->set_fixed64(Below(2) ? kDoubles[Below(std::size(kDoubles))]
                                    : uint64_t{random_()} << 32 | random_());
        break;
      }
      case UnknownField::TYPE_LENGTH_DELIMITED: {
        std::string* bytes = field->mutable_length_delimited();
        const size_t size = bytes->size();
        bytes->resize(size + kMaxGrowth);
        bytes->resize(mutate_bytes(reinterpret_cast<uint8_t*>(bytes->data()), size, bytes->size()));
        break;
      }
      case UnknownField::TYPE_GROUP:
        field->mutable_group()->Clear();
        break;
    }
  }

  // Names, types and shapes then match more often than random bytes would.
  void CopySibling(UnknownFieldSet* fields, int chosen) {
    const int sibling = Any(FieldsLike(*fields, fields->field(chosen)));
    fields->AddField(UnknownField(fields->field(sibling)));
    fields->DeleteSubrange(chosen, 1);
  }

  std::mt19937 random_;
};

}  // namespace

std::string MutateWire(const std::string& message, uint32_t seed, const MutateBytes& mutate_bytes) {
  return Mutation(seed).Mutate(message, mutate_bytes);
}

std::string CrossWire(const std::string& message, const std::string& donor, uint32_t seed) {
  return Mutation(seed).Cross(message, donor);
}

}  // namespace synap_internal
