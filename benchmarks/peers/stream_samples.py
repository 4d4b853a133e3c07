#!/usr/bin/env python3
"""Samples of a network that runs over sound step by step: what its inputs are at some of the steps, states included.

    benchmarks/peers/stream_samples.py --model silero_vad.onnx --out /tmp/samples --frame 576 --hop 512 --every 9 speech/*.wav

Input 0 gets the frame: its samples, with --magnitudes those of its spectrum, with --bands the logarithms of their means over so many
equal bands. The other inputs are states: zeros at the
beginning of each recording, then the outputs from the second on, in their order. The folder gets 0/0000.npy, 1/0000.npy..., for
compare_quantizers.py and as a metafile's dataset. --steps N runs networks over N frames at once.
"""

import argparse
import pathlib
import sys
import wave

import numpy
import onnxruntime


def sound(path):
    try:
        with wave.open(path) as recording:
            channels, bits = recording.getnchannels(), 8 * recording.getsampwidth()
            if (channels, bits) != (1, 16):
                sys.exit(f"{path}: {channels} channels of {bits} bits, expected one of 16")
            return numpy.frombuffer(recording.readframes(recording.getnframes()), numpy.int16).astype(numpy.float32) / 32768
    except (OSError, EOFError, wave.Error) as error:
        sys.exit(f"{path}: {error}, expected a WAV file")


def frames(values, options):
    """The values of input 0 for each run of the network, without its dimensions."""
    starts = range(0, len(values) - options.frame + 1, options.hop)
    each = [values[start:start + options.frame] for start in starts]
    if options.magnitudes or options.bands:
        each = [numpy.abs(numpy.fft.rfft(frame)).astype(numpy.float32) for frame in each]
    if options.bands:
        width = len(each[0]) // options.bands
        each = [numpy.log(frame[:options.bands * width].reshape(options.bands, width).mean(1) + 1e-4) for frame in each]
    runs = len(each) // options.steps
    return [numpy.stack(each[run * options.steps:(run + 1) * options.steps]) for run in range(runs)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("recordings", nargs="+", help="WAV, one channel of 16 bits")
    parser.add_argument("--model", required=True, help="ONNX, float")
    parser.add_argument("--out", required=True, help="folder")
    parser.add_argument("--frame", type=int, required=True, help="samples of a frame")
    parser.add_argument("--hop", type=int, required=True, help="samples from one frame to the next")
    parser.add_argument("--steps", type=int, default=1, help="frames of a run")
    parser.add_argument("--every", type=int, default=1, help="runs from one sample to the next")
    parser.add_argument("--magnitudes", action="store_true")
    parser.add_argument("--bands", type=int)
    options = parser.parse_args()
    session = onnxruntime.InferenceSession(options.model, providers=["CPUExecutionProvider"])
    inputs = session.get_inputs()
    shapes = [[size if isinstance(size, int) else 1 for size in each.shape] for each in inputs]
    for place in range(len(inputs)):
        pathlib.Path(options.out, str(place)).mkdir(parents=True, exist_ok=True)
    count = 0
    for path in options.recordings:
        states = [numpy.zeros(shape, numpy.float32) for shape in shapes[1:]]
        for run, frame in enumerate(frames(sound(path), options)):
            is_fixed = frame.size == numpy.prod(shapes[0])
            values = [frame.reshape(shapes[0]) if is_fixed else frame, *states]
            if run % options.every == 0:
                for place, value in enumerate(values):
                    numpy.save(pathlib.Path(options.out, str(place), f"{count:04}.npy"), value)
                count += 1
            states = session.run(None, dict(zip([each.name for each in inputs], values)))[1:]
    print(f"{options.out}: {count} samples")
    return 0


if __name__ == "__main__":
    sys.exit(main())
