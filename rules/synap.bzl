"""The rules that turn trained networks into models for the NPU. README.md beside this file says how to use them."""

load("//rules/private:cc_model.bzl", _synap_cc_model = "synap_cc_model")
load("//rules/private:cc_model_rule.bzl", _synap_py_model = "synap_py_model")
load(
    "//rules/private:golden_test.bzl",
    _synap_accuracy_test = "synap_accuracy_test",
    _synap_float_test = "synap_float_test",
    _synap_golden_test = "synap_golden_test",
)
load("//rules/private:golden_test_rules.bzl", _synap_verify_test = "synap_verify_test")
load("//rules/private:inspect.bzl", _synap_inspect = "synap_inspect")
load("//rules/private:model.bzl", _synap_model = "synap_model")
load("//rules/private:preprocess.bzl", _synap_preprocess_model = "synap_preprocess_model")
load(
    "//rules/private:providers.bzl",
    _SynapCalibrationInfo = "SynapCalibrationInfo",
    _SynapGraphInfo = "SynapGraphInfo",
    _SynapModelInfo = "SynapModelInfo",
    _SynapModelsInfo = "SynapModelsInfo",
    _SynapQuantInfo = "SynapQuantInfo",
)
load("//rules/private:quantize.bzl", _synap_quantize = "synap_quantize")
load("//rules/private:report.bzl", _synap_report = "synap_report")
load("//rules/private:toolchain.bzl", _SynapToolchainInfo = "SynapToolchainInfo", _synap_toolchain = "synap_toolchain")

synap_accuracy_test = _synap_accuracy_test
synap_cc_model = _synap_cc_model
synap_float_test = _synap_float_test
synap_golden_test = _synap_golden_test
synap_inspect = _synap_inspect
synap_model = _synap_model
synap_preprocess_model = _synap_preprocess_model
synap_py_model = _synap_py_model
synap_quantize = _synap_quantize
synap_report = _synap_report
synap_toolchain = _synap_toolchain
synap_verify_test = _synap_verify_test

SynapCalibrationInfo = _SynapCalibrationInfo
SynapGraphInfo = _SynapGraphInfo
SynapModelInfo = _SynapModelInfo
SynapModelsInfo = _SynapModelsInfo
SynapQuantInfo = _SynapQuantInfo
SynapToolchainInfo = _SynapToolchainInfo
