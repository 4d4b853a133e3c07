"""Cases of PyTorch's operators over windows, volumes and positions: convolutions, pools, resizes, pads, samplings."""

import torch
from torch.nn import functional

GENERATOR = torch.Generator().manual_seed(7)


def real(*shape):
    return torch.rand(shape, generator=GENERATOR) * 2 - 1


def conv(dims, *arguments, transposed=False, **options):
    name = f"Conv{'Transpose' if transposed else ''}{dims}d"
    with torch.random.fork_rng():
        torch.manual_seed(3)
        return getattr(torch.nn, name)(*arguments, **options).eval()


def correlate(features, kernels):
    """As siamese trackers do: each channel of each image with its own kernel."""
    batch, channels = kernels.shape[:2]
    y = functional.conv2d(features.view(1, batch * channels, *features.shape[2:]),
                          kernels.view(batch * channels, 1, *kernels.shape[2:]), groups=batch * channels)
    return y.view(batch, channels, *y.shape[2:])


CASES = {
    # Convolutions.
    "conv3d": (conv(3, 4, 6, (2, 3, 3), stride=(1, 2, 1), padding=(1, 1, 0), dilation=(2, 1, 1)), [real(2, 4, 5, 7, 6)]),
    "conv3d_groups": (conv(3, 4, 8, 3, groups=2, padding="same", bias=False), [real(1, 4, 4, 5, 6)]),
    "conv3d_same_even": (conv(3, 2, 3, (2, 4, 3), padding="same"), [real(1, 2, 4, 5, 6)]),
    "conv3d_single": (conv(3, 2, 3, 2), [real(2, 4, 5, 6)]),
    "conv3d_depthwise": (conv(3, 3, 3, 3, groups=3, padding=1), [real(1, 3, 4, 5, 6)]),
    "conv3d_circular": (conv(3, 2, 3, 3, padding=1, padding_mode="circular"), [real(1, 2, 4, 5, 6)]),
    "conv2d_same_even": (conv(2, 3, 4, (2, 4), padding="same", dilation=(1, 3)), [real(1, 3, 8, 9)]),
    "conv1d_same_even": (conv(1, 3, 4, 6, padding="same"), [real(2, 3, 9)]),
    "conv2d_circular": (conv(2, 3, 4, 3, padding=(2, 1), padding_mode="circular"), [real(1, 3, 6, 7)]),
    "conv1d_reflect": (conv(1, 3, 4, 3, padding=2, padding_mode="reflect"), [real(1, 3, 6)]),
    "conv2d_replicate": (conv(2, 3, 4, 3, padding=2, padding_mode="replicate"), [real(1, 3, 6, 5)]),
    "conv2d_single": (conv(2, 3, 4, 3), [real(3, 6, 7)]),
    "conv1d_single": (conv(1, 3, 4, 3), [real(3, 6)]),
    "conv_transpose1d_single": (conv(1, 3, 4, 3, stride=2, output_padding=1, transposed=True), [real(3, 6)]),
    "conv_transpose3d": (conv(3, 3, 4, 3, stride=(2, 1, 2), padding=(1, 0, 1), output_padding=(1, 0, 1), transposed=True),
                         [real(2, 3, 3, 4, 3)]),
    "conv_transpose3d_groups": (conv(3, 4, 6, (1, 2, 2), stride=3, groups=2, dilation=(1, 2, 1), bias=False, transposed=True),
                                [real(1, 4, 2, 3, 3)]),
    "conv_transpose3d_dilated": (conv(3, 2, 2, 3, stride=2, dilation=2, padding=3, transposed=True), [real(1, 2, 4, 4, 4)]),
    "conv_computed_siamese": (correlate, [real(2, 3, 9, 8), real(2, 3, 4, 3)]),
    "conv_computed_1d": (lambda x, w: functional.conv1d(x, w, padding=2, dilation=2), [real(2, 3, 9), real(4, 3, 3)]),
    "conv_computed_2d_bias": (lambda x, w, b: functional.conv2d(x, w, b, stride=2, padding=1, groups=2),
                              [real(2, 4, 7, 8), real(6, 2, 3, 3), real(6)]),
    "conv_computed_pointwise": (lambda x, w: functional.conv2d(x, w), [real(1, 4, 5, 6), real(3, 4, 1, 1)]),
    "conv_computed_3d": (lambda x, w: functional.conv3d(x, w, padding=(1, 0, 1), stride=(1, 2, 1)),
                         [real(1, 2, 4, 5, 6), real(3, 2, 2, 3, 3)]),
    "conv_computed_transposed": (lambda x, w, b: functional.conv_transpose2d(x, w, b, stride=2, padding=1, output_padding=1,
                                                                             groups=2),
                                 [real(2, 4, 4, 5), real(4, 3, 3, 3), real(6)]),
    "conv_computed_transposed_1d": (lambda x, w: functional.conv_transpose1d(x, w, stride=2), [real(1, 3, 5), real(3, 2, 2)]),
    # Pools.
    "max_pool3d": (lambda x: functional.max_pool3d(x, (2, 3, 2), stride=2, padding=1, ceil_mode=True), [real(2, 3, 5, 6, 7)]),
    "max_pool3d_dilated": (lambda x: functional.max_pool3d(x, 2, stride=1, dilation=(2, 1, 2)), [real(1, 2, 5, 4, 6)]),
    "max_pool3d_with_indices": (lambda x: functional.max_pool3d(x, 2, return_indices=True)[0], [real(1, 2, 4, 4, 6)]),
    "max_pool2d_with_indices": (lambda x: functional.max_pool2d(x, 2, return_indices=True)[0], [real(1, 2, 4, 6)]),
    "max_pool1d_with_indices": (lambda x: functional.max_pool1d(x, 3, return_indices=True)[0], [real(1, 2, 9)]),
    "max_pool2d_indices": (lambda x: functional.max_pool2d(x, 2, return_indices=True)[1], [real(1, 2, 4, 6)]),
    "max_pool2d_indices_padded": (lambda x: functional.max_pool2d(x, 3, 2, 1, return_indices=True), [real(2, 3, 7, 6)]),
    "max_pool2d_indices_ceil": (lambda x: functional.max_pool2d(x, 2, 2, ceil_mode=True, return_indices=True), [real(3, 7, 5)]),
    "max_pool1d_indices": (lambda x: functional.max_pool1d(x, 3, 2, return_indices=True)[1], [real(2, 3, 9)]),
    "max_pool3d_indices": (lambda x: functional.max_pool3d(x, 2, return_indices=True)[1], [real(1, 2, 4, 4, 6)]),
    "max_unpool2d": (lambda x: functional.max_unpool2d(*functional.max_pool2d(x, 2, return_indices=True), 2), [real(2, 3, 6, 8)]),
    "max_unpool2d_size": (
        lambda x: functional.max_unpool2d(*functional.max_pool2d(x, 2, return_indices=True), 2, output_size=(7, 9)), [real(3, 7, 9)]),
    "max_unpool1d": (lambda x: functional.max_unpool1d(*functional.max_pool1d(x, 3, return_indices=True), 3), [real(2, 3, 9)]),
    "max_unpool3d": (lambda x: functional.max_unpool3d(*functional.max_pool3d(x, 2, return_indices=True), 2), [real(1, 2, 4, 4, 6)]),
    "conv_tbc": (lambda x, w, b: torch.conv_tbc(x, w, b, 1), [real(9, 2, 4), real(3, 4, 5), real(5)]),
    "max_pool2d_single": (lambda x: functional.max_pool2d(x, 3, 2, 1), [real(3, 7, 6)]),
    "max_pool1d_single": (lambda x: functional.max_pool1d(x, 3, 2, 1), [real(3, 7)]),
    "avg_pool3d": (lambda x: functional.avg_pool3d(x, (2, 3, 2), stride=2, padding=1), [real(2, 3, 5, 6, 7)]),
    "avg_pool3d_uncounted": (lambda x: functional.avg_pool3d(x, 3, stride=2, padding=1, ceil_mode=True, count_include_pad=False),
                             [real(1, 2, 6, 6, 7)]),
    "avg_pool3d_divisor": (lambda x: functional.avg_pool3d(x, 2, stride=2, padding=1, ceil_mode=True, divisor_override=3),
                           [real(1, 2, 4, 5, 6)]),
    "avg_pool2d_divisor": (lambda x: functional.avg_pool2d(x, 3, stride=2, padding=1, divisor_override=2), [real(1, 2, 8, 7)]),
    "avg_pool2d_divisor_ceil": (lambda x: functional.avg_pool2d(x, 3, stride=2, ceil_mode=True, divisor_override=-4),
                                [real(1, 2, 8, 7)]),
    "avg_pool1d_single": (lambda x: functional.avg_pool1d(x, 3, 2, 1), [real(3, 7)]),
    "adaptive_avg_pool1d": (lambda x: functional.adaptive_avg_pool1d(x, 4), [real(2, 3, 10)]),
    "adaptive_avg_pool2d": (lambda x: functional.adaptive_avg_pool2d(x, (3, 5)), [real(1, 3, 7, 8)]),
    "adaptive_avg_pool2d_none": (lambda x: functional.adaptive_avg_pool2d(x, (None, 3)), [real(3, 7, 8)]),
    "adaptive_avg_pool2d_larger": (lambda x: functional.adaptive_avg_pool2d(x, 7), [real(1, 2, 3, 5)]),
    "adaptive_avg_pool3d": (lambda x: functional.adaptive_avg_pool3d(x, (2, 3, 4)), [real(2, 3, 5, 7, 6)]),
    "adaptive_avg_pool3d_equal": (lambda x: functional.adaptive_avg_pool3d(x, 2), [real(1, 3, 4, 6, 2)]),
    "_adaptive_avg_pool2d": (lambda x: torch.ops.aten._adaptive_avg_pool2d(x, [2, 3]), [real(1, 2, 5, 7)]),
    "_adaptive_avg_pool3d": (lambda x: torch.ops.aten._adaptive_avg_pool3d(x, [1, 1, 1]), [real(1, 2, 3, 5, 7)]),
    "adaptive_max_pool1d": (lambda x: functional.adaptive_max_pool1d(x, 4), [real(2, 3, 10)]),
    "adaptive_max_pool2d": (lambda x: functional.adaptive_max_pool2d(x, (3, 5)), [real(1, 3, 7, 8)]),
    "adaptive_max_pool2d_single": (lambda x: functional.adaptive_max_pool2d(x, (2, 4)), [real(3, 7, 8)]),
    "adaptive_max_pool3d": (lambda x: functional.adaptive_max_pool3d(x, (2, None, 4)), [real(2, 3, 5, 7, 6)]),
    "lp_pool1d": (lambda x: functional.lp_pool1d(x.abs(), 3, 3, stride=2), [real(2, 3, 9)]),
    "lp_pool2d": (lambda x: functional.lp_pool2d(x, 2, (2, 3), ceil_mode=True), [real(1, 3, 7, 8)]),
    # Resizes.
    "upsample_nearest3d": (lambda x: functional.interpolate(x, size=(5, 3, 7)), [real(1, 2, 3, 4, 5)]),
    "upsample_nearest3d_scale": (lambda x: functional.interpolate(x, scale_factor=(2, 1.5, 0.7)), [real(1, 2, 3, 4, 5)]),
    "upsample_nearest1d_rounded": (lambda x: functional.interpolate(x, size=82), [real(1, 2, 2)]),
    "upsample_nearest2d_rounded": (lambda x: functional.interpolate(x, size=(74, 61)), [real(1, 2, 6, 4)]),
    "nearest_exact1d": (lambda x: functional.interpolate(x, size=7, mode="nearest-exact"), [real(1, 2, 10)]),
    "nearest_exact2d": (lambda x: functional.interpolate(x, scale_factor=(1.5, 2), mode="nearest-exact"), [real(1, 2, 5, 6)]),
    "nearest_exact2d_rounded": (lambda x: functional.interpolate(x, size=(41, 7), mode="nearest-exact"), [real(1, 2, 4, 6)]),
    "nearest_exact3d": (lambda x: functional.interpolate(x, size=(5, 3, 7), mode="nearest-exact"), [real(1, 2, 3, 4, 5)]),
    "upsample_trilinear3d": (lambda x: functional.interpolate(x, size=(5, 3, 7), mode="trilinear"), [real(1, 2, 3, 4, 5)]),
    "upsample_trilinear3d_corners": (lambda x: functional.interpolate(x, scale_factor=1.6, mode="trilinear", align_corners=True),
                                     [real(2, 2, 3, 4, 5)]),
    "upsample_trilinear3d_scale": (lambda x: functional.interpolate(x, scale_factor=(1.6, 2, 0.7), mode="trilinear"),
                                   [real(1, 2, 3, 4, 5)]),
    "bilinear2d_aa": (lambda x: functional.interpolate(x, size=(4, 9), mode="bilinear", antialias=True), [real(1, 2, 9, 7)]),
    "bilinear2d_aa_corners": (lambda x: functional.interpolate(x, size=(4, 9), mode="bilinear", antialias=True, align_corners=True),
                              [real(1, 2, 9, 7)]),
    "bicubic2d_aa": (lambda x: functional.interpolate(x, scale_factor=0.6, mode="bicubic", antialias=True), [real(1, 2, 9, 7)]),
    "bicubic2d_aa_corners": (lambda x: functional.interpolate(x, size=(4, 9), mode="bicubic", antialias=True, align_corners=True),
                             [real(1, 2, 9, 7)]),
    "bicubic2d": (lambda x: functional.interpolate(x, scale_factor=1.7, mode="bicubic"), [real(1, 2, 5, 7)]),
    "interpolate_area": (lambda x: functional.interpolate(x, size=(3, 4), mode="area"), [real(1, 2, 7, 6)]),
    # Windows.
    "im2col": (lambda x: functional.unfold(x, (2, 3), dilation=(1, 2), padding=(1, 0), stride=(2, 1)), [real(2, 3, 6, 7)]),
    "im2col_tiles": (lambda x: functional.unfold(x, (2, 3), stride=(2, 3)), [real(1, 3, 6, 9)]),
    "im2col_single": (lambda x: functional.unfold(x, 2), [real(3, 4, 5)]),
    "col2im": (lambda x: functional.fold(x, (6, 7), (2, 3), dilation=(1, 2), padding=(1, 0), stride=(2, 1)), [real(2, 18, 12)]),
    "col2im_tiles": (lambda x: functional.fold(x, (4, 6), (2, 3), stride=(2, 3)), [real(1, 12, 4)]),
    "col2im_single": (lambda x: functional.fold(x, (4, 5), 2), [real(8, 12)]),
    "unfold": (lambda x: x.unfold(-1, 3, 2), [real(2, 3, 8)]),
    "unfold_patches": (lambda x: x.unfold(2, 2, 2).unfold(3, 3, 3), [real(1, 3, 5, 6)]),
    "unfold_first": (lambda x: x.unfold(0, 2, 1) * 2, [real(4, 3)]),
    # Pads.
    "pad_circular1d": (lambda x: functional.pad(x, (2, 1), "circular"), [real(1, 2, 4)]),
    "pad_circular2d": (lambda x: functional.pad(x, (2, 1, 0, 3), "circular"), [real(1, 2, 4, 5)]),
    "pad_circular2d_crop": (lambda x: functional.pad(x, (-1, 1, 2, -2), "circular"), [real(1, 2, 6, 5)]),
    "pad_circular3d": (lambda x: functional.pad(x, (2, 1, 0, 3, 1, 1), "circular"), [real(1, 2, 4, 5, 3)]),
    "pad_reflect1d": (lambda x: functional.pad(x, (2, 1), "reflect"), [real(2, 4)]),
    "pad_reflect2d": (lambda x: functional.pad(x, (2, 1, 0, 3), "reflect"), [real(1, 2, 4, 5)]),
    "pad_reflect3d": (lambda x: functional.pad(x, (2, 1, 0, 3, 1, 1), "reflect"), [real(1, 2, 4, 5, 3)]),
    "pad_replicate1d": (lambda x: functional.pad(x, (2, 5), "replicate"), [real(1, 2, 4)]),
    "pad_replicate2d": (lambda x: functional.pad(x, (2, 1, 0, 3), "replicate"), [real(1, 2, 4, 5)]),
    "pad_replicate3d": (lambda x: functional.pad(x, (2, 1, 0, 3, 1, 1), "replicate"), [real(1, 2, 4, 5, 3)]),
    "pad_constant_crop": (lambda x: functional.pad(x, (-1, 2, 1, -2), value=0.5), [real(1, 2, 4, 5)]),
    # Positions.
    "affine_grid": (lambda theta: functional.affine_grid(theta, (2, 3, 4, 5), align_corners=False), [real(2, 2, 3)]),
    "affine_grid_corners": (lambda theta: functional.affine_grid(theta, (2, 3, 4, 5, 2), align_corners=True), [real(2, 3, 4)]),
    "pixel_shuffle_rank3": (lambda x: functional.pixel_shuffle(x, 2), [real(8, 3, 4)]),
    "pixel_shuffle_rank5": (lambda x: functional.pixel_shuffle(x, 2), [real(2, 3, 8, 3, 4)]),
    "pixel_unshuffle_rank3": (lambda x: functional.pixel_unshuffle(x, 3), [real(2, 6, 9)]),
    "pixel_unshuffle_rank5": (lambda x: functional.pixel_unshuffle(x, 2), [real(2, 1, 3, 4, 6)]),
    "channel_shuffle": (lambda x: torch.channel_shuffle(x, 2), [real(2, 6, 3, 4)]),
    "channel_shuffle_rank3": (lambda x: torch.channel_shuffle(x, 3), [real(2, 6, 4)]),
    "native_channel_shuffle": (lambda x: torch.native_channel_shuffle(x, 2), [real(2, 6, 3, 4)]),
}


def grid_case(mode, padding, align):
    return lambda x, grid: functional.grid_sample(x, grid * 1.3, mode, padding, align)


for mode in ("bilinear", "nearest"):
    for padding in ("zeros", "border", "reflection"):
        for align in (False, True):
            CASES[f"grid_sampler_3d_{mode}_{padding}_{int(align)}"] = (grid_case(mode, padding, align),
                                                                       [real(2, 3, 4, 5, 6), real(2, 3, 4, 5, 3)])

try:
    import torchvision

    CASES["deform_conv2d"] = (torchvision.ops.DeformConv2d(4, 6, 3, padding=1, groups=2).eval(),
                              [real(2, 4, 5, 6), real(2, 18, 5, 6)])
    CASES["deform_conv2d_mask"] = (torchvision.ops.DeformConv2d(4, 6, (2, 3), stride=2, padding=(1, 2), dilation=(2, 1), bias=False)
                                   .eval(), [real(1, 4, 7, 8), real(1, 24, 4, 5), real(1, 12, 4, 5)])
    CASES["roi_align"] = (lambda x, rois: torchvision.ops.roi_align(x, torch.cat([torch.zeros_like(rois[:, :1]), rois.abs() * 6], 1),
                                                                    (3, 2), 0.5, 2), [real(1, 3, 8, 9), real(5, 4)])
    CASES["roi_align_aligned"] = (lambda x, rois: torchvision.ops.roi_align(x, [rois.abs() * 9, rois[:3].abs() * 5], 4, 0.7, 1, True),
                                  [real(2, 3, 8, 9), real(5, 4)])
except ImportError:
    pass
