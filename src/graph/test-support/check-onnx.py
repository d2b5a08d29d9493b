"""Checks models with onnx.checker, data types and external data included: check-onnx.py model.onnx ..."""

import sys

import onnx
from onnx import defs


def register_simplified_layer_normalization():
    # onnxruntime keeps this contributed operator in the standard domain, where the checker doesn't know it.
    parameter = defs.OpSchema.FormalParameter
    defs.register_schema(defs.OpSchema(
        "SimplifiedLayerNormalization", "", 1,
        inputs=[parameter("X", "T"), parameter("scale", "T")],
        outputs=[parameter("Y", "T")],
        type_constraints=[("T", ["tensor(float)", "tensor(float16)", "tensor(bfloat16)"], "")],
        attributes=[
            defs.OpSchema.Attribute("axis", defs.OpSchema.AttrType.INT),
            defs.OpSchema.Attribute("epsilon", defs.OpSchema.AttrType.FLOAT),
            defs.OpSchema.Attribute("stash_type", defs.OpSchema.AttrType.INT),
        ],
    ))


register_simplified_layer_normalization()
for path in sys.argv[1:]:
    onnx.checker.check_model(path, full_check=True)
