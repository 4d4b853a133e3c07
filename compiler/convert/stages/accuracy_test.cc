#include "compiler/convert/stages/accuracy.h"

#include <gtest/gtest.h>

#include <vector>

namespace synap_internal {
namespace {

// A square of side 10 at (x, 0), which overlaps one at (x + d, 0) by (10 - d) / (10 + d).
LabelledBox SquareAt(float x) { return {x, 0, x + 10, 10}; }

AccuracyFigures AccuracyOf(const std::vector<LabelledObject>& truth,
                           const std::vector<FoundObject>& found) {
  LabelledAnswers answers;
  answers.AddObjects(truth, found);
  return answers.Score();
}

TEST(AccuracyTest, AClassIsRightAmongTheBestFive) {
  LabelledAnswers answers;
  answers.AddClasses(7, {7, 1, 2, 3, 4});
  answers.AddClasses(7, {1, 2, 3, 4, 7});
  answers.AddClasses(7, {1, 2, 3, 4, 5});
  answers.AddClasses(7, {});
  EXPECT_EQ(answers.Score().first, 0.25);
  EXPECT_EQ(answers.Score().second, 0.5);
}

TEST(AccuracyTest, WithoutLabelsItIsZero) {
  EXPECT_EQ(LabelledAnswers().Score().first, 0);
  EXPECT_EQ(AccuracyOf({}, {{0, 0.9f, SquareAt(0)}}).first, 0);
}

TEST(AccuracyTest, ABoxIsRightUpToItsOverlap) {
  const AccuracyFigures exact = AccuracyOf({{3, SquareAt(0)}}, {{3, 0.9f, SquareAt(0)}});
  EXPECT_DOUBLE_EQ(exact.first, 1);
  EXPECT_DOUBLE_EQ(exact.second, 1);
  // 8 / 12: enough for overlaps of 0.5, 0.55, 0.6 and 0.65.
  const AccuracyFigures near = AccuracyOf({{3, SquareAt(0)}}, {{3, 0.9f, SquareAt(2)}});
  EXPECT_DOUBLE_EQ(near.first, 1);
  EXPECT_DOUBLE_EQ(near.second, 0.4);
  EXPECT_EQ(AccuracyOf({{3, SquareAt(0)}}, {{3, 0.9f, SquareAt(5)}}).first, 0);
  EXPECT_EQ(AccuracyOf({{3, SquareAt(0)}}, {{4, 0.9f, SquareAt(0)}}).first, 0);
}

TEST(AccuracyTest, AnObjectIsFoundOnce) {
  // The second box is wrong, but what comes after it is at the same recall.
  EXPECT_DOUBLE_EQ(
      AccuracyOf({{0, SquareAt(0)}}, {{0, 0.9f, SquareAt(0)}, {0, 0.8f, SquareAt(1)}}).first, 1);
  // A wrong box before the right one: half of the precision.
  EXPECT_DOUBLE_EQ(
      AccuracyOf({{0, SquareAt(0)}}, {{0, 0.9f, SquareAt(50)}, {0, 0.8f, SquareAt(0)}}).first, 0.5);
}

TEST(AccuracyTest, AMissedObjectEndsTheRecall) {
  // Recalls 0, 0.01, ..., 0.5 of 101 are reached.
  EXPECT_DOUBLE_EQ(
      AccuracyOf({{0, SquareAt(0)}, {0, SquareAt(50)}}, {{0, 0.9f, SquareAt(0)}}).first,
      51.0 / 101);
}

TEST(AccuracyTest, ClassesCountAlike) {
  const std::vector<LabelledObject> truth = {
      {0, SquareAt(0)}, {0, SquareAt(20)}, {0, SquareAt(40)}, {1, SquareAt(60)}};
  const std::vector<FoundObject> found = {
      {0, 0.9f, SquareAt(0)}, {0, 0.9f, SquareAt(20)}, {0, 0.9f, SquareAt(40)}};
  EXPECT_DOUBLE_EQ(AccuracyOf(truth, found).first, 0.5);
}

TEST(AccuracyTest, WhatIsFoundInACrowdDoesntCount) {
  std::vector<LabelledObject> truth = {{0, SquareAt(0)}, {0, {100, 0, 200, 100}, true}};
  const std::vector<FoundObject> found = {
      {0, 0.9f, SquareAt(110)}, {0, 0.8f, SquareAt(130)}, {0, 0.7f, SquareAt(0)}};
  EXPECT_DOUBLE_EQ(AccuracyOf(truth, found).first, 1);
  truth.pop_back();
  EXPECT_NEAR(AccuracyOf(truth, found).first, 1.0 / 3, 1e-12);
}

TEST(AccuracyTest, PicturesMatchByThemselvesAndAreRankedTogether) {
  LabelledAnswers first, second;
  first.AddObjects(std::vector<LabelledObject>{{0, SquareAt(0)}}, {{0, 0.6f, SquareAt(0)}});
  // Nothing is there in this picture.
  second.AddObjects({}, {{0, 0.7f, SquareAt(0)}});
  second.Add(first);
  EXPECT_DOUBLE_EQ(second.Score().first, 0.5);
  EXPECT_DOUBLE_EQ(first.Score().first, 1);
}

TEST(AccuracyTest, AnswersOfTwoPartsAreThoseOfTheWhole) {
  LabelledAnswers part, whole;
  part.AddClasses(1, {1});
  whole.AddClasses(1, {2, 1});
  whole.Add(part);
  EXPECT_EQ(whole.Score().first, 0.5);
  EXPECT_EQ(whole.Score().second, 1);
}

}  // namespace
}  // namespace synap_internal
