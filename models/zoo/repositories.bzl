"""The files of the model zoo: networks that others trained, and photographs."""

_HOST = "https://raw.githubusercontent.com/"

# File name: address below _HOST, SHA-256.
_NETWORKS = {
    "FastestDet_352.onnx": (
        "dog-qiuqiu/FastestDet/50473cd155cb088aa4a99e64ff6a4b3c24fa07e1/example/onnx-runtime/FastestDet.onnx",
        "31cb14c017fce347cb4c846ec62fdf00d76bb3beecdf4be21e7116ac67feb880",
    ),
    "RFB-320.caffemodel": (
        "Linzaer/Ultra-Light-Fast-Generic-Face-Detector-1MB/dffdddda9794a50607cba8f318507a28c1c27cab/caffe/model/RFB-320/RFB-320.caffemodel",
        "4a59411c442a649b4adbb353f7ba201492b2ef9f30b65019208252d781501e27",
    ),
    "RFB-320.prototxt": (
        "Linzaer/Ultra-Light-Fast-Generic-Face-Detector-1MB/dffdddda9794a50607cba8f318507a28c1c27cab/caffe/model/RFB-320/RFB-320.prototxt",
        "d2d93df9e05dd16888e7fd6b3f13676fc9b5020f07dc7f904e2d6157ecefc9f4",
    ),
    "blazeface_short_range.tflite": (
        "google/mediapipe/139237092fedef164a17840aceb4e628244f8173/mediapipe/modules/face_detection/face_detection_short_range.tflite",
        "3bc182eb9f33925d9e58b5c8d59308a760f4adea8f282370e428c51212c26633",
    ),
    "deeplabv3_mnv2_dm05_pascal_quant.tflite": (
        "google-coral/test_data/104342d2d3480b3e66203073dac24f4e2dbb4c41/deeplabv3_mnv2_dm05_pascal_quant.tflite",
        "0470d2a782aa54eeeb99d32e7b6b3fb7722905c7c4f5d26bd957ec861366d48b",
    ),
    "det3.caffemodel": (
        "kpzhang93/MTCNN_face_detection_alignment/4617f55b08846aea1b2328e9c12e48df91b3d725/code/codes/MTCNNv1/model/det3.caffemodel",
        "9d6098829a4d6d318f37cec42142465637fafe4c673f2e93b69495bf7ca23d2d",
    ),
    "det3.prototxt": (
        "kpzhang93/MTCNN_face_detection_alignment/4617f55b08846aea1b2328e9c12e48df91b3d725/code/codes/MTCNNv1/model/det3.prototxt",
        "a8385a3aad241acf5902b79466f9a359ea9f03a3b6dcbe1e1efa050908cf7d04",
    ),
    "mnet_mobilenet_0.25_128.pb": (
        "ARM-software/ML-examples/56b9feeda5fa841c4d4292bc4a5c939b09303f89/yeah-world/mnet.pb",
        "96424126fe01b501e3e2250f5cf38f0b8e97d528adfccb8ee678195b8e5a50b3",
    ),
    "mobilenet_v1_0.25_224_float.tflite": (
        "tensorflow/tflite-support/dd3362ea685bb7ab1f7268c81ec567d3b720ae57/tensorflow_lite_support/cc/test/testdata/task/vision/mobilenet_v1_0.25_224_1_default_1.tflite",
        "446ec673881cd46371a8726075b714194ada39d144762260cb76d15318597df7",
    ),
    "mobilenet_v2_0.35_128_st.onnx": (
        "STMicroelectronics/stm32ai-modelzoo-services/46924c0a8b7617672c12895fa76b0ee202738355/common/onnx_utils/sample_models/mobilenet_v2_0.35_128_tfs_channel_first.onnx",
        "17510359679c8e131f32dbde16d6fd7dff27b99b50a7d23462ad2710ad76fe48",
    ),
    "retinaface_mbnet0.25.onnx": (
        "ShiqiYu/libfacedetection.train/204b0c9f687f2fd5c012988199a3cd47feb69a90/onnx/retinaface_mbnet0.25.onnx",
        "13a69f2cb3012162ccce8466b1cd9e445ae1337ae641f31c90419e6179f13650",
    ),
    "segm_lite_v681_opt.pb": (
        "PINTO0309/PINTO_model_zoo/a768ceaac81d6268ca7a9bd6e63c1bb614d74e8d/082_MediaPipe_Meet_Segmentation/segm_lite_v681_opt.pb",
        "0e88fa580c436b85686e817af3de97697a64526e016a30eb5319298d76bfca59",
    ),
    "ultraface_RFB-320.onnx": (
        "Linzaer/Ultra-Light-Fast-Generic-Face-Detector-1MB/dffdddda9794a50607cba8f318507a28c1c27cab/models/onnx/version-RFB-320.onnx",
        "34cd7e60aeff28744c657de7a3dc64e872d506741de66987f3426f2b79f88017",
    ),
    "yolov5n-0.5-face_640.onnx": (
        "deepcam-cn/yolov5-face/2088d406d5abc44e8a012ccc7f3a5b22be96b958/torch2tensorrt/yolov5n-0.5.onnx",
        "ffeda7b88900bd8fb3c3cd71876d199aca389a1378d11e07d22faf4c5fc6b4ae",
    ),
    "yolox_nano_opencv_zoo.onnx": (
        "opencv/opencv_zoo/371cb249700106b50b2f934b7f18df3f9d127473/models/object_detection_yolox/yolox_nano.onnx",
        "c789161ed43c8269fcd4e67c67eeeb4e80c622da2eb296a20bc6007bd18a0b7d",
    ),
    "yunet_n_320_320.onnx": (
        "ShiqiYu/libfacedetection.train/0047ac24afb1a50a0c6105001c89d1b5b805dbf1/onnx/yunet_n_320_320.onnx",
        "81dbde155e982455488235acb8ec2dec5d647edf7cf7080d33e4abb69b93a0d2",
    ),
}

_PICTURES = {
    "coral_bird_segmentation.bmp": (
        "google-coral/test_data/104342d2d3480b3e66203073dac24f4e2dbb4c41/bird_segmentation.bmp",
        "24dbd0ca9c379b5b8d055026e073a3ffb54ad72ac0746d31d16da9306865ee48",
    ),
    "coral_bird_segmentation_mask.bmp": (
        "google-coral/test_data/104342d2d3480b3e66203073dac24f4e2dbb4c41/bird_segmentation_mask.bmp",
        "6b21e7b7c5825bba126b4588a917339c915e7073db29d9f3d404ba8aeed53454",
    ),
    "coral_cat_720p.jpg": (
        "google-coral/test_data/104342d2d3480b3e66203073dac24f4e2dbb4c41/cat_720p.jpg",
        "cfb1dbdf64b30de79104a47555ff8e9f12737a12c2128ecd0e7f38531a8c13ce",
    ),
    "coral_owl.jpg": (
        "google-coral/test_data/104342d2d3480b3e66203073dac24f4e2dbb4c41/owl.jpg",
        "ea9a0e3943bbd0acaeb472a6e66e777d13cf76646f9e42e84cafa931cc8a5bf7",
    ),
    "ortex_dog.jpg": (
        "microsoft/onnxruntime-inference-examples/428b0399b871c258683ccfa9e9eb9e449ef01843/mobile/examples/Xamarin/VisionSample/VisionSample.Forms/SampleImages/dog.jpg",
        "1f1dae53069b26e570da5c74408e245c0911bbcc3b343aae527001a1a2993cbe",
    ),
    "ortex_goldfish.jpg": (
        "microsoft/onnxruntime-inference-examples/428b0399b871c258683ccfa9e9eb9e449ef01843/c_sharp/image_classification/model/goldfish.jpg",
        "61ff9f1e0c4ed5906efed08c19d0c501b5ba75e45df77818d533a28e825341aa",
    ),
    "ortex_satya.jpg": (
        "microsoft/onnxruntime-inference-examples/428b0399b871c258683ccfa9e9eb9e449ef01843/mobile/examples/Maui/MauiVisionSample/MauiVisionSample/Resources/Raw/satya.jpg",
        "afc08fe4087ada3188784ed7ff675d63b484e93e96da3ee52e7cbfb9a78b5aad",
    ),
    "ortex_test_object_detection_0.jpg": (
        "microsoft/onnxruntime-inference-examples/428b0399b871c258683ccfa9e9eb9e449ef01843/mobile/examples/object_detection/android/app/src/main/assets/test_object_detection_0.jpg",
        "0066045f2ca9b594dd7701cf01965741e018f8a65765d9b4fd51470856f5adf7",
    ),
    "ortex_test_object_detection_1.jpg": (
        "microsoft/onnxruntime-inference-examples/428b0399b871c258683ccfa9e9eb9e449ef01843/mobile/examples/object_detection/android/app/src/main/assets/test_object_detection_1.jpg",
        "c56b7fdd425d128826307101a72571ad9215d1554bad9da4445d0b91c239b908",
    ),
    "ultraface_imgs_1.jpg": (
        "Linzaer/Ultra-Light-Fast-Generic-Face-Detector-1MB/dffdddda9794a50607cba8f318507a28c1c27cab/imgs/1.jpg",
        "898e120bd162bd879649a9f26cce0feaf7fed5396db4766fac54ea6dd617829b",
    ),
    "ultraface_imgs_13.jpg": (
        "Linzaer/Ultra-Light-Fast-Generic-Face-Detector-1MB/dffdddda9794a50607cba8f318507a28c1c27cab/imgs/13.jpg",
        "00687f01c18f1e04585eab1a4385886d451cad7df5f529776c6025a061f802f0",
    ),
    "ultraface_imgs_19.jpg": (
        "Linzaer/Ultra-Light-Fast-Generic-Face-Detector-1MB/dffdddda9794a50607cba8f318507a28c1c27cab/imgs/19.jpg",
        "1ad4b3b9df62e03b0722fa73bdd60356f1e3194375e84f0a4cadf06d62d91d9a",
    ),
    "ultraface_imgs_2.jpg": (
        "Linzaer/Ultra-Light-Fast-Generic-Face-Detector-1MB/dffdddda9794a50607cba8f318507a28c1c27cab/imgs/2.jpg",
        "929d79fd5ac4dea69fd5bc4bd5dab0199f19d06fa84e5649b69c3d5c481c52c9",
    ),
    "ultraface_imgs_26.jpg": (
        "Linzaer/Ultra-Light-Fast-Generic-Face-Detector-1MB/dffdddda9794a50607cba8f318507a28c1c27cab/imgs/26.jpg",
        "58f2475a7cd8b0eee8b0bda21be6a8ddc8c5ec5ec45e0f67b75aa1cae07e1448",
    ),
    "ultraface_imgs_27.jpg": (
        "Linzaer/Ultra-Light-Fast-Generic-Face-Detector-1MB/dffdddda9794a50607cba8f318507a28c1c27cab/imgs/27.jpg",
        "6f90630c306391ac39fa7d0029f9c606b16ac0596f8ce425e986e6dae07f6dd9",
    ),
    "yolov5face_sample.jpg": (
        "deepcam-cn/yolov5-face/84ef013381e3a155b7a746215974dca7894e0f3e/torch2trt/sample.jpg",
        "1949b61252f4283a3b5d0cb5897a87ffa69672e5a20cc08a2141fa9b260fcd10",
    ),
}

def _download(ctx, files):
    """Downloads what can be had: from a folder named with --distdir, which is looked into first, or from the network."""
    found = []
    for name, (address, sha256) in files.items():
        if ctx.download(_HOST + address, name, sha256 = sha256, allow_fail = True).success:
            found.append(name)
    return found

def _zoo_files_impl(ctx):
    found = _download(ctx, _NETWORKS)
    if found:
        # Without a single network, don't wait for pictures.
        found += _download(ctx, _PICTURES)
    ctx.file("BUILD.bazel", "exports_files(%s)\n" % repr(found))
    ctx.file("available.bzl", "AVAILABLE = %s\n" % repr(found))

zoo_files = repository_rule(
    implementation = _zoo_files_impl,
    # Looked for anew with each start of Bazel's server: a folder may have been named, or a network found, in the meantime.
    local = True,
    doc = """The files of the zoo that can be had, each pinned by its SHA-256.

A file that can't be had is left out without an error, so that a build of //... needs no network. available.bzl says which there are.""",
)
