"""Cases of attention layers, cells of recurrent layers and what programs hold beside operators."""

import torch
from torch import nn
from torch.nn import functional

GENERATOR = torch.Generator().manual_seed(7)


def real(*shape):
    return torch.randn(*shape, generator=GENERATOR)


def flags(*shape):
    return torch.rand(*shape, generator=GENERATOR) > 0.4


class SelfAttention(nn.Module):
    """nn.MultiheadAttention of one tensor; `mask` is its argument of that name, constant or the second input."""

    def __init__(self, mask=None, inner=None, **options):
        super().__init__()
        self.layer = nn.MultiheadAttention(8, 2, batch_first=True, **(inner or {}))
        self.mask, self.options = mask, options
        with torch.no_grad():
            for values in self.layer.parameters():
                values.copy_(real(*values.shape) * 0.4)

    def forward(self, x, *masks):
        options = dict(self.options)
        if masks:
            options[self.mask] = masks[0]
        y, weights = self.layer(x, x, x, **options)
        return y if weights is None else (y, weights)


class CrossAttention(nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.layer = nn.MultiheadAttention(8, 2, batch_first=True, **options)

    def forward(self, query, memory):
        return self.layer(query, memory, memory)


def causal(size):
    return torch.triu(torch.ones(size, size, dtype=torch.bool), 1)


PADDING = torch.tensor([[False, False, False, True, True], [False, False, False, False, True]])


def attention(**options):
    return lambda q, k, v, *mask: functional.scaled_dot_product_attention(q, k, v, *mask, **options)


def randomized(module):
    with torch.no_grad():
        for values in module.parameters():
            values.copy_(real(*values.shape) * 0.4)
    return module


class Encoder(nn.Module):
    def __init__(self, layers=0, nested=True, **options):
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        if layers:
            self.encoder = nn.TransformerEncoder(layer, layers, norm=nn.LayerNorm(8), enable_nested_tensor=nested)
        else:
            self.encoder = layer
        self.options = options
        randomized(self)

    def forward(self, x, *padding):
        if not padding:
            return self.encoder(x, **self.options)
        # What exported programs compute where the sequence is over, other ones don't.
        return self.encoder(x, src_key_padding_mask=padding[0], **self.options) * ~padding[0].unsqueeze(-1)


class NestedEncoder(Encoder):
    def forward(self, x):
        return super().forward(x, PADDING)


def heads(batch=2, count=2, queries=3, keys=5, key_heads=None):
    key_heads = key_heads or count
    return [real(batch, count, queries, 4), real(batch, key_heads, keys, 4), real(batch, key_heads, keys, 6)]


INFINITE = torch.zeros(3, 5).masked_fill(causal(5)[:3], float("-inf"))
INFINITE[1] = float("-inf")

CASES = {
    "multi_head_attention": (SelfAttention(), [real(2, 5, 8)]),
    "multi_head_attention_without_weights": (SelfAttention(need_weights=False), [real(2, 5, 8)]),
    "multi_head_attention_of_heads": (SelfAttention(average_attn_weights=False), [real(2, 5, 8)]),
    "multi_head_attention_padding": (SelfAttention(key_padding_mask=PADDING), [real(2, 5, 8)]),
    "multi_head_attention_masked": (SelfAttention(attn_mask=causal(5)), [real(2, 5, 8)]),
    "multi_head_attention_both": (SelfAttention(attn_mask=causal(5), key_padding_mask=PADDING), [real(2, 5, 8)]),
    "multi_head_attention_causal": (SelfAttention(attn_mask=causal(5), is_causal=True, need_weights=False), [real(2, 5, 8)]),
    "multi_head_attention_real_mask": (SelfAttention(attn_mask=real(5, 5)), [real(2, 5, 8)]),
    "multi_head_attention_real_mask_without_weights": (SelfAttention(attn_mask=real(5, 5), need_weights=False), [real(2, 5, 8)]),
    "multi_head_attention_bias_kv": (SelfAttention(inner={"add_bias_kv": True, "add_zero_attn": True}), [real(2, 5, 8)]),
    "multi_head_attention_no_bias": (SelfAttention(inner={"bias": False}), [real(2, 5, 8)]),
    "multi_head_attention_unbatched": (SelfAttention(), [real(5, 8)]),
    "multi_head_attention_given_padding": (SelfAttention(mask="key_padding_mask"), [real(2, 5, 8), PADDING]),
    "multi_head_attention_given_mask": (SelfAttention(mask="attn_mask"), [real(2, 5, 8), causal(5)]),
    "cross_attention": (CrossAttention(), [real(2, 3, 8), real(2, 5, 8)]),
    "cross_attention_wide": (CrossAttention(kdim=6, vdim=6), [real(2, 3, 8), real(2, 5, 6)]),
    "encoder_layer": (randomized(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)), [real(2, 5, 8)]),
    "encoder_layer_gelu": (randomized(nn.TransformerEncoderLayer(8, 2, 16, activation="gelu", batch_first=True)), [real(2, 5, 8)]),
    "encoder_layer_norm_first": (randomized(nn.TransformerEncoderLayer(8, 2, 16, norm_first=True, batch_first=True)), [real(2, 5, 8)]),
    "encoder_layer_norm_first_gelu": (
        randomized(nn.TransformerEncoderLayer(8, 2, 16, activation="gelu", norm_first=True, batch_first=True)),
        [real(1, 5, 8)],
    ),
    "encoder_layer_steps_first": (randomized(nn.TransformerEncoderLayer(8, 2, 16)), [real(5, 2, 8)]),
    "encoder_layer_masked": (Encoder(src_mask=causal(5)), [real(2, 5, 8)]),
    "encoder_layer_padding": (Encoder(src_key_padding_mask=PADDING), [real(2, 5, 8)]),
    "encoder_layer_both": (Encoder(src_mask=causal(5), src_key_padding_mask=PADDING), [real(2, 5, 8)]),
    "encoder_layer_given_padding": (Encoder(), [real(2, 5, 8), PADDING]),
    "encoder": (Encoder(2), [real(2, 5, 8)]),
    "encoder_masked": (Encoder(2, mask=causal(5), is_causal=True), [real(2, 5, 8)]),
    "encoder_causal": (Encoder(2, mask=nn.Transformer.generate_square_subsequent_mask(5), is_causal=True), [real(2, 5, 8)]),
    "encoder_nested": (NestedEncoder(2), [real(2, 5, 8)]),
    "encoder_nested_given_padding": (Encoder(2), [real(2, 5, 8), PADDING]),
    "encoder_not_nested": (Encoder(2, nested=False), [real(2, 5, 8), PADDING]),
    "decoder_layer": (randomized(nn.TransformerDecoderLayer(8, 2, 16, batch_first=True)), [real(2, 3, 8), real(2, 5, 8)]),
    "transformer": (randomized(nn.Transformer(8, 2, 1, 1, 16, batch_first=True)), [real(2, 3, 8), real(2, 5, 8)]),
    "attention": (attention(), heads()),
    "attention_flags": (attention(), [*heads(), flags(3, 5)]),
    "attention_constant_flags": (attention(attn_mask=torch.tensor([[True, False, True, True, False], [False] * 5, [True] * 5])), heads()),
    "attention_flags_of_heads": (attention(), [*heads(), flags(2, 1, 3, 5)]),
    "attention_flags_of_queries": (attention(), [*heads(), flags(3, 1) | True]),
    "attention_bias": (attention(), [*heads(), real(2, 2, 3, 5)]),
    "attention_bias_of_batch": (attention(), [*heads(), real(2, 1, 1, 5)]),
    "attention_one_bias": (attention(), [*heads(), real(1, 1)]),
    "attention_infinite_bias": (attention(attn_mask=INFINITE), heads()),
    "attention_causal": (attention(is_causal=True), heads()),
    "attention_causal_wide": (attention(is_causal=True), heads(queries=5, keys=3)),
    "attention_scale": (attention(scale=0.7), heads()),
    "attention_grouped": (attention(enable_gqa=True), heads(count=6, key_heads=2)),
    "attention_grouped_causal": (attention(enable_gqa=True, is_causal=True), heads(count=4, key_heads=2)),
    "attention_grouped_flags": (attention(enable_gqa=True), [*heads(count=4, key_heads=2), flags(2, 4, 3, 5)]),
    "attention_of_one_head": (attention(), [real(2, 3, 4), real(2, 5, 4), real(2, 5, 4)]),
    "attention_of_one_head_bias": (attention(), [real(2, 3, 4), real(2, 5, 4), real(2, 5, 4), real(2, 3, 5)]),
    "attention_of_matrices": (attention(), [real(3, 4), real(5, 4), real(5, 4)]),
    "attention_broadcast": (attention(), [real(2, 4, 3, 4), real(1, 1, 5, 4), real(2, 1, 5, 4)]),
    "attention_broadcast_query": (attention(), [real(1, 1, 3, 4), real(2, 4, 5, 4), real(2, 4, 5, 4)]),
    "attention_five_dimensions": (attention(), [real(3, 2, 4, 3, 4), real(1, 2, 4, 5, 4), real(3, 2, 4, 5, 4), real(3, 1, 1, 3, 5)]),
    "attention_math": (
        lambda q, k, v: torch.ops.aten._scaled_dot_product_attention_math(q, k, v, None, 0.0, True, scale=0.5),
        heads(),
    ),
    "attention_for_cpu": (
        lambda q, k, v, m: torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, attn_mask=m)[0],
        [real(2, 2, 3, 4), real(2, 2, 5, 4), real(2, 2, 5, 4), real(1, 1, 3, 5)],
    ),
    "safe_softmax": (
        lambda x: torch.ops.aten._safe_softmax(x, -2),
        [torch.tensor([[float("-inf"), 1, 2], [float("-inf"), float("-inf"), 3], [float("-inf"), 0, -1]])],
    ),
    "masked_softmax": (lambda x, m: torch._masked_softmax(x, m, -1, 2), [real(2, 2, 3, 5), flags(2, 2, 3, 5) & (torch.arange(5) > 0)]),
    "masked_softmax_none": (lambda x: torch._masked_softmax(x, torch.ones(3, 5).bool(), -1, 2), [real(3, 5)]),
    "masked_softmax_of_keys": (lambda x: torch._masked_softmax(x, PADDING, 3, 1), [real(2, 2, 5, 5)]),
    "transform_bias_rescale_qkv": (lambda x, b: torch._transform_bias_rescale_qkv(x, b, 2), [real(2, 5, 24), real(24)]),
}


class Cells(nn.Module):
    """A cell called for each step of x [B,T,K]; `how` says how the steps come and go."""

    def __init__(self, cell, how="stack"):
        super().__init__()
        self.cell, self.how = randomized(cell), how

    def forward(self, x):
        batch, steps, _ = x.shape
        size = self.cell.hidden_size
        is_lstm = isinstance(self.cell, nn.LSTMCell)
        zero = torch.zeros(batch, size)
        state = (zero, zero) if is_lstm else zero
        ys = []
        whole = torch.zeros(batch, steps, size)
        if self.how == "chunk":
            parts = [part.squeeze(1) for part in x.chunk(steps, 1)]
        elif self.how == "unbind":
            parts = x.unbind(1)
        else:
            parts = [x[:, t] for t in range(steps)]
        for t, part in enumerate(parts):
            state = self.cell(part, state)
            y = state[0] if is_lstm else state
            ys.append(y)
            whole[:, t] = y
        return whole if self.how == "write" else torch.stack(ys, 1), y


class OwnStates(nn.Module):
    """States of all steps and layers in one tensor, written and read in place."""

    def __init__(self):
        super().__init__()
        self.cells = nn.ModuleList([randomized(nn.GRUCell(3, 4)), randomized(nn.GRUCell(4, 4))])

    def forward(self, x):
        states = x.new_zeros(2, x.shape[0], 4)
        ys = []
        for t in range(x.shape[1]):
            y = x[:, t]
            for i, cell in enumerate(self.cells):
                y = cell(y, states[i])
                states[i] = y
            ys.append(states[1])
        return torch.stack([y + 0 for y in ys[-1:]], 1), states.sum(0)


class OwnCell(nn.Module):
    """Gates that are computed in place in the parts of one product."""

    def __init__(self):
        super().__init__()
        self.product, self.recurrence = randomized(nn.Linear(3, 16)), randomized(nn.Linear(4, 16))

    def forward(self, x):
        h = torch.zeros(x.shape[0], 4)
        c = torch.zeros(x.shape[0], 4)
        for t in range(x.shape[1]):
            i, f, g, o = (self.product(x[:, t]) + self.recurrence(h)).chunk(4, 1)
            i, f, o = i.sigmoid_(), f.sigmoid_(), o.sigmoid_()
            c = f * c + i * g.tanh_()
            h = o * c.tanh()
        return h, c


class RowStates(nn.Module):
    """Each step's state is a row of the result, which the next step reads again."""

    def __init__(self):
        super().__init__()
        self.cell = randomized(nn.RNNCell(3, 4))

    def forward(self, x):
        ys = torch.zeros(x.shape[1] + 1, x.shape[0], 4)
        h = ys[0]
        for t in range(x.shape[1]):
            ys[t + 1] = self.cell(x[:, t], h)
            h = ys[t + 1]
        return ys[1:], h


class InPlaceSteps(nn.Module):
    """A state that is updated in place."""

    def __init__(self):
        super().__init__()
        self.inner, self.outer = randomized(nn.Linear(3, 4)), randomized(nn.Linear(4, 4))

    def forward(self, x):
        h = torch.zeros(x.shape[0], 4)
        ys = []
        for step in x.unbind(1):
            h *= 0.5
            h += torch.tanh(self.inner(step) + self.outer(h))
            ys.append(h.clone())
        return torch.stack(ys, 1), h


CASES.update({
    "lstm_cell": (randomized(nn.LSTMCell(3, 4)), [real(2, 3)]),
    "lstm_cell_no_bias": (Cells(nn.LSTMCell(3, 4, bias=False)), [real(2, 3, 3)]),
    "lstm_cell_steps": (Cells(nn.LSTMCell(3, 4), "unbind"), [real(2, 5, 3)]),
    "lstm_cell_chunks": (Cells(nn.LSTMCell(3, 4), "chunk"), [real(2, 5, 3)]),
    "lstm_cell_written": (Cells(nn.LSTMCell(3, 4), "write"), [real(2, 5, 3)]),
    "gru_cell": (randomized(nn.GRUCell(3, 4)), [real(2, 3), real(2, 4)]),
    "gru_cell_unbatched": (randomized(nn.GRUCell(3, 4)), [real(3), real(4)]),
    "gru_cell_steps": (Cells(nn.GRUCell(3, 4)), [real(2, 5, 3)]),
    "gru_cell_written": (Cells(nn.GRUCell(3, 4, bias=False), "write"), [real(2, 5, 3)]),
    "rnn_cell": (randomized(nn.RNNCell(3, 4)), [real(2, 3), real(2, 4)]),
    "rnn_cell_relu": (Cells(nn.RNNCell(3, 4, nonlinearity="relu"), "unbind"), [real(2, 5, 3)]),
    "rnn": (randomized(nn.RNN(3, 4)), [real(5, 2, 3)]),
    "rnn_relu": (randomized(nn.RNN(3, 4, 2, nonlinearity="relu", bidirectional=True, batch_first=True)), [real(2, 5, 3), real(4, 2, 4)]),
    "rnn_no_bias": (randomized(nn.RNN(3, 4, bias=False)), [real(5, 3)]),
    "own_states": (OwnStates(), [real(2, 3, 3)]),
    "own_cell": (OwnCell(), [real(2, 3, 3)]),
    "row_states": (RowStates(), [real(2, 3, 3)]),
    "in_place_steps": (InPlaceSteps(), [real(2, 3, 3)]),
})


class Tokens(nn.Module):
    """Token ids, their positions and a mask of the padding."""

    def __init__(self):
        super().__init__()
        self.table, self.places = randomized(nn.Embedding(20, 8)), randomized(nn.Embedding(6, 8))
        self.layer = randomized(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True))

    def forward(self, tokens, positions, padding):
        x = self.table(tokens) + self.places(positions)
        return self.layer(x, src_key_padding_mask=padding) * ~padding.unsqueeze(-1), x


class Modes(nn.Module):
    """What runs under torch.no_grad() and without autocast."""

    def __init__(self):
        super().__init__()
        self.layer = randomized(nn.Linear(3, 4))

    def forward(self, x):
        with torch.autocast("cpu", enabled=False):
            y = self.layer(x.float())
            with torch.no_grad():
                z = self.layer(y[:, :3]) * 2
        with torch.enable_grad():
            w = y + 1
        return y + z, w, z


class Sizes(nn.Module):
    """Shapes computed of the sizes of the input."""

    def forward(self, x):
        batch, steps = x.shape[0], x.shape[1]
        y = x.reshape(batch * steps, -1)
        mask = torch.tril(torch.ones(steps, steps, dtype=torch.bool)) if False else torch.arange(steps)[:, None] >= torch.arange(steps)
        z = x.new_zeros(batch, max(steps // 2 + 1, 2))
        half = torch.full((steps,), steps / 2 - 1.0)
        return y.reshape(batch, steps, -1)[:, : (steps + 1) // 2 - 1], torch.arange(steps) % 3 + batch, z, mask, half


class Nested(nn.Module):
    """Dictionaries and tuples."""

    def forward(self, x, y):
        return {"sum": x + y, "parts": (x * 2, [y - 1, x.detach()])}


class Scalars(nn.Module):
    """Inputs of 0 and 1 dimensions."""

    def forward(self, factor, x, count):
        return x * factor + count, x.sum()


class Constants(nn.Module):
    """Constants of every type, made in forward() and kept as buffers."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mask", torch.tensor([True, False, True]))
        self.register_buffer("bytes", torch.tensor([1, 200, 3], dtype=torch.uint8))
        self.register_buffer("halves", torch.tensor([1.5, -2.0, 3.0], dtype=torch.float16))

    def forward(self, x):
        y = torch.where(self.mask, x, torch.tensor(-1.0)) * torch.tensor([True, True, False])
        z = x + self.bytes + torch.tensor([1, -2, 3], dtype=torch.int8) + torch.tensor([100, 2, 3], dtype=torch.int16)
        w = x.double() * self.halves.to(x.dtype) * torch.tensor([2, 3, 4], dtype=torch.int32) + torch.tensor(2.5, dtype=torch.float64)
        return y, z, w.float(), x.masked_fill(torch.tensor([[False, True, False]]), 7), x[:, torch.tensor([2, 0])]


class Copies(nn.Module):
    """Conversions between types, after which what they read is read again."""

    def forward(self, x):
        y = x.to(torch.float64).float().detach_()
        z = x.int()
        z += 1
        w = (x > 0).float()
        w += 2
        return y * x, z, w - x


class ViewsWritten(nn.Module):
    """Views that are read after writes to what they are views of, and writes through views."""

    def forward(self, x):
        y = x * 1
        rows, turned, first = y.view(2, 2, 3), y.transpose(0, 1), y[0]
        a, b = y.split(2, 1)[0], y.unbind(1)[-1]
        y[:, 0] = 5
        y += 1
        rows[0, 0] *= 3
        a[1] = 0
        flat = y.view(-1)
        flat[3:5] = 9
        return rows, turned, first, a, b, y, (x + 1).unsqueeze_(0).transpose_(0, 1)


class Pixels(nn.Module):
    def forward(self, image, index):
        return image.float() / 255, image + 1, image.permute(0, 2, 3, 1)[:, index.long()]


CASES.update({
    "convert_element_type": (lambda x: torch.ops.prims.convert_element_type(x, torch.int64), [real(2, 3) * 3]),
    "tokens": (Tokens(), [torch.tensor([[3, 19, 0, 7, 1], [2, 2, 5, 0, 0]]), torch.arange(5, dtype=torch.int32), PADDING]),
    "modes": (Modes(), [real(2, 3)]),
    "sizes": (Sizes(), [real(2, 6, 4)]),
    "nested": (Nested(), [real(2, 3), real(3)]),
    "scalars": (Scalars(), [real(1).sum(), real(4), torch.tensor(3)]),
    "constants": (Constants(), [real(2, 3)]),
    "copies": (Copies(), [real(2, 3) * 3]),
    "views_written": (ViewsWritten(), [real(4, 3)]),
    "pixels": (Pixels(), [torch.arange(24, dtype=torch.uint8).reshape(1, 2, 3, 4) * 9, torch.tensor([2, 0], dtype=torch.int16)]),
})

# Dimensions that programs of torch.export leave open.
DYNAMIC = {
    "sizes": {"x": {1: torch.export.Dim.AUTO}},
    "tokens": {"tokens": {1: torch.export.Dim.AUTO}, "positions": {0: torch.export.Dim.AUTO}, "padding": {1: torch.export.Dim.AUTO}},
}
