// Runs every program on the models that this repository builds, as a user would.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/file.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

constexpr char kClassifier[] = "models/classifier/classifier.synap";
constexpr char kDetector[] = "models/yolov5_face/yolov5_face.synap";
constexpr char kShape[] = "models/classifier/evaluation/shape_000.jpg";
constexpr char kConverter[] = "models/nv12_to_rgb/nv12_to_rgb.synap";
constexpr char kFrameDetector[] = "models/yolov5_face/nv12.synap";
constexpr char kFrame[] = "models/yolov5_face/sample_1280x960.nv12";
constexpr char kFaces[] = "models/yolov5_face/sample.jpg";
constexpr char kPrograms[] = "runtime/cli/";
constexpr char kCompiler[] = "compiler/convert/cli/synap ";

struct Outcome {
  int code = 0;
  std::string text;  // stdout, and stderr where the command says so
};

Outcome RunShell(const std::string& command) {
  Outcome outcome;
  FILE* pipe = popen(command.c_str(), "r");
  char buffer[4096];
  for (size_t read; (read = fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    outcome.text.append(buffer, read);
  }
  const int status = pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

// Expects success; returns stdout.
std::string Output(const std::string& command) {
  Outcome outcome = RunShell(command);
  EXPECT_EQ(outcome.code, 0) << command;
  return outcome.text;
}

std::string Program(const std::string& name, const std::string& arguments) {
  return absl::StrCat(kPrograms, name, " ", arguments);
}

std::string Temporary(const std::string& name) {
  return JoinPath(std::getenv("TEST_TMPDIR"), name);
}

TEST(ProgramsTest, SynapCliMeasures) {
  EXPECT_THAT(Output(Program("synap_cli", absl::StrCat("-m ", kClassifier, " -r 2 random"))),
              MatchesRegex("Loading network: .*\nFlush/invalidate: yes\nLoop period .ms.: 0\n"
                           "Network inputs: 1\nNetwork outputs: 1\n"
                           "Input buffer: .* size: [0-9]+ : random\n"
                           "Output buffer: .* size: [0-9]+\n \n"
                           "Predict #0: [0-9.]+ ms\nPredict #1: [0-9.]+ ms\n \n"
                           "Inference timings .ms.:  load: [0-9.]+  init: [0-9.]+  min: [0-9.]+  "
                           "median: [0-9.]+  max: [0-9.]+  stddev: [0-9.]+  mean: [0-9.]+\n"));
}

TEST(ProgramsTest, SynapCliIcPrintsJsonAloneToAPipe) {
  EXPECT_THAT(
      Output(Program("synap_cli_ic", absl::StrCat("-m ", kClassifier, " --top 1 ", kShape))),
      MatchesRegex("\\{\n  \"items\": \\[\n    \\{\n      "
                   "\"class_index\": [0-9]+,\n      \"confidence\": [0-9.]+(,\n      "
                   "\"label\": \"[a-z]+\")?\n    \\}\n  \\],\n  \"success\": true\n\\}\n"));
}

TEST(ProgramsTest, DetectionsAreDrawn) {
  const std::string detect = Program("synap_cli_od", absl::StrCat("-m ", kDetector, " ", kFaces));
  EXPECT_THAT(Output(detect), HasSubstr("\"landmarks\": {\n        \"points\": ["));
  const std::string drawn = Temporary("drawn.png");
  const std::string table =
      Output(absl::StrCat(detect, " | ", kCompiler, "image_od -i ", kFaces, " -o ", drawn,
                          " --verbose --mask_colors '{\"0\": [255, 0, 0]}'"));
  EXPECT_THAT(table, HasSubstr("detections, 0 with masks\n#   Score  Class   Position"));
  EXPECT_THAT(table, HasSubstr(absl::StrCat("\nWrote ", drawn, "\n")));
  EXPECT_TRUE(ReadFile(drawn).ok());
}

// The model that only converts is the detector's own preprocessing.
TEST(ProgramsTest, SynapCliOd2DetectsInWhatAnotherModelConverts) {
  const auto detections = [](const std::string& program, const std::string& options) {
    return Output(Program(program, absl::StrCat(options, " ", kFrame)));
  };
  const std::string found = detections("synap_cli_od", absl::StrCat("-m ", kFrameDetector));
  EXPECT_THAT(found, HasSubstr("\"bounding_box\""));
  EXPECT_EQ(found,
            detections("synap_cli_od2", absl::StrCat("-m ", kConverter, " -m2 ", kDetector)));
}

TEST(ProgramsTest, MasksAreDrawn) {
  const std::string json =
      R"({"items": [{"class_index": 0, "bounding_box": {"origin": {"x": 0, "y": 0},
          "size": {"x": 90, "y": 90}}, "mask": {"width": 1, "height": 1, "data": [1]}}]})";
  const std::string detections = Temporary("detections.json");
  ASSERT_TRUE(WriteFileAtomically(detections, json).ok());
  const auto draw = [&](const std::string& options) {
    const std::string drawn = Temporary("masks.png");
    Output(
        absl::StrCat(kCompiler, "image_od -i ", kFaces, " -o ", drawn, options, " <", detections));
    return *ReadFile(drawn);
  };
  const std::string colors = Temporary("colors.json");
  ASSERT_TRUE(WriteFileAtomically(colors, "{\"0\": [0, 90, 0]}").ok());
  EXPECT_NE(draw(""), draw(" --mask_colors '{\"0\": [0, 90, 0]}'"));
  EXPECT_EQ(draw(" --mask_colors " + colors), draw(" --mask_colors '{\"0\": [0, 90, 0]}'"));
  const Outcome outcome = RunShell(
      absl::StrCat(kCompiler, "image_od -i ", kFaces, " -o x.png --mask_colors '{\"0\": 7}' 2>&1"));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.text,
            "Error: --mask_colors: the mask's colour of class '0' is wrong, expected [blue, green, "
            "red] with integers from 0 to 255\n");
}

TEST(ProgramsTest, SynapCliInfoDescribesTheModel) {
  EXPECT_THAT(Output(Program("synap_cli_info", absl::StrCat("-m ", kDetector))),
              MatchesRegex("id 0 bundle.json size [0-9]+\nid 1 0/model.nb size [0-9]+\n"
                           "id 2 0/model.json size [0-9]+\n"));
  EXPECT_THAT(Output(Program("synap_cli_info", absl::StrCat("--id 1 -m ", kDetector))),
              HasSubstr("\ntarget: "));
}

TEST(ProgramsTest, SynapCliNbRunsTheTwoFiles) {
  const std::string folder = Temporary("nb");
  Output(absl::StrCat(kCompiler, "convert --silent --model models/classifier/model.tflite --meta ",
                      "models/classifier/model.yaml --target VS680 --out-format nb --out-dir ",
                      folder));
  const std::string nb = absl::StrCat("--nb ", folder, "/model.nb ");
  EXPECT_THAT(Output(Program("synap_cli_nb", nb + "--ext-info")), HasSubstr("| conv2d"));
  EXPECT_THAT(
      Output(Program("synap_cli_nb", nb + "--labels models/classifier/info.json " + kShape)),
      HasSubstr("Class  Confidence  Description\n"));
}

TEST(ProgramsTest, RawPicturesComeBack) {
  const std::string raw = Temporary("picture_320x240.nv15"), back = Temporary("back.png");
  Output(absl::StrCat(kCompiler, "image_to_raw -s 320x240 -i ", kFaces, " -o ", raw));
  EXPECT_EQ(ReadFile(raw)->size(), 320 * 240 * 3 / 2 * 10 / 8);
  Output(absl::StrCat(kCompiler, "image_from_raw -i ", raw, " -o ", back));
  EXPECT_TRUE(ReadFile(back).ok());
}

TEST(ProgramsTest, SynapInitKeepsOtherProgramsFromTheNpu) {
  const std::string folder = Temporary("locks");
  const std::string run =
      Program("synap_cli", absl::StrCat("-m ", kClassifier, " zero 2>&1 >/dev/null; "));
  const std::string log = absl::StrCat(folder, "/init.log");
  const std::string text =
      Output(absl::StrCat("mkdir -p ", folder, "; export XDG_RUNTIME_DIR=", folder, "; ",
                          Program("synap_init", absl::StrCat("--lock >", log, " & init=$!; ")),
                          "until grep -q ready ", log, "; do sleep 0.05; done; ", run,
                          "echo locked: $?; kill $init; wait $init; ", run, "echo free: $?"));
  EXPECT_THAT(text, HasSubstr("has locked the NPU\nInference failed\nlocked: 1\n"));
  EXPECT_THAT(text, HasSubstr("\nfree: 0\n"));
  EXPECT_EQ(*ReadFile(log), "NPU locked\nNPU ready.\n");
}

TEST(ProgramsTest, ProfilePrintsALineForEachModel) {
  EXPECT_THAT(
      Output(absl::StrCat(kCompiler, "profile --repeat 2 ", kClassifier, " ", kDetector)),
      MatchesRegex("models/classifier/.*: Inference timings .ms.:  load: .*  mean: [0-9.]+\n"
                   "models/yolov5_face/.*: Inference timings .ms.:  load: .*  mean: [0-9.]+\n"));
  const Outcome outcome = RunShell(absl::StrCat(kCompiler, "profile none.synap 2>&1"));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.text,
            "Error: none.synap: Failed to load model: none.synap: can't be read: No such file or "
            "directory\n");
}

// Runs export_yolo with an exporter of that text.
Outcome ExportYolo(const std::string& exporter, const std::string& arguments) {
  const std::string folder = Temporary("exporter");
  EXPECT_TRUE(CreateDirectories(folder).ok());
  EXPECT_TRUE(WriteFileAtomically(JoinPath(folder, "yolo"), exporter).ok());
  EXPECT_TRUE(WriteFileAtomically(Temporary("yolov8n.pt"), "weights").ok());
  return RunShell(absl::StrCat("chmod +x ", folder, "/yolo; PATH=", folder, ":$PATH ", kCompiler,
                               "export_yolo --models ", Temporary("yolov8n.pt"), " --export_dir ",
                               Temporary("exported"), " ", arguments, " 2>&1"));
}

TEST(ProgramsTest, ExportYoloRunsTheExporterAndWritesMetafiles) {
  const std::string exporter = "#!/bin/sh\necho $@\ncat yolov8n.pt > yolov8n.onnx\n";
  for (const char* mode : {"", " --no_parallel"}) {
    const Outcome outcome = ExportYolo(
        exporter,
        absl::StrCat("--export_formats onnx --input_sizes 64x32 96x32 --quant_types uint8 "
                     "--quant_dataset 'a/*.jpg'",
                     mode));
    EXPECT_EQ(outcome.code, 0) << outcome.text;
    const std::string folder = Temporary("exported/yolov8n_64x32_onnx");
    EXPECT_THAT(outcome.text, HasSubstr(absl::StrCat(
                                  "synap convert --model ", folder, "/yolov8n.onnx --meta ", folder,
                                  "/uint8.yaml --target <target> --out-dir ", folder, "/uint8\n")));
    EXPECT_EQ(*ReadFile(folder + "/yolov8n.onnx"), "weights");
    EXPECT_EQ(*ReadFile(folder + "/export.log"),
              "export model=yolov8n.pt format=onnx imgsz=32,64\n");
    EXPECT_THAT(*ReadFile(folder + "/uint8.yaml"), HasSubstr("/a/*.jpg\n"));
  }
}

TEST(ProgramsTest, ExportYoloSaysWhereTheExportersMessagesAre) {
  const std::string log = Temporary("exported/yolov8n_640x352_tflite/export.log");
  Outcome outcome = ExportYolo("#!/bin/sh\necho no memory >&2\nexit 3\n", "");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.text, HasSubstr(absl::StrCat("imgsz=352,640' failed; ", log, " says why\n")));
  EXPECT_EQ(*ReadFile(log), "no memory\n");
  outcome = ExportYolo("#!/bin/sh\n", "");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.text, HasSubstr("the exporter wrote no "));
}

TEST(ProgramsTest, ErrorsAreOneSentenceAndExitCode1) {
  for (const char* name :
       {"synap_cli", "synap_cli_ic", "synap_cli_od", "synap_cli_ip", "synap_cli_ic2",
        "synap_cli_od2", "synap_cli_info", "synap_cli_nb", "synap_init"}) {
    const Outcome outcome = RunShell(Program(name, "--no_such_option 2>&1"));
    EXPECT_EQ(outcome.code, 1) << name;
    EXPECT_EQ(outcome.text, "Illegal option(s): --no_such_option\n") << name;
  }
}

}  // namespace
}  // namespace synap_internal
