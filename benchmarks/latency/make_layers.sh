#!/bin/bash
# benchmarks/latency/make_layers.sh: writes layers.txt again. Takes minutes, 2 GB of disk and pip's numpy and onnx.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/graphs"

./bazelw build //compiler/convert/cli:synap //compiler/target:list_layers
python3 -m venv "$work/venv"
"$work/venv/bin/pip" -q install numpy onnx
"$work/venv/bin/python" benchmarks/latency/networks.py "$work/networks"
for model in "$work"/networks/*.onnx; do
  bazel-bin/compiler/convert/cli/synap import --model "$model" --out "$work/graphs/$(basename "$model" .onnx).sir"
done

# quantized <name> <network> <outputs> <types>: the manual's example, of which a part may have 16 bits.
quantized() {
  {
    echo 'inputs: [{means: [0, 0, 0], scale: 255}]'
    echo "outputs: [$3]"
    echo 'optimize: false'
    echo "quantization: {dataset: random, data_type: {$4}}"
  } > "$work/$1.yaml"
  bazel-bin/compiler/convert/cli/synap convert --model "$work/networks/$2.onnx" --meta "$work/$1.yaml" --target VS680 \
    --out-dir "$work/$1" --preserve
  cp "$work/$1/build/model_quantized.qsir" "$work/graphs/$1.sir"
}
real='{dequantize: true}'
mixed="'*': uint8, 'concat_153...': int16"
quantized workflow_uint8 yolov5s_face_640x480 "$real, $real, $real" "'*': uint8"
quantized workflow_uint8_pruned yolov5s_face_640x480_pruned "$real, $real, $real" "'*': uint8"
quantized workflow_int16_pruned yolov5s_face_640x480_pruned "$real, $real, $real" "'*': int16"
quantized workflow_mixed_pruned yolov5s_face_640x480_pruned "$real, $real, $real" "$mixed"
quantized workflow_mixed_one yolov5s_face_640x480_one "$real" "$mixed"

bazel-bin/compiler/target/list_layers "$work"/graphs/*.sir > benchmarks/latency/layers.txt
