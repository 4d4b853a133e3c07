"""Cases of compare_aten.py: Fourier transforms and complex numbers."""

import torch

GENERATOR = torch.Generator().manual_seed(1717)


def real(*shape):
    return torch.randn(*shape, generator=GENERATOR)


def pairs(x):
    return torch.view_as_real(x.resolve_conj())


def as_complex(x):
    """x [..., 2 * n] as n complex numbers."""
    return torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))


def rotations(positions, width):
    angles = torch.outer(torch.arange(positions), 10000.0 ** (-torch.arange(0, width, 2) / width))
    return torch.polar(torch.ones_like(angles), angles)


class Rotary(torch.nn.Module):
    """Rotary embeddings of [batch, positions, heads, width], as Llama 2 has them."""

    def __init__(self, positions, width):
        super().__init__()
        self.register_buffer("rotations", rotations(positions, width))

    def rotated(self, x):
        turns = self.rotations[: x.shape[1]].view(1, x.shape[1], 1, x.shape[-1] // 2)
        return pairs(as_complex(x.float()) * turns).flatten(3).type_as(x)

    def forward(self, q, k):
        return self.rotated(q), self.rotated(k)


class RotaryOfPositions(torch.nn.Module):
    """The same with heads before positions, which are chosen by their numbers."""

    def __init__(self):
        super().__init__()
        self.register_buffer("rotations", rotations(16, 8))
        self.register_buffer("positions", torch.tensor([3, 1, 7, 4, 0]))

    def forward(self, x):
        turns = self.rotations[self.positions].unsqueeze(0).unsqueeze(0)
        rotated = as_complex(x) * turns.expand(x.shape[0], x.shape[1], -1, -1)
        return pairs(rotated.transpose(1, 2)).flatten(-2)


class Filter(torch.nn.Module):
    """A global filter of images [batch, height, width, channels], as GFNet has it."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(real(6, 4, 3, 2))

    def forward(self, x):
        spectrum = torch.fft.rfft2(x, dim=(1, 2), norm="ortho")
        return torch.fft.irfft2(spectrum * torch.view_as_complex(self.weight), s=(6, 6), dim=(1, 2), norm="ortho")


def power(x):
    spectrum = torch.fft.rfft(x)
    return spectrum.real ** 2 + spectrum.imag ** 2


def arithmetic(a, b):
    x, y = as_complex(a), as_complex(b)
    return pairs((x + y * 2 - 1) / 3 + a[..., :4] - x.conj()), pairs(2 - x), pairs(torch.sub(x, y, alpha=0.5))


def moved(x):
    z = as_complex(x)
    joined = torch.cat([z, z.flip(0)], 1)
    first, second = joined.permute(1, 0, 2).chunk(2)
    return pairs(torch.stack([first, second], -1)), pairs(joined[:, 1:3].reshape(-1).sum(0)), pairs(joined.mean(1))


def listed(x):
    return [pairs(part) for part in as_complex(x).unbind(1)]


WINDOWS = {length: torch.hann_window(length) for length in (6, 8, 9)}


def stft(x, length, step, **options):
    window = options.pop("window", WINDOWS[options.get("win_length", length)])
    return torch.stft(x, length, step, window=window, return_complex=True, **options)


class Stft(torch.nn.Module):
    """With a window that is a buffer; the function's arguments follow the signal."""

    def __init__(self, window, *sizes, **options):
        super().__init__()
        self.register_buffer("window", window)
        self.sizes, self.options = sizes, options

    def forward(self, x):
        return torch.stft(x, *self.sizes, window=self.window, **self.options)


class Resynthesis(torch.nn.Module):
    """stft and istft with a mask between them, as denoising networks have it."""

    def __init__(self, length, step, **options):
        super().__init__()
        self.register_buffer("window", torch.hann_window(options.get("win_length", length)))
        self.length, self.step, self.options = length, step, options

    def forward(self, x):
        z = torch.stft(x, self.length, self.step, window=self.window, return_complex=True, **self.options)
        z = z * torch.sigmoid(z.abs())
        return torch.istft(z, self.length, self.step, window=self.window, **self.options)


CASES = {
    "rfft": (lambda x: pairs(torch.fft.rfft(x)), [real(2, 12)]),
    "rfft_odd": (lambda x: pairs(torch.fft.rfft(x, norm="forward")), [real(2, 11)]),
    "rfft_dim": (lambda x: pairs(torch.fft.rfft(x, n=10, dim=1, norm="ortho")), [real(2, 8, 3)]),
    "rfft_short": (lambda x: pairs(torch.fft.rfft(x, n=5, dim=-2)), [real(8, 3)]),
    "rfft_power": (power, [real(2, 12)]),
    "irfft": (lambda x: torch.fft.irfft(as_complex(x)), [real(2, 14)]),
    "irfft_odd": (lambda x: torch.fft.irfft(as_complex(x), n=13, norm="forward"), [real(2, 14)]),
    "irfft_dim": (lambda x: torch.fft.irfft(as_complex(x), n=12, dim=0, norm="ortho"), [real(5, 6)]),
    "irfft_real": (lambda x: torch.fft.irfft(x), [real(2, 7)]),
    "rfft_irfft": (lambda x: torch.fft.irfft(torch.fft.rfft(x), n=12), [real(2, 12)]),
    "fft_abs": (lambda x: torch.fft.fft(x).abs(), [real(2, 12)]),
    "fft_angle": (lambda x: torch.fft.fft(x).angle().cos(), [real(2, 9)]),
    "fft_complex": (lambda x: pairs(torch.fft.fft(as_complex(x), dim=0, norm="ortho")), [real(7, 6)]),
    "fft_length": (lambda x: pairs(torch.fft.fft(as_complex(x), n=5, norm="forward")), [real(2, 6)]),
    "fft_fnet": (lambda x: torch.fft.fft(torch.fft.fft(x, dim=-1), dim=-2).real, [real(2, 6, 8)]),
    "ifft": (lambda x: pairs(torch.fft.ifft(as_complex(x))), [real(2, 12)]),
    "ifft_ortho": (lambda x: pairs(torch.fft.ifft(as_complex(x), dim=1, norm="ortho")), [real(2, 5, 4)]),
    "ifft_real": (lambda x: torch.fft.ifft(x, norm="forward").imag * 2, [real(2, 6)]),
    "fft2": (lambda x: pairs(torch.fft.fft2(x)), [real(2, 4, 5)]),
    "ifft2": (lambda x: torch.fft.ifft2(torch.fft.fft2(x, norm="ortho"), norm="ortho").real, [real(2, 4, 5)]),
    "rfft2": (lambda x: pairs(torch.fft.rfft2(x, norm="ortho")), [real(2, 4, 6)]),
    "rfft2_sizes": (lambda x: pairs(torch.fft.rfft2(x, s=(5, 4), dim=(0, 2))), [real(4, 2, 6)]),
    "irfft2": (lambda x: torch.fft.irfft2(torch.fft.rfft2(x)), [real(2, 4, 6)]),
    "irfft2_sizes": (lambda x: torch.fft.irfft2(as_complex(x), s=(5, 7), norm="forward"), [real(2, 4, 8)]),
    "fftn": (lambda x: torch.fft.fftn(x, dim=(0, 2)).abs(), [real(3, 4, 5)]),
    "rfftn": (lambda x: pairs(torch.fft.rfftn(x)), [real(3, 4, 6)]),
    "irfftn": (lambda x: torch.fft.irfftn(torch.fft.rfftn(x, norm="ortho"), s=(3, 4, 6), norm="ortho"), [real(3, 4, 6)]),
    "ifftn": (lambda x: pairs(torch.fft.ifftn(as_complex(x), s=(4,))), [real(3, 10)]),
    "hfft": (lambda x: torch.fft.hfft(as_complex(x), n=11), [real(2, 12)]),
    "hfft_ortho": (lambda x: torch.fft.hfft(as_complex(x), norm="ortho"), [real(2, 12)]),
    "ihfft": (lambda x: pairs(torch.fft.ihfft(x)), [real(2, 10)]),
    "fftshift": (lambda x: pairs(torch.fft.fftshift(torch.fft.fft2(x))), [real(4, 5)]),
    "fftshift_dim": (lambda x: torch.fft.fftshift(torch.fft.fft(x).abs(), dim=-1), [real(4, 7)]),
    "ifftshift": (lambda x: pairs(torch.fft.ifftshift(as_complex(x), dim=(0, 2))), [real(5, 2, 6)]),
    "pad": (lambda x: pairs(torch.nn.functional.pad(as_complex(x), (1, 2), value=0.5)), [real(3, 4)]),
    "filter": (Filter(), [real(2, 6, 6, 3)]),
    "rotary": (Rotary(9, 8), [real(2, 5, 3, 8), real(2, 5, 1, 8)]),
    "rotary_positions": (RotaryOfPositions(), [real(2, 3, 5, 8)]),
    "complex": (lambda a, b: pairs(torch.complex(a, b)), [real(3, 4), real(3, 4)]),
    "complex_broadcast": (lambda a, b: pairs(torch.complex(a, b)), [real(3, 1), real(4)]),
    "polar": (lambda a, b: pairs(torch.polar(a, b)), [real(3, 4).abs(), real(3, 4)]),
    "angle_real": (torch.angle, [real(3, 4)]),
    "conj_mul": (lambda x: (as_complex(x) * as_complex(x).conj()).real, [real(3, 8)]),
    "conj_imag": (lambda x: torch.conj_physical(as_complex(x)).imag * 2, [real(3, 8)]),
    "mul_scalar": (lambda x: pairs(as_complex(x) * (0.5 + 2j)), [real(3, 8)]),
    "mul_real": (lambda x, y: pairs(y * as_complex(x)), [real(3, 8), real(2, 1, 4)]),
    "add_real": (lambda x, y: pairs(as_complex(x) + y), [real(8), real(3, 4)]),
    "sub_real": (lambda x, y: pairs(y - as_complex(x)), [real(8), real(3, 4)]),
    "div_real": (lambda x, y: pairs(as_complex(x) / y), [real(3, 8), real(4).abs() + 0.5]),
    "exp": (lambda x: pairs(torch.exp(1j * x)), [real(3, 4)]),
    "exp_complex": (lambda x: pairs(torch.exp(as_complex(x))), [real(3, 4)]),
    "neg": (lambda x: pairs(-as_complex(x)), [real(3, 4)]),
    "arithmetic": (arithmetic, [real(3, 8), real(3, 8)]),
    "moved": (moved, [real(2, 3, 4)]),
    "listed": (listed, [real(2, 3, 4)]),
    "to_complex": (lambda x: torch.fft.fft(x.to(torch.complex64)).abs(), [real(2, 6)]),
    "real_of_real": (lambda x: torch.real(x) + torch.conj(x), [real(2, 6)]),
    "stft": (Stft(torch.hann_window(8), 8, 2, return_complex=False), [real(2, 20)]),
    "stft_abs": (lambda x: torch.log1p(stft(x, 8, 3).abs()), [real(2, 20)]),
    "stft_vector": (lambda x: pairs(stft(x, 8, 4, center=False)), [real(21)]),
    "stft_short_window": (lambda x: pairs(stft(x, 9, 2, win_length=6, normalized=True)), [real(2, 20)]),
    "stft_twosided": (lambda x: pairs(stft(x, 8, 2, onesided=False, pad_mode="constant")), [real(2, 20)]),
    "stft_no_window": (lambda x: stft(x, 8, 2, window=None).abs().pow(2), [real(1, 20)]),
    "stft_default_step": (Stft(torch.hamming_window(8), 8, return_complex=False), [real(2, 20)]),
    "istft": (Resynthesis(8, 2), [real(2, 20)]),
    "istft_vector": (Resynthesis(8, 2, normalized=True), [real(20)]),
    "istft_short_window": (Resynthesis(10, 2, win_length=6), [real(2, 20)]),
    "istft_length": (lambda x: torch.istft(stft(x, 8, 2), 8, 2, window=WINDOWS[8], length=17), [real(2, 20)]),
}
