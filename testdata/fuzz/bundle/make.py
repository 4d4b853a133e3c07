#!/usr/bin/env python3
"""Writes the corpus of //runtime/bundle:bundle_fuzz beside itself: bundles, whole and broken."""

import io
import pathlib
import zipfile

HERE = pathlib.Path(__file__).parent
EDGE = b'{"subgraph":-1,"out":0}'
TENSOR = (
    b'{"name":"x","shape":[1,4],"format":"nhwc","dtype":"uint8","quantizer":"asymmetric_affine",'
    b'"quantize":{"qtype":"u8","scale":0.5,"zero_point":3},"data_format":"rgb","scale":255,"mean":[1]}'
)
META = b'{"Inputs":{"x":' + TENSOR + b'},"Outputs":{"x":' + TENSOR + b'},"secure":false,"delegate":"npu"}'


def bundle(json, meta=META, method=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in (("bundle.json", json), ("0/model.nb", b"program"), ("0/model.json", meta)):
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return out.getvalue()


def graph(inputs, outputs):
    subgraphs = b",".join(
        b'{"inputs":[' + i + b'],"model":"0/model.nb","meta":"0/model.json"}' for i in inputs
    )
    return b'{"graph":[' + subgraphs + b'],"outputs":[' + outputs + b"]}"


whole = bundle(graph([EDGE], b'{"subgraph":0,"out":0}'))
CORPUS = {
    "whole": whole,
    "chain": bundle(graph([EDGE, b'{"subgraph":0,"out":0}'], b'{"subgraph":1,"out":0}')),
    "cycle": bundle(graph([b'{"subgraph":0,"out":0}'], b'{"subgraph":0,"out":0}')),
    "huge_index": bundle(graph([b'{"subgraph":99999999999999999999,"out":0}'], b"")),
    "huge_shape": bundle(graph([EDGE], b'{"subgraph":0,"out":0}'), META.replace(b"[1,4]", b"[2147483647,2147483647]")),
    "huge_scale": bundle(graph([EDGE], b'{"subgraph":0,"out":0}'), META.replace(b"0.5", b"1e400")),
    "nested": bundle(b"[" * 100000),
    "compressed": bundle(graph([EDGE], b'{"subgraph":0,"out":0}'), method=zipfile.ZIP_DEFLATED),
    "truncated": whole[:-30],
    "damaged": whole.replace(b"program", b"prqgram"),
    "far_directory": whole[:-6] + b"\xfe\xff\xff\x7f\0\0",
    "empty": b"",
    "model.json": META,
    "fixed_point.json": META.replace(b'"asymmetric_affine"', b'"dynamic_fixed_point"').replace(b'"scale":0.5', b'"fl":[7]'),
    "deep.json": b'{"Inputs":' * 5000,
    "bundle.json": graph([EDGE, b'{"subgraph":0,"in":0}'], b'{"subgraph":1,"out":0}'),
}

for name, data in CORPUS.items():
    (HERE / name).write_bytes(data)
