#include "base/fidelity.h"

#include <gtest/gtest.h>

#include <cmath>

namespace synap_internal {
namespace {

TEST(FidelityTest, NoiseInDecibels) {
  Fidelity fidelity;
  fidelity.Add({10, 0}, {10, 1});
  EXPECT_DOUBLE_EQ(fidelity.SqnrDb(), 20);
  EXPECT_NEAR(fidelity.Cosine(), 0.99504, 1e-5);
  Fidelity exact;
  exact.Add({1, 2}, {1, 2});
  EXPECT_EQ(exact.SqnrDb(), 200);
  EXPECT_DOUBLE_EQ(exact.Cosine(), 1);
  exact.Add(fidelity);
  EXPECT_NEAR(exact.SqnrDb(), 20.212, 1e-3);
}

TEST(FidelityTest, WhatIsNoNumberIsTheWorst) {
  Fidelity fidelity;
  fidelity.Add({1, 2}, {1, std::nanf("")});
  EXPECT_EQ(fidelity.SqnrDb(), -200);
  EXPECT_EQ(fidelity.Cosine(), 0);
  Fidelity noise;
  noise.Add({0, 0}, {1, 0});
  EXPECT_EQ(noise.SqnrDb(), -200);
}

TEST(FidelityTest, NothingButZeros) {
  Fidelity zeros;
  zeros.Add({0, 0}, {0, 0});
  EXPECT_EQ(zeros.SqnrDb(), 200);
  EXPECT_EQ(zeros.Cosine(), 1);
}

}  // namespace
}  // namespace synap_internal
