#include "compiler/import/fuzzing/wire_mutator.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "google/protobuf/unknown_field_set.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

using google::protobuf::UnknownFieldSet;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

std::string Serialize(const UnknownFieldSet& fields) {
  std::string text;
  fields.SerializeToString(&text);
  return text;
}

// A graph (7) of two nodes (1) with a name (2) each, behind a version (1).
std::string Model() {
  std::string nodes;
  for (const char* name : {"Conv_0", "Relu_0"}) {
    UnknownFieldSet node, graph;
    node.AddLengthDelimited(2, name);
    graph.AddLengthDelimited(1, Serialize(node));
    nodes += Serialize(graph);
  }
  UnknownFieldSet model;
  model.AddVarint(1, 8);
  model.AddLengthDelimited(7, nodes);
  return Serialize(model);
}

size_t Keep(uint8_t*, size_t size, size_t) { return size; }

// Every byte of the name becomes x, and there is one more.
size_t Grow(uint8_t* data, size_t size, size_t max_size) {
  if (size == max_size) return size;
  std::fill(data, data + size + 1, 'x');
  return size + 1;
}

// The names of the nodes that still read as such, one string for each message.
std::string Names(const std::string& message) {
  UnknownFieldSet model, graph, node;
  if (!model.ParseFromString(message)) return "unreadable";
  std::string names;
  for (int i = 0; i < model.field_count(); ++i) {
    if (model.field(i).number() != 7) continue;
    if (!graph.ParseFromString(model.field(i).length_delimited())) return "unreadable graph";
    for (int j = 0; j < graph.field_count(); ++j) {
      if (!node.ParseFromString(graph.field(j).length_delimited())) return "unreadable node";
      for (int k = 0; k < node.field_count(); ++k) names += node.field(k).length_delimited() + " ";
    }
  }
  return names;
}

std::set<std::string> Mutants(const MutateBytes& mutate_bytes) {
  std::set<std::string> names;
  for (uint32_t seed = 0; seed < 2000; ++seed)
    names.insert(Names(MutateWire(Model(), seed, mutate_bytes)));
  return names;
}

TEST(WireMutatorTest, FieldsInsideAreDeletedRepeatedAndCopied) {
  EXPECT_THAT(Mutants(Keep),
              IsSupersetOf({"Conv_0 Relu_0 ", "Conv_0 ", "Relu_0 ", "Conv_0 Relu_0 Conv_0 ",
                            "Conv_0 Conv_0 Relu_0 ", "Relu_0 Relu_0 "}));
}

TEST(WireMutatorTest, LengthsAroundAFieldThatGrewAreRight) {
  EXPECT_THAT(Mutants(Grow), IsSupersetOf({"xxxxxxx Relu_0 ", "Conv_0 xxxxxxx "}));
}

TEST(WireMutatorTest, VarintsBecomeLimits) {
  std::set<uint64_t> versions;
  for (uint32_t seed = 0; seed < 4000; ++seed) {
    UnknownFieldSet model;
    ASSERT_TRUE(model.ParseFromString(MutateWire(Model(), seed, Keep)));
    for (int i = 0; i < model.field_count(); ++i) {
      if (model.field(i).number() == 1) versions.insert(model.field(i).varint());
    }
  }
  EXPECT_THAT(versions, IsSupersetOf({uint64_t{0}, ~uint64_t{0}, uint64_t{0x7fffffff},
                                      uint64_t{1} << 63, uint64_t{9}}));
}

TEST(WireMutatorTest, WhatIsNoMessageStays) {
  EXPECT_EQ(MutateWire("", 1, Grow), "");
  EXPECT_EQ(MutateWire("\xff", 1, Grow), "\xff");
}

TEST(WireMutatorTest, OneSeedIsOneResult) {
  for (uint32_t seed = 0; seed < 100; ++seed)
    EXPECT_EQ(MutateWire(Model(), seed, Grow), MutateWire(Model(), seed, Grow));
}

TEST(WireMutatorTest, CrossingAddsAFieldAtItsPath) {
  std::string donor = Model();
  donor.replace(donor.find("Relu_0"), 6, "Tanh_0");
  std::set<std::string> names;
  for (uint32_t seed = 0; seed < 2000; ++seed) names.insert(Names(CrossWire(Model(), donor, seed)));
  EXPECT_THAT(names, Contains("Conv_0 Relu_0 Tanh_0 "));
  EXPECT_THAT(names, Contains("Conv_0 Relu_0 Conv_0 Tanh_0 "));
  EXPECT_THAT(names, Not(Contains(HasSubstr("unreadable"))));
}

}  // namespace
}  // namespace synap_internal
