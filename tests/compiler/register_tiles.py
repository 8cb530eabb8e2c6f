"""Register-tiled products: what nvcc makes of the column of a shared tile that a loop over its
depth reads.

usage: python -m tests.compiler.register_tiles FILE.tsv    (measures the rows of FILE.tsv again; needs nvcc and nvdisasm, no GPU)

In: rows of (rows and columns of a thread's tile, depth, operation, type, pragma of the loop over
the depth). Out: for each the widths of the loads on the line that reads the column, in bytes, and
how many of each there are. The kernels hold that line as `LINE`.
"""

from __future__ import annotations

import csv
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

LINE = 16
OPERATIONS = {
    "fma": "acc[i][j] += a[i] * b[j];",
    "max": "acc[i][j] = max(acc[i][j], a[i] + b[j]);",
    "dist": "{{ {type} d = a[i] - b[j]; acc[i][j] += d * d; }}",
    "add": "acc[i][j] += a[i] + b[j];",
    "long": "acc[i][j] = acc[i][j] * b[j] + a[i] * a[i] - b[j];",
}
SOURCE = """\
extern "C" __global__ void product(const {type} *A, const {type} *B, {type} *C, int n)
{{
    __shared__ {type} As[16 * {rows}][{depth}];
    __shared__ {type} Bs[{depth}][16 * {columns}];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * blockDim.x + tx;
    {type} acc[{rows}][{columns}] = {{}};
    for (int k0 = 0; k0 < n; k0 += {depth}) {{
        for (int i = tid; i < 16 * {rows} * {depth}; i += 256)
            As[i / {depth}][i % {depth}] = A[(blockIdx.y * 16 * {rows} + i / {depth}) * n + k0 + i % {depth}];
        for (int i = tid; i < {depth} * {width}; i += 256)
            Bs[i / {width}][i % {width}] = B[(k0 + i / {width}) * n + blockIdx.x * {width} + i % {width}];
        __syncthreads();
{pragma}
        for (int k = 0; k < {depth}; ++k) {{ {type} a[{rows}], b[{columns}];
            for (int i = 0; i < {rows}; ++i)
                a[i] = As[ty * {rows} + i][k];
            for (int j = 0; j < {columns}; ++j)
                b[j] = Bs[k][tx * {columns} + j];
            for (int i = 0; i < {rows}; ++i)
                for (int j = 0; j < {columns}; ++j)
                    {operation}
        }}
        __syncthreads();
    }}
    for (int i = 0; i < {rows}; ++i)
        for (int j = 0; j < {columns}; ++j)
            C[(blockIdx.y * 16 * {rows} + ty * {rows} + i) * n + blockIdx.x * 16 * {columns} + tx * {columns} + j] = acc[i][j];
}}
"""


@dataclass(frozen=True, slots=True)
class Product:
    """`pragma`: "" for none, else what follows `#pragma`; `widths`: bytes → machine loads."""

    rows: int
    columns: int
    depth: int
    operation: str
    type: str
    pragma: str
    widths: tuple[tuple[int, int], ...] = ()

    @property
    def source(self) -> str:
        operation = OPERATIONS[self.operation].format(type=self.type)
        pragma = f"#pragma {self.pragma}" if self.pragma else ""
        told = {name: getattr(self, name) for name in ("rows", "columns", "depth", "type")} | {
            "width": 16 * self.columns
        }
        return SOURCE.format(operation=operation, pragma=pragma, **told)


def read(path: Path) -> Iterator[Product]:
    with path.open(newline="") as file:
        for rows, columns, depth, operation, type_, pragma, widths in csv.reader(
            file, delimiter="\t"
        ):
            found = (
                tuple(tuple(map(int, part.split("x"))) for part in widths.split()) if widths else ()
            )
            yield Product(
                int(rows),
                int(columns),
                int(depth),
                operation,
                type_,
                pragma,
                tuple((w, n) for w, n in found),
            )


def write(path: Path, products: Iterable[Product]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        for p in products:
            widths = " ".join(f"{w}x{n}" for w, n in p.widths)
            writer.writerow((p.rows, p.columns, p.depth, p.operation, p.type, p.pragma, widths))


def measured(product: Product) -> Product:
    from tests.compiler.claims import compiled

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "product.cu"
        path.write_text(product.source)
        (machine,) = compiled(str(path)).values()
    widths = Counter(
        int(m.operation.removeprefix("s.ld"))
        for m in machine
        if m.line == LINE and m.operation.startswith("s.ld")
    )
    return replace(product, widths=tuple(sorted(widths.items())))


if __name__ == "__main__":
    table = Path(sys.argv[1])
    write(table, [measured(product) for product in read(table)])
