"""Tests of the package synap. Argument: a file of the folder of the test models."""

import ast
import gc
import logging
import os
import pathlib
import sys
import tempfile
import threading
import unittest

import numpy as np
import PIL.Image

import synap
from synap import postprocessing

MODELS = pathlib.Path(sys.argv.pop()).parent
PIXELS = np.array([[[128, 128, 255], [255, 255, 204]]], np.uint8)


def network(name, **options):
    return synap.Network(MODELS / (name + ".synap"), **options)


def predicted(name, value):
    """The output of a model of six items for an input."""
    net = network(name)
    net.inputs[0].assign(value)
    return net.predict()[0]


class NetworkTest(unittest.TestCase):
    def test_loads_files_and_bytes(self):
        path = MODELS / "detection.synap"
        for model in (path, str(path), path.read_bytes(), bytearray(path.read_bytes()), memoryview(path.read_bytes())):
            self.assertEqual(len(synap.Network(model).inputs), 1)

    def test_names_what_is_wrong_with_a_model(self):
        with self.assertRaises(FileNotFoundError) as raised:
            synap.Network("none.synap")
        self.assertIn("none.synap", str(raised.exception))
        with self.assertRaises(IsADirectoryError):
            synap.Network("/")
        with self.assertRaisesRegex(synap.Error, "can't load the model: "):
            synap.Network(b"no model")
        with tempfile.TemporaryDirectory() as folder:
            damaged = pathlib.Path(folder, "\udcff damaged.synap")
            damaged.write_bytes(b"PK")
            with self.assertRaisesRegex(synap.Error, "damaged.synap: "):
                synap.Network(damaged)

    def test_error_is_a_runtime_error(self):
        self.assertTrue(issubclass(synap.Error, RuntimeError))
        self.assertEqual(synap.Error.__module__ + "." + synap.Error.__name__, "synap.Error")

    def test_finds_tensors_by_index_and_name(self):
        net = network("detection")
        self.assertIs(net.inputs["image"], net.inputs[0])
        self.assertIs(net.inputs[-1], net.inputs[0])
        self.assertEqual(net.inputs[:], [net.inputs[0]])
        self.assertEqual([tensor.name for tensor in net.outputs], ["y"])
        with self.assertRaisesRegex(IndexError, "no input at index 1 of 1"):
            net.inputs[1]
        with self.assertRaisesRegex(KeyError, "no output is named 'z', expected one of 'y'"):
            net.outputs["z"]

    def test_has_a_text(self):
        self.assertRegex(repr(network("detection")),
                         r"^<synap.Network '.*detection.synap', inputs \[<synap.Tensor 'image' uint8 \[1, 1, 2, 3\] nhwc "
                         r"format='rgb'>\], outputs \[<synap.Tensor 'y' uint8 \[1, 1, 6\] format='yolov5'>\]>$")

    def test_profiles(self):
        net = network("detection", profiling=True)
        self.assertEqual(net.profile(), "")
        net.predict()
        self.assertIn("inference_count: 1", net.profile())
        net = network("detection")
        net.predict()
        self.assertEqual(net.profile(), "")

    def test_predict_releases_the_interpreter(self):
        net, ran, lock = network("detection"), [], threading.Lock()
        before = sys.getswitchinterval()
        lock.acquire()
        other = threading.Thread(target=lambda: (lock.acquire(), ran.append(True)))
        other.start()
        sys.setswitchinterval(1000)  # from here on, the other thread runs only while this one has let go
        try:
            lock.release()
            for _ in range(100000):
                net.predict()
                if ran:
                    break
            self.assertTrue(ran)
        finally:
            sys.setswitchinterval(before)
            other.join()

    def test_threads_share_networks(self):
        net, detector, failures = network("detection"), synap.Detector(), []
        synap.set_log_level(synap.LogLevel.VERBOSE)  # messages need the interpreter while a network is in use

        def use():
            try:
                for _ in range(200):
                    rect = synap.Preprocessor().assign(net, PIXELS)
                    net.predict()
                    detector.process(net, rect)
                    net.outputs[0].as_float()
                    net.outputs[0].assign(net.inputs[0])
                    network("detection").inputs[0].assign(net.inputs[0])
            except Exception as error:  # a thread's would be printed only
                failures.append(error)

        threads = [threading.Thread(target=use) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        synap.set_log_level(synap.LogLevel.WARNING)
        self.assertEqual(failures, [])


class TensorTest(unittest.TestCase):
    def test_describes_itself(self):
        tensor = network("detection").inputs[0]
        self.assertEqual((tensor.name, tensor.shape, tensor.layout, tensor.format), ("image", (1, 1, 2, 3), "nhwc", "rgb"))
        self.assertEqual((tensor.dtype, tensor.data_type, tensor.size, tensor.nbytes), (np.uint8, "uint8", 6, 6))
        self.assertEqual((tensor.security, len(tensor)), ("none", 1))
        quantizer = tensor.quantizer
        self.assertAlmostEqual(quantizer.scale, 1 / 255, 7)
        self.assertEqual(quantizer.zero_point, 0)
        self.assertIsNone(network("float32").inputs[0].quantizer)
        self.assertEqual(network("int16").inputs[0].quantizer, (1 / 256, 0))

    def test_numpy_shares_its_memory(self):
        net = network("float32")
        x, y = net.inputs[0].to_numpy(), net.outputs[0].to_numpy()
        self.assertEqual((x.dtype, x.shape, y.shape), (np.float32, (1, 2, 3), (6,)))
        x[...] = [[[1, 2, 3], [4, 5, 6]]]
        net.predict()
        self.assertEqual(y.tolist(), [1, 2, 3, 4, 5, 6])
        self.assertTrue(np.shares_memory(x, net.inputs[0].to_numpy()))
        self.assertTrue(np.shares_memory(x, np.asarray(net.inputs[0])))
        self.assertEqual(np.array(net.inputs[0], dtype=np.float64).dtype, np.float64)

    def test_numpy_chooses_whether_to_copy(self):
        tensor = network("float32").inputs[0]
        memory = tensor.to_numpy()
        self.assertTrue(np.shares_memory(memory, tensor.__array__(np.dtype("float32"), copy=False)))
        self.assertFalse(np.shares_memory(memory, tensor.__array__(copy=True)))
        self.assertEqual(tensor.__array__("float64", copy=True).dtype, np.float64)
        with self.assertRaisesRegex(ValueError, "tensor 'x' is float32, which needs a copy as float64"):
            tensor.__array__(np.float64, copy=False)

    def test_extension_has_no_version_of_numpy(self):
        from synap import _synap

        self.assertNotIn(b"multiarray", pathlib.Path(_synap.__file__).read_bytes())

    def test_arrays_keep_their_network(self):
        array = network("float32").inputs[0].to_numpy()
        tensor = network("int8").inputs[0]
        gc.collect()
        array[...] = 7
        tensor.assign([1, 2, 3, 4, 5, 6])
        self.assertEqual(array.sum(), 42)
        self.assertEqual(tensor.to_numpy().tolist(), [[[1, 2, 3], [4, 5, 6]]])

    def test_as_float_is_a_copy_of_real_numbers(self):
        tensor = network("int8").inputs[0]
        tensor.assign(b"\x03\x04\x05\x06\x07\xff")
        floats = tensor.as_float()
        self.assertEqual(floats.tolist(), [[[0, 0.5, 1], [1.5, 2, -2]]])
        tensor.assign(b"\0" * 6)
        self.assertEqual(floats[0, 0, 1], 0.5)

    def test_assigns_values_of_every_type(self):
        for model in ("float32", "float16", "int8", "uint8", "int16", "int32"):
            for dtype in ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16",
                          "float32", "float64", ">i4", ">f8"):
                values = np.array([[[0, 1, 1], [0, 0, 1]]], dtype)
                with self.subTest(model=model, dtype=dtype):
                    y = predicted(model, values)
                    # An affine tensor whose metafile has no mean and scale takes its items.
                    stored = y.to_numpy() if model in ("int8", "uint8") else y.as_float()
                    self.assertEqual(stored.tolist(), [0, 1, 1, 0, 0, 1])

    def test_int64_values_pass_unchanged(self):
        values = [-(2**63), 2**63 - 1, 2**53 + 1, -1, 0, 7]
        array = np.array(values)
        strided = np.array([values, values]).T[:, 1]
        for value in (array, array.reshape(1, 2, 3), array.astype(">i8"), strided, values, array.tobytes()):
            y = predicted("int64", value)
            self.assertEqual(y.data_type, "int64")
            self.assertEqual(y.to_numpy().dtype, np.int64)
            self.assertEqual(y.to_numpy().tolist(), values)
        self.assertEqual(y.as_float().tolist(), [-(2.0**63), 2.0**63, 2.0**53, -1, 0, 7])

    def test_int64_tensors_take_other_numbers(self):
        for dtype in ("bool", "int8", "uint16", "int32", "uint32", "uint64", "float32"):
            y = predicted("int64", np.array([0, 1, 1, 0, 1, 0], dtype))
            self.assertEqual(y.to_numpy().tolist(), [0, 1, 1, 0, 1, 0])
        with self.assertRaisesRegex(ValueError, "tensor 'x' gets integers from 0 to 18446744073709551615"):
            predicted("int64", np.array([0, 0, 0, 0, 0, 2**64 - 1], np.uint64))

    def test_int64_inputs_are_written_in_place(self):
        net = network("int64")
        net.inputs[0].to_numpy()[...] = 2**40
        self.assertEqual(net.predict()[0].to_numpy().tolist(), [2**40] * 6)

    def test_values_beyond_the_range_saturate(self):
        self.assertEqual(predicted("int8", [-1000, 0, 1, 2, 127, 1000]).to_numpy().tolist(), [-128, 0, 1, 2, 127, 127])

    def test_bytes_are_0_or_1(self):
        self.assertEqual(predicted("byte", [[0, 1, 7], [0, 0, 255]]).to_numpy().tolist(), [0, 1, 1, 0, 0, 1])

    def test_assigns_arrays_that_are_not_contiguous(self):
        values = np.arange(12, dtype=np.float32).reshape(2, 6)[:, ::2]
        self.assertEqual(predicted("float32", values).to_numpy().tolist(), [0, 2, 4, 6, 8, 10])
        self.assertEqual(predicted("float32", np.asfortranarray(values)).to_numpy().tolist(), [0, 2, 4, 6, 8, 10])

    def test_assigns_bytes_unchanged(self):
        for data in (b"abcdef", bytearray(b"abcdef"), memoryview(b"abcdef"), memoryview(b"a.b.c.d.e.f.")[::2]):
            self.assertEqual(predicted("int8", data).to_numpy().tobytes(), b"abcdef")
        with self.assertRaisesRegex(ValueError, "tensor 'x' gets 5 bytes, expected 6"):
            predicted("int8", b"abcde")

    def test_assigns_tensors_and_scalars(self):
        source = predicted("float32", [1, 2, 3, 4, 5, 6])
        self.assertEqual(predicted("float32", source).to_numpy().tolist(), [1, 2, 3, 4, 5, 6])
        with self.assertRaisesRegex(synap.Error, "differ in data type or size"):
            predicted("int8", source)
        self.assertEqual(predicted("scalar", 42).to_numpy().tolist(), [[42]])
        self.assertEqual(predicted("scalar", np.int64(-1)).to_numpy().tolist(), [[-1]])
        for value in (2**31, -(2**31) - 1):
            with self.assertRaisesRegex(ValueError, "gets %d, expected -2147483648 to 2147483647" % value):
                predicted("scalar", value)

    def test_scalars_take_numbers_of_their_type(self):
        for value in (1, 1.0, [1], np.int64(1), np.float64(1)):
            self.assertEqual(predicted("scalar_float32", value).to_numpy().tolist(), [[1]])
        for value in (-(2**63), -1, 2**31, 2**63 - 1):
            self.assertEqual(predicted("scalar_int64", value).to_numpy().tolist(), [[value]])
        for value in (0, 2**31, 2**32 - 1):
            self.assertEqual(predicted("scalar_uint32", value).to_numpy().tolist(), [[value]])
        with self.assertRaisesRegex(ValueError, "gets 4294967296, expected 0 to 4294967295"):
            predicted("scalar_uint32", 2**32)

    def test_refuses_wrong_shapes_and_types(self):
        for shape in ((5,), (3, 2), (2, 3, 1), (1, 1, 6), ()):
            with self.subTest(shape=shape), self.assertRaisesRegex(ValueError, "tensor 'x' gets an array of shape"):
                predicted("float32", np.zeros(shape, np.float32))
        for value in (["a"] * 6, np.zeros(6, complex), None, object(), {}):
            with self.subTest(value=value), self.assertRaisesRegex(TypeError, "expected integers or real numbers"):
                predicted("float32", value)
        for low, high in ((0, 2**32), (-1, 2**31), (-(2**31) - 1, 0)):
            expected = "integers from %d to %d, expected -2147483648 to 2147483647, or 0 to 4294967295" % (low, high)
            with self.assertRaisesRegex(ValueError, expected):
                predicted("int32", [low, 0, 0, 0, 0, high])

    def test_lists_hold_integers_of_32_bits(self):
        self.assertEqual(predicted("float32", [3000000000, 0, 0, 0, 0, 1]).to_numpy().tolist(), [3e9, 0, 0, 0, 0, 1])
        self.assertEqual(predicted("float32", [-(2**31), 0, 0, 0, 0, 1]).to_numpy().tolist(), [-(2**31), 0, 0, 0, 0, 1])

    def test_assigns_pictures(self):
        net = network("detection")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "picture.png")
            PIL.Image.fromarray(PIXELS).save(file)
            for picture in (file, str(file), PIL.Image.fromarray(PIXELS), synap.InputData(PIXELS)):
                net.inputs[0].assign(b"\0" * 6)
                net.inputs[0].assign(picture)
                self.assertEqual(net.inputs[0].to_numpy().tobytes(), PIXELS.tobytes())

    def test_modes_of_pictures(self):
        net = network("detection")
        gray = PIL.Image.fromarray(np.array([[10, 20]], np.uint8))
        expected = [10, 10, 10, 20, 20, 20]
        palette = gray.convert("P")
        for picture in (gray, gray.convert("RGB"), gray.convert("RGBA"), gray.convert("LA"), palette):
            with self.subTest(mode=picture.mode):
                net.inputs[0].assign(picture)
                self.assertEqual(net.inputs[0].to_numpy().ravel().tolist(), expected)
        net.inputs[0].assign(gray.point(lambda value: 255 * (value > 15)).convert("1"))
        self.assertEqual(net.inputs[0].to_numpy().ravel().tolist(), [0, 0, 0, 255, 255, 255])

    def test_pictures_of_16_bits_are_those_of_their_files(self):
        values = np.array([[0x12F0, 0x8001]], np.uint16)
        picture = PIL.Image.fromarray(values)
        expected = [0x12, 0x12, 0x12, 0x80, 0x80, 0x80]
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "picture.png")
            picture.save(file)
            for source in (file, picture, PIL.Image.open(file)):
                with self.subTest(source=source):
                    net = network("detection")
                    net.inputs[0].assign(source)
                    self.assertEqual(net.inputs[0].to_numpy().ravel().tolist(), expected)

    def test_refuses_pictures_of_unknown_range(self):
        for dtype, mode in ((np.int32, "I"), (np.float32, "F")):
            with self.assertRaisesRegex(TypeError, "mode '%s', whose range of values isn't known" % mode):
                synap.InputData(PIL.Image.fromarray(np.zeros((1, 2), dtype)))

    def test_turns_pictures_as_their_exif_data_say(self):
        exif = PIL.Image.Exif()
        exif[0x0112] = 6  # the first row is the right side
        picture = PIL.Image.fromarray(np.array([[10, 10, 10, 200, 200, 200]] * 2, np.uint8))
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "picture.jpg")
            picture.save(file, exif=exif, quality=100)
            opened = PIL.Image.open(file)
            for source in (file, opened, opened.convert("RGB")):
                self.assertEqual(synap.InputData(source).size, (2, 6))
            picture.save(file, exif=b"Exif\0\0damaged")
            self.assertEqual(synap.InputData(PIL.Image.open(file)).size, (6, 2))


class PreprocessorTest(unittest.TestCase):
    def assigned(self, data, model="detection"):
        net = network(model)
        rect = synap.Preprocessor().assign(net, data)
        return rect, net.inputs[0].to_numpy().ravel().tolist()

    def test_converts_arrays(self):
        expected = PIXELS.ravel().tolist()
        rect, pixels = self.assigned(PIXELS)
        self.assertEqual(rect, synap.Rect(0, 0, 2, 1))
        self.assertEqual(pixels, expected)
        for data in (synap.InputData(PIXELS[..., ::-1], format="bgr"), PIXELS[np.newaxis],
                     synap.InputData(PIXELS.transpose(2, 0, 1), layout="nchw")):
            self.assertEqual(self.assigned(data)[1], expected)
        self.assertEqual(self.assigned(np.array([[7, 9]], np.uint8))[1], [7, 7, 7, 9, 9, 9])
        self.assertEqual(self.assigned(np.dstack([PIXELS, PIXELS[..., :1]]))[1], expected)

    def test_resizes_and_reorders(self):
        pixels = np.zeros((4, 4, 3), np.uint8) + np.array([1, 2, 3], np.uint8)
        rect, planes = self.assigned(pixels, "planar")
        self.assertEqual(rect, (0, 0, 4, 4))
        self.assertEqual(planes, [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3])

    def test_converts_yuv_and_raw_data(self):
        self.assertEqual(self.assigned(synap.InputData.raw(b"abcdef"))[1], list(b"abcdef"))
        data = synap.InputData.yuv(np.full(6, 128, np.uint8), 2, 2)
        self.assertEqual(data.size, (2, 2))
        self.assertEqual(self.assigned(data, "planar")[1], [128] * 12)
        with self.assertRaisesRegex(ValueError, "format is 'nv16', expected 'nv12' or 'nv21'"):
            synap.InputData.yuv(b"", 2, 2, "nv16")

    def test_names_what_is_wrong_with_data(self):
        with self.assertRaises(FileNotFoundError):
            synap.InputData("none.jpg")
        with self.assertRaisesRegex(TypeError, "pixels are float64, expected uint8"):
            synap.InputData(np.zeros((2, 2, 3)))
        for shape in ((2,), (2, 2, 5), (0, 2, 3), (2, 2, 2, 3)):
            with self.subTest(shape=shape), self.assertRaisesRegex(ValueError, "pixels have the shape"):
                synap.InputData(np.zeros(shape, np.uint8))
        with self.assertRaisesRegex(ValueError, "layout is 'hwc'"):
            synap.InputData(PIXELS, layout="hwc")
        with self.assertRaisesRegex(ValueError, "3 channels, expected 4 for format 'bgra'"):
            synap.InputData(PIXELS, format="bgra")
        with self.assertRaises(synap.Error):
            synap.InputData(b"no picture").size
        with self.assertRaises(synap.Error):
            self.assigned(b"no picture")
        with self.assertRaisesRegex(IndexError, "no input at index 1 of 1"):
            synap.Preprocessor().assign(network("detection"), PIXELS, 1)
        with self.assertRaisesRegex(synap.Error, "No cropping tensors"):
            synap.Preprocessor(roi=(0, 0, 1, 1)).assign(network("detection"), PIXELS)
        self.assertEqual(repr(synap.InputData(PIXELS)), "<synap.InputData rgb, 6 bytes>")

    def test_names_what_is_wrong_with_numbers(self):
        preprocessor, net = synap.Preprocessor(), network("detection")
        with self.assertRaisesRegex(TypeError, "^roi.x is 0.5, expected an integer$"):
            synap.Preprocessor(roi=(0.5, 0, 1, 1))
        with self.assertRaisesRegex(ValueError, "^roi.width is 4294967296, expected -2147483648 to 2147483647$"):
            synap.Preprocessor(roi=(0, 0, 2**32, 1))
        with self.assertRaisesRegex(ValueError, r"^roi is \(0, 0, 1\), expected \(x, y, width, height\)$"):
            synap.Preprocessor(roi=(0, 0, 1))
        with self.assertRaisesRegex(TypeError, "^'float' object cannot be interpreted as an integer$"):
            preprocessor.assign(net, PIXELS, 0.5)
        with self.assertRaisesRegex(ValueError, "^width is -4, expected 1 to 2147483647$"):
            synap.InputData.yuv(b"", -4, 2)


class PostprocessingTest(unittest.TestCase):
    def test_detects(self):
        net = network("detection")
        rect = synap.Preprocessor().assign(net, PIXELS)
        net.predict()
        (found,) = synap.Detector().process(net, rect)
        self.assertEqual((found.class_index, found.bounding_box, found.landmarks), (0, synap.Rect(0, 0, 2, 1), ()))
        self.assertAlmostEqual(found.confidence, 0.8, 6)
        self.assertIsNone(found.mask)
        self.assertEqual(found, synap.Detection(0, found.confidence, synap.Rect(0, 0, 2, 1)))
        self.assertEqual(synap.Detector(score_threshold=0.9).process(net, rect), [])
        with self.assertRaisesRegex(ValueError, "max_detections is -1"):
            synap.Detector(max_detections=-1)
        with self.assertRaisesRegex(TypeError, "^score_threshold is '0.5', expected a number$"):
            synap.Detector(score_threshold="0.5")
        with self.assertRaisesRegex(ValueError, "^input_rect.height is 2147483648, expected "):
            synap.Detector().process(net, (0, 0, 2, 2**31))
        with self.assertRaisesRegex(synap.Error, "confidence_array"):
            synap.Detector().process(network("float32"), rect)

    def test_masks_are_arrays(self):
        item = (0, 0.5, (0, 0, 2, 1), [], (1, 2, bytearray(np.float32([[1, -1]]).tobytes())))
        mask = postprocessing._detection(item).mask
        self.assertEqual((mask.dtype, mask.tolist()), (np.float32, [[1, -1]]))
        mask[0, 0] = 3

    def test_classifies(self):
        net = network("float32")
        net.inputs[0].assign([0.1, 0.5, 0.2, 0.4, 0.3, 0.6])
        net.predict()
        self.assertEqual([score.class_index for score in synap.Classifier(top_count=3).process(net)], [5, 1, 3])
        self.assertEqual(len(synap.Classifier(top_count=0).process(net)), 6)
        self.assertAlmostEqual(synap.Classifier().process(net)[0].confidence, 0.6, 6)
        with self.assertRaisesRegex(ValueError, "top_count is -1"):
            synap.Classifier(-1)

    def test_makes_images(self):
        net = network("picture")
        net.inputs[0].assign(bytes(range(12)))
        net.predict()
        image = synap.ImagePostprocessor().process(net)
        self.assertEqual(image, synap.OutputImage(image.data, 2, 2, "rgb"))
        self.assertEqual(image.to_numpy()[1, 0].tolist(), [2, 6, 10])
        net = network("detection")
        net.predict()
        image = synap.ImagePostprocessor().process(net)
        self.assertEqual((image.format, image.width, image.data.size), ("yolov5", 0, 6))
        with self.assertRaisesRegex(ValueError, "the image is yolov5 of 0x0 in 6 bytes"):
            image.to_numpy()

    def test_reads_labels(self):
        with tempfile.TemporaryDirectory() as folder:
            model = os.path.join(folder, "model.synap")
            pathlib.Path(folder, "info.json").write_text('{"labels": ["cat", "dog"]}', encoding="utf-8")
            self.assertEqual(synap.labels(model), ["cat", "dog"])
            pathlib.Path(folder, "info.json").write_text("{", encoding="utf-8")
            with self.assertRaisesRegex(synap.Error, "info.json"):
                synap.labels(model)


class ProcessTest(unittest.TestCase):
    def test_logs_to_pythons_logger(self):
        with self.assertLogs("synap", logging.INFO) as logs:
            synap.set_log_level(synap.LogLevel.INFO)
            network("detection")
            synap.set_log_level(2)
        self.assertRegex(logs.output[0], "^INFO:synap:network [0-9]+ loaded: 1 inputs, 1 outputs")
        with self.assertRaises(ValueError):
            synap.set_log_level(9)

    def test_handlers_may_use_the_network_of_a_message(self):
        net, profiles = network("float32", profiling=True), []
        handler = logging.Handler()
        handler.emit = lambda record: profiles.append(net.profile())
        logger = logging.getLogger("synap")
        self.addCleanup(logger.setLevel, logger.level)
        self.addCleanup(synap.set_log_level, synap.LogLevel.WARNING)
        logger.addHandler(handler)
        self.addCleanup(logger.removeHandler, handler)
        logger.setLevel(logging.DEBUG)
        synap.set_log_level(synap.LogLevel.VERBOSE)
        runner = threading.Thread(target=net.predict, daemon=True)  # which wouldn't end if the handler waited for it
        runner.start()
        runner.join(20)
        self.assertFalse(runner.is_alive())
        self.assertIn("inference_count: 1", profiles[0])

    def test_locks_the_npu(self):
        with tempfile.TemporaryDirectory() as folder:
            os.environ["XDG_RUNTIME_DIR"] = folder
            npu = synap.Npu()
            self.assertTrue(npu.available())
            with npu as locked:
                self.assertTrue(locked.is_locked())
                self.assertEqual(repr(npu), "<synap.Npu, locked>")
                with self.assertRaises(synap.Error):
                    synap.Npu().lock()
            self.assertFalse(npu.is_locked())

    def test_sets_the_number_of_threads(self):
        self.addCleanup(synap.set_thread_count, 0)
        synap.set_thread_count(3)
        self.assertEqual(synap.thread_count(), 3)
        for count in (-1, 1025, 2**40):
            with self.assertRaisesRegex(ValueError, "^count is %d, expected 0 to 1024$" % count):
                synap.set_thread_count(count)
        synap.set_thread_count(0)
        self.assertGreaterEqual(synap.thread_count(), 1)

    def test_sets_the_target(self):
        self.addCleanup(synap.set_target, "")
        synap.set_target("dolphin")
        self.assertEqual(synap.target(), "DOLPHIN")
        with self.assertRaisesRegex(TypeError, "^name is 680, expected a string$"):
            synap.set_target(680)

    def test_has_a_version(self):
        self.assertRegex(synap.__version__, r"^\d+\.\d+\.\d+$")
        for name in synap.__all__:
            self.assertTrue(hasattr(synap, name), name)


class StubTest(unittest.TestCase):
    """_synap.pyi has the names of the extension."""

    def names(self, body):
        return {node.name for node in body if isinstance(node, (ast.ClassDef, ast.FunctionDef)) if node.name != "__init__"}

    def test_has_the_names_of_the_extension(self):
        from synap import _synap

        stub = ast.parse(pathlib.Path(synap.__file__).with_name("_synap.pyi").read_text(encoding="utf-8"))
        self.assertEqual(self.names(stub.body), {name for name in dir(_synap) if not name.startswith("_")})
        for node in stub.body:
            if isinstance(node, ast.ClassDef) and node.name not in ("Error", "Npu"):
                members = {name for name in vars(getattr(_synap, node.name)) if not name.startswith("_")}
                self.assertEqual(self.names(node.body), members, node.name)


if __name__ == "__main__":
    unittest.main()
