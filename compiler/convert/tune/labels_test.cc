#include "compiler/convert/tune/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/file.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class LabelsTest : public testing::Test {
 protected:
  void Write(const std::string& name, const std::string& text) const {
    ASSERT_TRUE(CreateDirectories(Dirname(In(name))).ok());
    ASSERT_TRUE(WriteFileAtomically(In(name), text).ok());
  }
  std::string In(const std::string& name) const { return folder_ + "/" + name; }

  // The labels at `path` of samples whose names are those of the files.
  absl::StatusOr<Labels> Read(const std::string& path, const std::vector<std::string>& files,
                              const std::vector<std::string>& names = {}) const {
    std::vector<DatasetSample> samples;
    for (const std::string& file : files) samples.push_back({Basename(file), {In(file)}});
    return ReadSampleLabels(In(path), samples, names);
  }
  std::string Error(const std::string& path, const std::vector<std::string>& files) const {
    return std::string(Read(path, files).status().message());
  }

  const std::string folder_ =
      testing::TempDir() + "/" + testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(LabelsTest, AListMayNameMoreSamples) {
  Write("val.txt", "a.JPEG 3\nphotos/b.jpg 4\nc 5\nother.jpg 6\n");
  const auto labels = Read("val.txt", {"photos/a.jpg", "photos/b.jpg", "photos/c.jpg"});
  ASSERT_TRUE(labels.ok()) << labels.status();
  EXPECT_FALSE(labels->have_boxes);
  EXPECT_EQ(labels->classes, 0);
  EXPECT_THAT(labels->samples, SizeIs(3));
  EXPECT_EQ(labels->samples.at(In("photos/a.jpg")).class_index, 3);
  EXPECT_EQ(labels->samples.at(In("photos/b.jpg")).class_index, 4);
  EXPECT_EQ(labels->samples.at(In("photos/c.jpg")).class_index, 5);
  EXPECT_EQ(labels->samples.at(In("photos/c.jpg")).place, In("val.txt:3"));
}

TEST_F(LabelsTest, SamplesWithoutALabelAreNamed) {
  Write("val.txt", "a.jpg 3\n");
  EXPECT_EQ(Error("val.txt", {"a.jpg", "b.jpg", "c.jpg"}),
            In("val.txt") + ": found no label of b.jpg, c.jpg, expected one for each sample");
  Write("twice.txt", "a.jpg 3\na.jpg 4\n");
  EXPECT_EQ(Error("twice.txt", {"a.jpg"}),
            In("twice.txt") + ": found several labels of a.jpg, expected one for each");
  EXPECT_THAT(Error("none.txt", {"a.jpg"}), HasSubstr("none.txt"));
}

TEST_F(LabelsTest, FoldersAreClassesInTheirOrder) {
  for (const char* name : {"val/n01/1.jpg", "val/n02/1.jpg", "val/n02/2.jpg"}) Write(name, "");
  const auto labels = Read("val", {"val/n02/2.jpg", "val/n01/1.jpg"});
  ASSERT_TRUE(labels.ok()) << labels.status();
  EXPECT_EQ(labels->classes, 2);
  EXPECT_EQ(labels->samples.at(In("val/n02/2.jpg")).class_index, 1);
  EXPECT_EQ(labels->samples.at(In("val/n01/1.jpg")).class_index, 0);
  EXPECT_EQ(labels->samples.at(In("val/n01/1.jpg")).place, In("val/n01"));
  // Elsewhere the name alone tells.
  EXPECT_EQ(Read("val", {"elsewhere/2.jpg"})->samples.at(In("elsewhere/2.jpg")).class_index, 1);
  EXPECT_THAT(Error("val", {"elsewhere/1.jpg"}), HasSubstr("found several labels of 1.jpg"));
}

TEST_F(LabelsTest, SamplesOfOneNameHaveTheirOwnLabels) {
  for (const char* name : {"val/cat/1.jpg", "val/dog/1.jpg"}) Write(name, "");
  const auto labels = Read("val", {"val/dog/1.jpg", "val/cat/1.jpg"});
  ASSERT_TRUE(labels.ok()) << labels.status();
  EXPECT_THAT(labels->samples, SizeIs(2));
  EXPECT_EQ(labels->samples.at(In("val/cat/1.jpg")).class_index, 0);
  EXPECT_EQ(labels->samples.at(In("val/dog/1.jpg")).class_index, 1);
}

TEST_F(LabelsTest, FoldersMayHaveNumbersOrNames) {
  Write("numbers/10/1.jpg", "");
  Write("numbers/9/2.jpg", "");
  const auto numbers = Read("numbers", {"numbers/10/1.jpg"});
  ASSERT_TRUE(numbers.ok()) << numbers.status();
  EXPECT_EQ(numbers->classes, 0);
  EXPECT_EQ(numbers->samples.at(In("numbers/10/1.jpg")).class_index, 10);
  Write("names/cat/1.jpg", "");
  const auto named = Read("names", {"names/cat/1.jpg"}, {"dog", "bird", "cat"});
  ASSERT_TRUE(named.ok()) << named.status();
  EXPECT_EQ(named->classes, 0);
  EXPECT_EQ(named->samples.at(In("names/cat/1.jpg")).class_index, 2);
}

TEST_F(LabelsTest, TextFilesOfAFolderAreBoxesOfThePhotosOfTheirNames) {
  Write("labels/a.txt", "1 0.5 0.5 1 1\n");
  Write("labels/b.txt", "");
  Write("labels/classes.txt", "cat\ndog\n");
  const auto labels = Read("labels", {"photos/a.jpg", "photos/b.jpg"});
  ASSERT_TRUE(labels.ok()) << labels.status();
  EXPECT_TRUE(labels->have_boxes);
  EXPECT_THAT(labels->samples.at(In("photos/a.jpg")).objects, SizeIs(1));
  EXPECT_THAT(labels->samples.at(In("photos/b.jpg")).objects, SizeIs(0));
}

TEST_F(LabelsTest, TextFilesAndPhotosGoTogether) {
  Write("labels/a.txt", "1 0.5 0.5 1 1\n");
  Write("labels/b.txt", "");
  EXPECT_EQ(Error("labels", {"a.jpg", "c.jpg", "b.jpg"}),
            In("labels") +
                ": found no label of c.jpg, expected one for each sample: a .txt file, which is "
                "empty if nothing is in the photo");
  EXPECT_EQ(Error("labels", {"a.jpg"}),
            In("labels/b.txt") +
                ": found no photo of that name among the samples, expected one for each label");
  EXPECT_EQ(Error("labels", {"b.jpg", "a.jpg"}), "");
  Write("labels/b.txt", "1 2 3\n");
  EXPECT_THAT(Error("labels", {"a.jpg", "b.jpg"}),
              HasSubstr("labels/b.txt: line 1: found 3 values, expected 5"));
}

TEST_F(LabelsTest, LabelsWithoutAnObjectSayNothing) {
  Write("labels/a.txt", "\n");
  EXPECT_EQ(Error("labels", {"a.jpg"}),
            In("labels") + ": found no object in 1 samples, expected one at least");
}

TEST_F(LabelsTest, AJsonFileHasCocoInstances) {
  Write("instances.json",
        R"({"images": [{"id": 1, "file_name": "a.jpg", "width": 2, "height": 2}],
            "categories": [{"id": 4, "name": "cat"}],
            "annotations": [{"image_id": 1, "category_id": 4, "bbox": [0, 0, 1, 1]}]})");
  const auto labels = Read("instances.json", {"a.jpg"});
  ASSERT_TRUE(labels.ok()) << labels.status();
  EXPECT_TRUE(labels->have_boxes);
  EXPECT_EQ(labels->samples.at(In("a.jpg")).place, In("instances.json: a.jpg"));
  EXPECT_THAT(labels->samples.at(In("a.jpg")).objects, SizeIs(1));
}

TEST_F(LabelsTest, AnEmptyFolderIsRefused) {
  ASSERT_TRUE(CreateDirectories(In("empty")).ok());
  EXPECT_THAT(Error("empty", {"a.jpg"}),
              HasSubstr("empty: found neither .txt files nor folders, expected "));
}

}  // namespace
}  // namespace synap_internal
