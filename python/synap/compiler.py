"""Conversion of trained networks, by the program `synap`."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
from typing import Dict, List, Optional

from synap import _synap, files
from synap.log import logger


_FOLDER = pathlib.Path(__file__).parent
_PACKAGED = _FOLDER / "bin" / "synap"
_FORMATS = ("synap", "nb")


def find_compiler() -> str:
    """The program `synap`: that which the variable SYNAP names, the one beside this module, or the first in PATH."""
    chosen = os.environ.get("SYNAP")
    if chosen:
        return chosen
    found = str(_PACKAGED) if os.access(_PACKAGED, os.X_OK) else shutil.which("synap")
    if found is None:
        raise FileNotFoundError("the program 'synap' is not in PATH; install it, or name it in the variable SYNAP")
    return found


def convert(
    model: files.PathLike,
    *,
    target: str,
    out_dir: files.PathLike,
    meta: Optional[files.PathLike] = None,
    weights: Optional[files.PathLike] = None,
    out_format: str = "synap",
    threads: int = 0,
    preserve: bool = False,
) -> pathlib.Path:
    """Converts a trained network and returns the converted model, out_dir/model.synap (model.nb for out_format "nb").

    model: .onnx, .tflite, .pb, .prototxt (with `weights`, the .caffemodel) or .torchscript. meta: the metafile, which
    describes inputs, outputs and quantization. target: "VS680", "SL1680", ... out_dir is created if missing. threads: 0
    for one for each processor. preserve keeps intermediate files in out_dir/build.

    What the program warns of goes to the logger "synap". If it fails, its sentence is a synap.Error.
    """
    if out_format not in _FORMATS:
        raise ValueError("out_format is '%s', expected 'synap' or 'nb'" % out_format)
    command = [find_compiler(), "convert", "--silent", "--target", target, "--out-format", out_format]
    command += ["--out-dir", os.fspath(out_dir), "--threads", str(threads)]
    for option, file in (("--model", model), ("--meta", meta), ("--weights", weights)):
        if file is not None:
            files.readable(file)
            command += [option, os.fspath(file)]
    if preserve:
        command.append("--preserve")
    _run(command)
    return pathlib.Path(out_dir) / ("model." + out_format)


def _environment(program: str) -> Dict[str, str]:
    """The environment for the program; the packaged one needs the libraries that are packaged with it."""
    environment = dict(os.environ)
    if program == str(_PACKAGED):
        folders = [str(_FOLDER / "lib"), environment.get("LD_LIBRARY_PATH", "")]
        environment["LD_LIBRARY_PATH"] = ":".join(folder for folder in folders if folder)
    return environment


def _run(command: List[str]) -> None:
    ran = subprocess.run(command, env=_environment(command[0]), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE, check=False)
    lines = [line for line in ran.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    if ran.returncode == 0:
        for line in lines:
            logger.warning("%s", line)
        return
    errors = [line[len("Error: "):] for line in lines if line.startswith("Error: ")]
    raise _synap.Error(" ".join(errors or lines) or "%s ended with status %d" % (command[0], ran.returncode))
