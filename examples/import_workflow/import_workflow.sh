#!/bin/bash
# import_workflow.sh MODEL_FOLDER WORK_FOLDER: a face detector from a trained network to one that meets a budget, step by step.
#
# The steps are those of the SyNAP manual's "Import Workflow Example", in its order. MODEL_FOLDER is models/yolov5_face, whose network
# stands for the manual's yolov5s_face; synap, synap_cli and synap_cli_od are found in PATH. WORK_FOLDER gets what the steps make, and
# results.csv: each step's estimated milliseconds on VS680 and the faces found.
set -euo pipefail

network=$(realpath "$1")/model.onnx
samples=$(realpath "$1")/samples
picture=$(realpath "$1")/sample.jpg
mkdir -p "$2"
cd "$2"

# The board of `adb` is emulated: a folder of this machine. With a real one, remove this function.
adb() {
  case $1 in
    push) cp "$2" "board$3/" ;;
    shell) bash -c "${2//\/data\//$PWD/board/data/}" ;;
  esac
}

say() { printf '\n=== %s\n' "$*"; }

# compile <step> <options of synap convert...>: makes <step>/model.synap and measures it on the board.
compile() {
  local step=$1
  shift
  synap convert --target VS680 --out-dir "$step" "$@"
  adb push "$step/model.synap" /data/local/tmp/test
  # These milliseconds are this machine's. Those of a VS680 are estimated, in model_info.txt.
  adb shell "cd /data/local/tmp/test && synap_cli -r 5 random"
  grep '^Estimated time' "$step/model_info.txt"
}

# detect <step> [picture]: writes the detections of the model on the board to <step>/detections.json.
detect() {
  local frame=${2:-face_720p.jpg}
  adb push "$frame" /data/local/tmp/test
  adb shell "cd /data/local/tmp/test && synap_cli_od $frame" > "$1/od.txt"
  sed -n '/^{$/,/^}$/p' "$1/od.txt" > "$1/detections.json"
}

# record <step>: adds a line to results.csv.
record() {
  local milliseconds faces=-
  milliseconds=$(sed -n 's/^Estimated time: \([0-9.]*\) ms.*/\1/p' "$1/model_info.txt")
  [[ -f $1/detections.json ]] && faces=$(grep -c '"confidence"' "$1/detections.json" || true)
  echo "$1,$milliseconds,$faces" | tee -a results.csv
}

# resized <from> <size> <to>: a picture in another size; proportions are not kept.
resized() {
  synap image_to_raw --src "$1" --size "$2" --dst resized.rgb
  synap image_from_raw --src resized.rgb --size "$2" --dst "$3"
}

# widescreen <from> <to>: the middle of a picture of 640x480, 640x360.
widescreen() {
  synap image_to_raw --src "$1" --dst whole.rgb
  head -c $((640 * 420 * 3)) whole.rgb | tail -c $((640 * 360 * 3)) > middle.rgb
  synap image_from_raw --src middle.rgb --size 640x360 --dst "$2"
}

anchors='[[],[],[],[4,5,8,10,13,16],[23,29,43,55,73,105],[146,217,231,300,335,433]]'
# The manual's tensors "349", "369" and "389" are these of our network: what the last convolutions give.
tensors=(/head/m.0/Conv_output_0 /head/m.1/Conv_output_0 /head/m.2/Conv_output_0)

# metafile <inputs> <outputs> <quantization>: a conversion metafile. The manual's toolkit does what it says and nothing else, which is
# `optimize: false` here. Without it, synap keeps the last layers in float32, and the landmarks don't suffer from the beginning.
metafile() { printf 'inputs:\n%s\noutputs:\n%s\noptimize: false\nquantization:\n%s\n' "$1" "$2" "$3"; }
pixels='  - format: rgb
    means: [0, 0, 0]
    scale: 255'
whole="  - dequantize: true
    format: yolov5 landmarks=5 anchors=$anchors
  - dequantize: true
  - dequantize: true"
pruned="  - dequantize: true
    name: ${tensors[0]}
    format: yolov5 landmarks=5 transposed=1 anchors=$anchors
  - dequantize: true
    name: ${tensors[1]}
  - dequantize: true
    name: ${tensors[2]}"
affine='  data_type: uint8
  scheme: asymmetric_affine'
dataset='  dataset:
    - qdataset/*.jpg'

say "Pictures"
# The manual has photographs of 16:9; ours are cut from the model's drawn ones.
mkdir -p originals qdataset
adb shell "mkdir -p /data/local/tmp/test"
for number in 00 01 02 03 04 05 06 07; do widescreen "$samples/scene_$number.jpg" "originals/$number.jpg"; done
widescreen "$picture" middle.jpg
resized middle.jpg 1280x720 face_720p.jpg
echo "step,milliseconds,faces" > results.csv

say "Preliminary evaluation: a network that was quantized by others"
# The manual downloads yolov5s_face_640x640.tflite. No quantized face detector comes with this repository, so --preserve writes one: our
# network as a quantized ONNX file.
metafile "$pixels" "$whole" "$affine
$dataset" > quantized.yaml
cp originals/*.jpg qdataset/
synap convert --model "$network" --meta quantized.yaml --target VS680 --out-dir others --preserve --silent
compile preliminary --model others/build/model_quantized.onnx
record preliminary

say "An appropriate input size"
# The camera has 4:3 and the network 640x480, so there is nothing to change. The manual goes from 640x640 to it here.
synap inspect "$network" | grep '^inputs .*1x3x480x640'
# First the network itself on a PC; without quantization it computes what its framework does.
metafile "$pixels" "$whole" "$affine" | sed '/^quantization/,$d' > float.yaml
compile float --model "$network" --meta float.yaml
detect float
record float

say "Quantize model"
# Two mistakes, as in the manual: the pictures were resized without their proportions, and no preprocessing is given.
for file in originals/*.jpg; do resized "$file" 640x480 "qdataset/$(basename "$file")"; done
metafile '  - format: rgb' "$whole" "$affine
$dataset" > yolo_wrong.yaml
compile wrong --model "$network" --meta yolo_wrong.yaml
detect wrong
record wrong
# Corrected: the training's means and scale, and the original pictures, which synap resizes with bands.
cp originals/*.jpg qdataset/
metafile "$pixels" "$whole" "$affine
$dataset" > yolo.yaml
compile uint8 --model "$network" --meta yolo.yaml
detect uint8
record uint8
synap image_od -i face_720p.jpg -o face_720p_out.jpg < uint8/od.txt

say "Remove unnecessary layers"
metafile "$pixels" "$pruned" "$affine
$dataset" > pruned.yaml
compile pruned --model "$network" --meta pruned.yaml
sed -n '/^outputs:/,/^$/p' pruned/model_info.txt
detect pruned
record pruned

say "Improve the quantization dataset: with one picture, the one of the inference"
cp face_720p.jpg qdataset/
metafile "$pixels" "$pruned" "$affine
  dataset:
    - qdataset/face_720p.jpg" > one_picture.yaml
compile one_picture --model "$network" --meta one_picture.yaml
detect one_picture
record one_picture
rm qdataset/face_720p.jpg

say "Per-channel and KL-divergence quantization"
metafile "$pixels" "$pruned" "  data_type: int8
  scheme: perchannel_symmetric_affine
$dataset" > channels.yaml
compile channels --model "$network" --meta channels.yaml
detect channels
record channels
metafile "$pixels" "$pruned" "$affine
  algorithm: kl_divergence
$dataset" > kl.yaml
compile kl --model "$network" --meta kl.yaml
detect kl
record kl

say "16-bit quantization"
metafile "$pixels" "$pruned" "  data_type: int16
$dataset" > int16.yaml
compile int16 --model "$network" --meta int16.yaml
detect int16
record int16

say "Mixed quantization"
# The layers that lose most are those of the head, which is all after this join (the manual's Concat_155).
sort -t, -k2 -g -r kl/quantization_entropy.txt | sed -n 1,10p
mixed="  data_type:
    '*': uint8
    /neck/Concat...: int16
$dataset"
metafile "$pixels" "$pruned" "$mixed" > mixed.yaml
compile mixed --model "$network" --meta mixed.yaml
detect mixed
record mixed

say "Remove outputs that aren't needed"
one_output="  - name: ${tensors[1]}
    dequantize: true
    format: yolov5 landmarks=5 transposed=1 anchors=[[],[],[],[],[23,29,43,55,73,105]]"
metafile "$pixels" "$one_output" "$mixed" > one_output.yaml
compile one_output --model "$network" --meta one_output.yaml
detect one_output
record one_output

say "Preprocessing with the NPU"
# The samples stay pictures; the camera's frame is nv12.
metafile "  - means: [0, 0, 0]
    scale: 255
    preprocess:
      type: nv12
      size: [1024, 768]" "$one_output" "$mixed" > nv12.yaml
compile nv12 --model "$network" --meta nv12.yaml
synap image_to_raw --src "$picture" --size 1024x768 --dst frame_1024x768.nv12
detect nv12 frame_1024x768.nv12
record nv12

say "Where the time goes, layer by layer"
adb shell "cd /data/local/tmp/test && synap_cli --profiling profile.txt random" > /dev/null
adb shell "cat /data/local/tmp/test/profile.txt" > profile.txt
sed -n 1,12p profile.txt

say "Results: step, estimated milliseconds on VS680, faces found"
cat results.csv
