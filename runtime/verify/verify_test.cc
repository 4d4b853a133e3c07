#include "runtime/verify/verify.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/text_bytes.h"
#include "runtime/verify/bundle_run.h"
#include "runtime/verify/self_test_data.h"
#include "runtime/verify/two_layers.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A model and its runs.
class Model {
 public:
  explicit Model(float addend) : bundle_(*ReadBundle(AsBytes(TwoLayers(addend)))) {
    fast_ = *BundleRun::Create(bundle_, {});
    ExecutorOptions options;
    options.path = KernelPath::kReference;
    reference_ = *BundleRun::Create(bundle_, options);
  }

  BundleRun& fast() { return *fast_; }
  BundleRun& reference() { return *reference_; }

 private:
  Bundle bundle_;
  std::unique_ptr<BundleRun> fast_, reference_;
};

class VerifyTest : public testing::Test {
 protected:
  // What a conversion records of the model.
  SelfTestCase Recorded(Model& model, bool layers) {
    SelfTestCase test_case{"ramp", {{reinterpret_cast<const uint8_t*>(x_.data()), 32}}, {}, {}};
    std::vector<std::string> digests = *LayerDigests(model.fast(), test_case.inputs);
    test_case.outputs = OutputDigests(model.fast());
    if (layers) test_case.layers = std::move(digests);
    return test_case;
  }

  const std::vector<float> x_ = {0, 1, 2, 3, 4, 5, 6, 7};
};

TEST_F(VerifyTest, AnUnchangedModelGivesWhatWasRecorded) {
  Model model(1);
  for (const bool layers : {false, true}) {
    const SelfTestCase test_case = Recorded(model, layers);
    const absl::StatusOr<Verification> result =
        Verify(model.fast(), model.reference(), {&test_case, 1});
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_THAT(result->failures, IsEmpty());
    EXPECT_EQ(result->outputs, 1u);
    EXPECT_EQ(result->layers, layers ? 2u : 0u);
  }
}

TEST_F(VerifyTest, AWrongKernelIsNamedWithTheDifference) {
  // Other weights stand in for a kernel that computes something else.
  Model right(1), wrong(3);
  for (const bool layers : {false, true}) {
    const SelfTestCase test_case = Recorded(right, layers);
    const absl::StatusOr<Verification> result =
        Verify(wrong.fast(), right.reference(), {&test_case, 1});
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_THAT(result->failures,
                ElementsAre("self-test 0 ('ramp'): output 'y' isn't as recorded: layer 0 of 2, add "
                            "'Add_0', differs from its scalar definition in tensor 'layer/sum': "
                            "8 of 8 elements differ, most by 63.75 steps: element [0,0,0,0] is 3, "
                            "expected 1"));
  }
}

TEST_F(VerifyTest, ChangedWeightsAreNamedIfTheLayersWereRecorded) {
  Model recorded(1), changed(3);
  SelfTestCase test_case = Recorded(recorded, true);
  EXPECT_THAT(Verify(changed.fast(), changed.reference(), {&test_case, 1})->failures,
              ElementsAre(HasSubstr("layer 0 of 2, add 'Add_0', is the first that isn't as "
                                    "recorded, although its kernel agrees")));
  test_case = Recorded(recorded, false);
  EXPECT_THAT(Verify(changed.fast(), changed.reference(), {&test_case, 1})->failures,
              ElementsAre(HasSubstr("convert with --profiling to record every layer")));
}

TEST_F(VerifyTest, ALayerThatDiffersIsAFailureEvenIfTheOutputsDont) {
  Model model(1);
  SelfTestCase test_case = Recorded(model, true);
  test_case.layers[0] = std::string(64, '0');
  EXPECT_THAT(Verify(model.fast(), model.reference(), {&test_case, 1})->failures,
              ElementsAre(HasSubstr("a layer isn't as recorded: layer 0 of 2")));
}

TEST_F(VerifyTest, AnOutputThatContradictsItsLayersIsAFailure) {
  Model model(1);
  SelfTestCase test_case = Recorded(model, true);
  test_case.outputs[0] = std::string(64, '0');
  EXPECT_THAT(Verify(model.fast(), model.reference(), {&test_case, 1})->failures,
              ElementsAre(HasSubstr("every layer is as recorded, so the output's digest")));
}

TEST_F(VerifyTest, EachCaseThatDiffersIsAFailure) {
  Model recorded(1), changed(3);
  const SelfTestCase good = Recorded(changed, false), bad = Recorded(recorded, false);
  const SelfTestCase cases[] = {bad, good, bad};
  EXPECT_THAT(Verify(changed.fast(), changed.reference(), cases)->failures, SizeIs(2));
}

TEST_F(VerifyTest, CasesOfAnotherModelAreRefused) {
  Model model(1);
  SelfTestCase test_case = Recorded(model, true);
  test_case.layers.pop_back();
  EXPECT_EQ(Verify(model.fast(), model.reference(), {&test_case, 1}).status().message(),
            "self-test 0 ('ramp'): it has 1 layers, expected 2");
  test_case = Recorded(model, false);
  test_case.outputs.clear();
  EXPECT_EQ(Verify(model.fast(), model.reference(), {&test_case, 1}).status().message(),
            "self-test 0 ('ramp'): it has 0 outputs, expected 1");
  test_case = Recorded(model, false);
  test_case.inputs.clear();
  EXPECT_EQ(Verify(model.fast(), model.reference(), {&test_case, 1}).status().message(),
            "self-test 0 ('ramp'): found 0 inputs, expected 1");
}

}  // namespace
}  // namespace synap_internal
