"""Memory of `cudaMallocPitch`, whose pitch counts bytes. The wrong kernel and the right ones were
run under memcheck on an H100."""

from __future__ import annotations

import pytest

from tests.support.found import found

SOURCE = """
#include <cuda_runtime.h>
__global__ void k({type} *img, size_t pitch, int w, int h)
{{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) {{ {body} }}
}}
int main()
{{
    const int w = {width}, h = 600;
    {type} *img; size_t pitch;
    cudaMallocPitch((void **)&img, &pitch, w * sizeof({type}), h);
    dim3 b(32, 8), g((w + 31) / 32, (h + 7) / 8);
    k<<<g, b>>>(img, {pitch}, w, h);
}}
"""
AS_ELEMENTS = "img[y * pitch + x] = 1;"
AS_BYTES = "{type} *row = ({type} *)((char *)img + y * pitch); row[x] = 1;"


@pytest.mark.parametrize(
    ("type_", "body", "pitch", "bytes_"),
    [
        ("float", AS_ELEMENTS, "pitch", 4),
        ("double", AS_ELEMENTS, "pitch", 8),
        ("float", AS_ELEMENTS, "pitch / sizeof(float)", 0),
        ("float", AS_BYTES, "pitch", 0),
        ("unsigned char", AS_ELEMENTS, "pitch", 0),
    ],
)
def test_a_pitch_in_bytes_is_no_number_of_elements(
    type_: str, body: str, pitch: str, bytes_: int
) -> None:
    body = body.format(type=type_)
    text = SOURCE.format(type=type_, body=body, pitch=pitch, width=1000)
    told = [(f.severity, f.help) for f in found("KL804", text)]
    if not bytes_:
        assert told == []
        return
    [(severity, remedy)] = told
    assert severity == "error" and remedy.startswith("`pitch` counts bytes")
    assert f"({bytes_} bytes)" in remedy


@pytest.mark.parametrize(("width", "elements"), [(1, 128), (128, 128), (129, 256), (1000, 1024)])
def test_rows_are_as_long_as_the_runtime_makes_them(width: int, elements: int) -> None:
    body = "img[y * (pitch / 4) + x + 4096] = 1;"
    text = SOURCE.format(type="float", body=body, pitch="pitch", width=width)
    [beyond] = found("KL804", text)
    assert f"elements up to {599 * elements + width - 1 + 4096:,}" in beyond.message
    assert f"which has {600 * elements:,}" in beyond.message
