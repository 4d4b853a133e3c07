#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

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

  int outputs() const { return projected > 0 ? projected : kHidden; }
};

TestModel ModelOf(const Lstm& lstm) {
  TestModel model;
  const int first = lstm.time_major ? kSteps : kBatch, second = lstm.time_major ? kBatch : kSteps;
  model.Input("x", {first, second, kInputs});
  TestModel::Strings operands = {"x"};
  const auto add = [&](const std::string& name, const TestModel::Dims& dims, int seed) {
    int count = 1;
    for (const int dim : dims) count *= dim;
    model.Floats(name, dims, Numbers(count, seed));
    operands.push_back(name);
  };
  const auto gates = [&](const std::string& name, const TestModel::Dims& dims, int seed,
                         bool no_cell) {
    for (int gate = 0; gate < 4; ++gate) {
      if (no_cell && gate == kCell) continue;
      if (lstm.coupled && gate == kInput) {
        operands.push_back("");
      } else {
        add(name + std::to_string(gate), dims, seed + gate);
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
    add("projection", {lstm.projected, kHidden}, 41);
    add("projection_bias", {lstm.projected}, 42);
  } else {
    operands.insert(operands.end(), 2, "");
  }
  for (const char* state : {"h", "c"}) {
    TestModel::TensorSpec spec{state, {kBatch, state[0] == 'h' ? lstm.outputs() : kHidden}};
    spec.variable = true;
    model.Add(spec);
    operands.push_back(state);
  }
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
  const std::vector<float> w = Numbers(kHidden * kInputs, 1 + gate);
  const std::vector<float> r = Numbers(kHidden * lstm.outputs(), 11 + gate);
  float sum = Numbers(kHidden, 31 + gate)[unit];
  for (int i = 0; i < kInputs; ++i) sum += w[unit * kInputs + i] * x[i];
  for (int i = 0; i < lstm.outputs(); ++i) sum += r[unit * lstm.outputs() + i] * h[i];
  return lstm.peepholes && gate != kCell ? sum + Numbers(kHidden, 21 + gate)[unit] * c : sum;
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
  const std::vector<float> weights = Numbers(lstm.projected * kHidden, 41);
  h = Numbers(lstm.projected, 42);
  for (int p = 0; p < lstm.projected; ++p) {
    for (int unit = 0; unit < kHidden; ++unit) h[p] += weights[p * kHidden + unit] * shown[unit];
    h[p] = Clip(h[p], lstm.projection_clip);
  }
}

void ExpectAsDefined(const Lstm& lstm) {
  const std::vector<float> x = Numbers(kBatch * kSteps * kInputs, 5);
  const std::vector<float> found = ModelOf(lstm).Run({x});
  ASSERT_EQ(found.size(), static_cast<size_t>(kBatch * kSteps * lstm.outputs()));
  for (int b = 0; b < kBatch; ++b) {
    std::vector<float> h(lstm.outputs(), 0), c(kHidden, 0);
    for (int t = 0; t < kSteps; ++t) {
      const int at = lstm.time_major ? t * kBatch + b : b * kSteps + t;
      Step(lstm, x.data() + at * kInputs, h, c);
      for (int i = 0; i < lstm.outputs(); ++i) {
        EXPECT_NEAR(found[at * lstm.outputs() + i], h[i], 1e-5) << b << " " << t << " " << i;
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
              ElementsAre("the state of recurrent layers begins with zeros in each inference"));
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

}  // namespace
}  // namespace synap_internal::tflite_import
