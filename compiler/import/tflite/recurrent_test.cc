#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "compiler/import/evaluate_graph.h"
#include "compiler/import/tflite/test_model.h"

namespace synap_internal::tflite_import {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tflite::Activation;
using tflite::BuiltinOperator;
using Builder = TestModel::Builder;

constexpr int kBatch = 2, kSteps = 3, kInputs = 2, kHidden = 2;
// The file's order: input, forget, cell, output.
constexpr int kInput = 0, kForget = 1, kCell = 2, kOutput = 3;

// Small numbers that differ from one another.
std::vector<float> Numbers(int count, int seed) {
  std::vector<float> numbers;
  for (int i = 0; i < count; ++i) {
    numbers.push_back(static_cast<float>((i * 37 + seed * 53) % 41) / 20 - 1);
  }
  return numbers;
}

struct Lstm {
  bool coupled = false, peepholes = false, time_major = false;
  int projected = 0;  // values behind a projection, 0: none
  float cell_clip = 0, projection_clip = 0;
  int seed = 0;  // of all weights

  int outputs() const { return projected > 0 ? projected : kHidden; }
};

void AddConstant(TestModel& model, TestModel::Strings& operands, const std::string& name,
                 const TestModel::Dims& dims, int seed) {
  int count = 1;
  for (const int dim : dims) count *= dim;
  model.Floats(name, dims, Numbers(count, seed));
  operands.push_back(name);
}

// The weights of one direction, in the order of both operators.
void AddWeights(TestModel& model, TestModel::Strings& operands, const Lstm& lstm) {
  const std::string prefix = std::to_string(lstm.seed);
  const auto gates = [&](const std::string& name, const TestModel::Dims& dims, int seed,
                         bool no_cell) {
    for (int gate = 0; gate < 4; ++gate) {
      if (no_cell && gate == kCell) continue;
      if (lstm.coupled && gate == kInput) {
        operands.push_back("");
      } else {
        AddConstant(model, operands, prefix + name + std::to_string(gate), dims,
                    lstm.seed + seed + gate);
      }
    }
  };
  gates("w", {kHidden, kInputs}, 1, false);
  gates("r", {kHidden, lstm.outputs()}, 11, false);
  if (lstm.peepholes) {
    gates("p", {kHidden}, 21, true);
  } else {
    operands.insert(operands.end(), 3, "");
  }
  gates("b", {kHidden}, 31, false);
  if (lstm.projected > 0) {
    AddConstant(model, operands, prefix + "projection", {lstm.projected, kHidden}, lstm.seed + 41);
    AddConstant(model, operands, prefix + "projection_bias", {lstm.projected}, lstm.seed + 42);
  } else {
    operands.insert(operands.end(), 2, "");
  }
}

void AddState(TestModel& model, TestModel::Strings& operands, const std::string& name, int width) {
  TestModel::TensorSpec spec{name, {kBatch, width}};
  spec.variable = true;
  model.Add(spec);
  operands.push_back(name);
}

TestModel Sequences(const Lstm& lstm) {
  TestModel model;
  const int first = lstm.time_major ? kSteps : kBatch, second = lstm.time_major ? kBatch : kSteps;
  return model.Input("x", {first, second, kInputs});
}

TestModel ModelOf(const Lstm& lstm) {
  TestModel model = Sequences(lstm);
  TestModel::Strings operands = {"x"};
  AddWeights(model, operands, lstm);
  AddState(model, operands, "h", lstm.outputs());
  AddState(model, operands, "c", kHidden);
  model.Op(BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM, operands, {"y"}, [lstm](Builder& b) {
    return tflite::CreateUnidirectionalSequenceLSTMOptions(b, Activation::TANH, lstm.cell_clip,
                                                           lstm.projection_clip, lstm.time_major);
  });
  return model.Output("y");
}

float Sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

float Clip(float x, float limit) { return limit > 0 ? std::clamp(x, -limit, limit) : x; }

// The sum that gate `gate` of unit `unit` is a function of; `c`: what its peephole sees.
float GateSum(const Lstm& lstm, int gate, int unit, const float* x, const std::vector<float>& h,
              float c) {
  const std::vector<float> w = Numbers(kHidden * kInputs, lstm.seed + 1 + gate);
  const std::vector<float> r = Numbers(kHidden * lstm.outputs(), lstm.seed + 11 + gate);
  float sum = Numbers(kHidden, lstm.seed + 31 + gate)[unit];
  for (int i = 0; i < kInputs; ++i) sum += w[unit * kInputs + i] * x[i];
  for (int i = 0; i < lstm.outputs(); ++i) sum += r[unit * lstm.outputs() + i] * h[i];
  return lstm.peepholes && gate != kCell ? sum + Numbers(kHidden, lstm.seed + 21 + gate)[unit] * c
                                         : sum;
}

// One step of one sequence, from the definition.
void Step(const Lstm& lstm, const float* x, std::vector<float>& h, std::vector<float>& c) {
  std::vector<float> shown(kHidden), next(kHidden);
  for (int unit = 0; unit < kHidden; ++unit) {
    const float forget = Sigmoid(GateSum(lstm, kForget, unit, x, h, c[unit]));
    const float in =
        lstm.coupled ? 1 - forget : Sigmoid(GateSum(lstm, kInput, unit, x, h, c[unit]));
    const float cell = std::tanh(GateSum(lstm, kCell, unit, x, h, 0));
    next[unit] = Clip(forget * c[unit] + in * cell, lstm.cell_clip);
    shown[unit] = Sigmoid(GateSum(lstm, kOutput, unit, x, h, next[unit])) * std::tanh(next[unit]);
  }
  c = next;
  h = shown;
  if (lstm.projected == 0) return;
  const std::vector<float> weights = Numbers(lstm.projected * kHidden, lstm.seed + 41);
  h = Numbers(lstm.projected, lstm.seed + 42);
  for (int p = 0; p < lstm.projected; ++p) {
    for (int unit = 0; unit < kHidden; ++unit) h[p] += weights[p * kHidden + unit] * shown[unit];
    h[p] = Clip(h[p], lstm.projection_clip);
  }
}

// Outputs of all steps of sequence b, in the order of time, from the definition.
std::vector<std::vector<float>> Outputs(const Lstm& lstm, const std::vector<float>& x, int b,
                                        bool backwards) {
  std::vector<float> h(lstm.outputs(), 0), c(kHidden, 0);
  std::vector<std::vector<float>> outputs(kSteps);
  for (int i = 0; i < kSteps; ++i) {
    const int t = backwards ? kSteps - 1 - i : i;
    const int at = lstm.time_major ? t * kBatch + b : b * kSteps + t;
    Step(lstm, x.data() + at * kInputs, h, c);
    outputs[t] = h;
  }
  return outputs;
}

void ExpectAsDefined(const Lstm& lstm) {
  const std::vector<float> x = Numbers(kBatch * kSteps * kInputs, 5);
  const std::vector<float> found = ModelOf(lstm).Run({x});
  ASSERT_EQ(found.size(), static_cast<size_t>(kBatch * kSteps * lstm.outputs()));
  for (int b = 0; b < kBatch; ++b) {
    const auto expected = Outputs(lstm, x, b, false);
    for (int t = 0; t < kSteps; ++t) {
      const int at = lstm.time_major ? t * kBatch + b : b * kSteps + t;
      for (int i = 0; i < lstm.outputs(); ++i) {
        EXPECT_NEAR(found[at * lstm.outputs() + i], expected[t][i], 1e-5)
            << b << " " << t << " " << i;
      }
    }
  }
}

TEST(LstmTest, IsUnrolled) {
  ExpectAsDefined({});
  ExpectAsDefined({.time_major = true});
}

TEST(LstmTest, GatesMaySeeTheCellAndBeCoupled) {
  ExpectAsDefined({.peepholes = true});
  ExpectAsDefined({.coupled = true});
  ExpectAsDefined({.coupled = true, .peepholes = true});
}

TEST(LstmTest, ProjectionsAndLimits) {
  ExpectAsDefined({.projected = 3});
  ExpectAsDefined({.projected = 1, .cell_clip = 0.25f, .projection_clip = 0.5f});
}

TEST(LstmTest, TellsThatTheStateIsNotKept) {
  const auto import = ModelOf({}).Import();
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_THAT(import->warnings,
              ElementsAre("the state of recurrent layers begins with zeros in each inference; an "
                          "application can carry it from one to the next where the metafile also "
                          "lists the inputs 'h', 'c' and the outputs 'h.next', 'c.next'"));
}

// What the options of a network with these inputs and outputs are.
ImportOptions Between(const std::vector<std::string>& inputs,
                      const std::vector<std::string>& outputs) {
  ImportOptions options;
  for (const std::string& name : inputs) options.inputs.push_back({name, std::nullopt});
  options.outputs = outputs;
  return options;
}

TEST(LstmTest, TheStateMayBeCarried) {
  const std::vector<float> x = Numbers(kBatch * kSteps * kInputs, 5);
  const auto import = ModelOf({}).Import(Between({"x", "h", "c"}, {"y", "h.next", "c.next"}));
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_TRUE(import->warnings.empty());
  // The second half of a sequence, after the first one has left its state.
  const std::vector<float> zeros(kBatch * kHidden, 0);
  const auto first = EvaluateGraph(import->graph, {x, zeros, zeros});
  ASSERT_TRUE(first.ok()) << first.status();
  const auto second = EvaluateGraph(import->graph, {x, (*first)[1], (*first)[2]});
  ASSERT_TRUE(second.ok()) << second.status();
  for (int b = 0; b < kBatch; ++b) {
    std::vector<float> h(kHidden, 0), c(kHidden, 0);
    for (int step = 0; step < 2 * kSteps; ++step) {
      const int t = step % kSteps;
      Step({}, x.data() + (b * kSteps + t) * kInputs, h, c);
      const auto& y = step < kSteps ? (*first)[0] : (*second)[0];
      for (int i = 0; i < kHidden; ++i) {
        EXPECT_NEAR(y[(b * kSteps + t) * kHidden + i], h[i], 1e-5) << b << " " << step << " " << i;
      }
    }
  }
}

TEST(LstmTest, WhatTheStateBecomesIsNoInput) {
  EXPECT_THAT(ModelOf({}).Text(Between({"x", "h.next"}, {"y", "h.next"})),
              HasSubstr("is what a state becomes, expected a tensor of the model"));
}

TEST(LstmTest, RefusesWhatItCantRead) {
  const auto with = [](int operand, const TestModel::Dims& dims) {
    TestModel model;
    model.Input("x", {1, 2, 3})
        .Floats("w", {2, 3}, Numbers(6, 1))
        .Floats("r", {2, 2}, Numbers(4, 1));
    model.Floats("b", {2}, Numbers(2, 1)).Floats("odd", dims, std::vector<float>(dims[0], 1));
    TestModel::Strings operands = {"x", "w", "w", "w", "w", "r", "r", "r", "r", "", "", "",
                                   "b", "b", "b", "b", "",  "",  "",  "",  "",  "", "", ""};
    operands[static_cast<size_t>(operand)] = "odd";
    model.Op(BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM, operands, {"y"}, [](Builder& b) {
      return tflite::CreateUnidirectionalSequenceLSTMOptions(b, Activation::TANH);
    });
    return model.Output("y").Text();
  };
  EXPECT_THAT(with(0, {4}), HasSubstr("expected three dimensions"));
  EXPECT_THAT(with(3, {5}), HasSubstr("its operand 3 is 5, expected 2x3"));
  EXPECT_THAT(with(13, {5}), HasSubstr("its bias is 5, expected 2"));
  EXPECT_THAT(with(20, {2}), HasSubstr("it normalizes its gates (supported: constant weights"));
}

struct Both {
  bool merged = false, time_major = false;
  int second_inputs = 0;  // of another input with weights; 0: none
  bool stacked = false;   // the other input is what the backward direction reads
};

TestModel BidirectionalOf(const Both& both) {
  const Lstm forward{.time_major = both.time_major};
  const Lstm backward{.time_major = both.time_major, .seed = 100};
  TestModel model = Sequences(forward);
  TestModel::Strings operands = {"x"};
  AddWeights(model, operands, forward);
  AddWeights(model, operands, backward);
  for (const char* name : {"fh", "fc", "bh", "bc"}) AddState(model, operands, name, kHidden);
  const int first = both.time_major ? kSteps : kBatch, second = both.time_major ? kBatch : kSteps;
  if (both.second_inputs > 0 || both.stacked) {
    model.Input("x2", {first, second, both.stacked ? kInputs : both.second_inputs});
    operands.push_back("x2");
  }
  if (both.second_inputs > 0) {
    for (int gate = 0; gate < 8; ++gate) {
      AddConstant(model, operands, "second" + std::to_string(gate), {kHidden, both.second_inputs},
                  200 + gate);
    }
  }
  model.Add({"b", {}});
  model.Op(BuiltinOperator::BIDIRECTIONAL_SEQUENCE_LSTM, operands, {"f", "b"}, [both](Builder& b) {
    return tflite::CreateBidirectionalSequenceLSTMOptions(b, Activation::TANH, 0, 0, both.merged,
                                                          both.time_major);
  });
  return model;
}

TEST(BidirectionalLstmTest, RunsBothWays) {
  const std::vector<float> x = Numbers(kBatch * kSteps * kInputs, 5);
  for (const bool time_major : {false, true}) {
    const std::vector<float> forward =
        BidirectionalOf({.time_major = time_major}).Output("f").Run({x});
    const std::vector<float> backward =
        BidirectionalOf({.time_major = time_major}).Output("b").Run({x});
    const std::vector<float> merged =
        BidirectionalOf({.merged = true, .time_major = time_major}).Output("f").Run({x});
    ASSERT_EQ(merged.size(), 2 * forward.size());
    for (int b = 0; b < kBatch; ++b) {
      const auto ahead = Outputs({.time_major = time_major}, x, b, false);
      const auto back = Outputs({.time_major = time_major, .seed = 100}, x, b, true);
      for (int t = 0; t < kSteps; ++t) {
        const int at = (time_major ? t * kBatch + b : b * kSteps + t) * kHidden;
        for (int i = 0; i < kHidden; ++i) {
          EXPECT_NEAR(forward[at + i], ahead[t][i], 1e-5) << b << " " << t << " " << i;
          EXPECT_NEAR(backward[at + i], back[t][i], 1e-5) << b << " " << t << " " << i;
          EXPECT_EQ(merged[2 * at + i], forward[at + i]);
          EXPECT_EQ(merged[2 * at + kHidden + i], backward[at + i]);
        }
      }
    }
  }
}

TEST(BidirectionalLstmTest, AnInputOfItsOwnForTheBackwardDirection) {
  const std::vector<float> x = Numbers(kBatch * kSteps * kInputs, 5);
  const std::vector<float> other = Numbers(kBatch * kSteps * kInputs, 6);
  const TestModel stacked = BidirectionalOf({.stacked = true});
  EXPECT_EQ(TestModel(stacked).Output("f").Run({x, other}),
            BidirectionalOf({}).Output("f").Run({x}));
  EXPECT_EQ(TestModel(stacked).Output("b").Run({x, other}),
            BidirectionalOf({}).Output("b").Run({other}));
}

TEST(BidirectionalLstmTest, ASecondInputHasWeightsOfItsOwn) {
  const std::vector<float> x = Numbers(kBatch * kSteps * kInputs, 5);
  TestModel model = BidirectionalOf({.second_inputs = 1});
  const std::vector<float> zeros(kBatch * kSteps, 0);
  EXPECT_EQ(TestModel(model).Output("b").Run({x, zeros}), BidirectionalOf({}).Output("b").Run({x}));
  const std::vector<float> ones(kBatch * kSteps, 1);
  EXPECT_NE(TestModel(model).Output("b").Run({x, ones}), BidirectionalOf({}).Output("b").Run({x}));
}

constexpr int kFilters = 4, kMemory = 3, kRank = 2;

TestModel SvdfModel() {
  TestModel model;
  TestModel::Strings operands = {"x"};
  model.Input("x", {kBatch, kInputs});
  AddConstant(model, operands, "features", {kFilters, kInputs}, 1);
  AddConstant(model, operands, "time", {kFilters, kMemory}, 2);
  AddConstant(model, operands, "bias", {kFilters / kRank}, 3);
  AddState(model, operands, "state", kFilters * kMemory);
  model.Op(BuiltinOperator::SVDF, operands, {"y"},
           [](Builder& b) { return tflite::CreateSVDFOptions(b, kRank, Activation::RELU); });
  return model.Output("y");
}

// The output for the last of these inputs, from the definition.
std::vector<float> Svdf(const std::vector<std::vector<float>>& inputs) {
  const std::vector<float> features = Numbers(kFilters * kInputs, 1);
  const std::vector<float> time = Numbers(kFilters * kMemory, 2);
  std::vector<float> y;
  for (int b = 0; b < kBatch; ++b) {
    std::vector<float> units = Numbers(kFilters / kRank, 3);
    for (int f = 0; f < kFilters; ++f) {
      for (size_t age = 0; age < kMemory && age < inputs.size(); ++age) {
        const std::vector<float>& x = inputs[inputs.size() - 1 - age];
        float feature = 0;
        for (int i = 0; i < kInputs; ++i) {
          feature += features[f * kInputs + i] * x[b * kInputs + i];
        }
        units[f / kRank] += feature * time[f * kMemory + kMemory - 1 - static_cast<int>(age)];
      }
    }
    for (const float unit : units) y.push_back(std::fmax(unit, 0.0f));
  }
  return y;
}

TEST(SvdfTest, RemembersWhereItsStateIsCarried) {
  const auto import = SvdfModel().Import(Between({"x", "state"}, {"y", "state.next"}));
  ASSERT_TRUE(import.ok()) << import.status();
  std::vector<float> state(kBatch * kFilters * kMemory, 0);
  std::vector<std::vector<float>> inputs;
  for (int t = 0; t < 5; ++t) {
    inputs.push_back(Numbers(kBatch * kInputs, 10 + t));
    const auto outputs = EvaluateGraph(import->graph, {inputs.back(), state});
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    const std::vector<float> expected = Svdf(inputs);
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR((*outputs)[0][i], expected[i], 1e-5) << t << " " << i;
    }
    state = (*outputs)[1];
  }
}

TEST(SvdfTest, BeginsWithZerosElsewhere) {
  const std::vector<float> x = Numbers(kBatch * kInputs, 10);
  const std::vector<float> found = SvdfModel().Run({x}), expected = Svdf({x});
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-5) << i;
}

TEST(SvdfTest, RefusesWeightsThatDoNotFit) {
  TestModel model;
  model.Input("x", {1, 3}).Floats("f", {4, 2}, Numbers(8, 1)).Floats("t", {4, 2}, Numbers(8, 2));
  model.Op(BuiltinOperator::SVDF, {"x", "f", "t"}, {"y"},
           [](Builder& b) { return tflite::CreateSVDFOptions(b, 1); });
  EXPECT_THAT(model.Output("y").Text(),
              HasSubstr("its input is 1x3, its weights 4x2 and 4x2 of rank 1, expected [B,I], "
                        "[F,I] and [F,M], F a multiple of it"));
}

}  // namespace
}  // namespace synap_internal::tflite_import
