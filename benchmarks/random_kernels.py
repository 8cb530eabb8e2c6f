"""Random realistic kernels, labelled by machine code: `python -m benchmarks.random_kernels FOLDER
[--count N] [--seed S]`, then `python -m benchmarks.probes FOLDER --false`.

Out: files of thirty kernels each, with a `main` that launches them, and `labels.json`. Needs nvcc
and nvdisasm; no GPU.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

from benchmarks.kernel_styles import STYLES, Draft
from benchmarks.kernel_styles_apps import APP_STYLES
from benchmarks.kernel_styles_more import MORE_STYLES
from benchmarks.labels import labelled
from kernlint.hardware.devices import device as device_of
from kernlint.machine_code.launch import Argument, DevicePointer, MachineLaunch

PER_FILE = 30
DYNAMIC = 4096  # bytes of shared memory that each launch gives
_PARAMETER = re.compile(r"([\w *@]*?)(\w+)(?: = (\d+))?$")


def drawn(dice: random.Random) -> Draft:
    def pick(*some: str) -> str:
        return dice.choice(some)

    return dice.choice([*STYLES, *MORE_STYLES, *APP_STYLES])(pick)


def parameters(draft: Draft) -> list[tuple[str, str, str]]:
    """(type, name, value) of each; a pointer's value is ""."""
    found = map(_PARAMETER.match, (each.strip() for each in draft.parameters.split(",")))
    return [(m[1].strip(), m[2], m[3] or "") for m in found if m is not None]


def _arguments(draft: Draft) -> dict[int, Argument]:
    values = [value for _, _, value in parameters(draft)]
    return {n: int(value) if value else DevicePointer() for n, value in enumerate(values)}


def program(drafts: list[Draft]) -> str:
    text, main = "#include <cuda_fp16.h>\n", "int main() {\n"
    for number, draft in enumerate(drafts):
        named = [(kind.replace("@", str(number)), name, v) for kind, name, v in parameters(draft)]
        declared = ", ".join(f"{kind} {name}" for kind, name, _ in named)
        text += f"{draft.before}__global__ void k@({declared}) {{\n{draft.body}}}\n\n".replace(
            "@", str(number)
        )
        main += "  {\n"
        for kind, name, value in named:
            plain = kind.replace("__restrict__", "").replace("const ", "").strip()
            main += (
                f"    int {name} = {value};\n"
                if value
                else f"    {plain} {name};\n    cudaMalloc(&{name}, 1 << 20);\n"
            )
        (x, y), (bx, by) = draft.grid, draft.block
        names = ", ".join(name for _, name, _ in named)
        main += f"    k{number}{draft.arguments}<<<dim3({x}, {y}), dim3({bx}, {by}), {DYNAMIC}>>>({names});\n  }}\n"
    return f"{text}{main}  cudaDeviceSynchronize();\n}}\n"


def written(folder: Path, seed: int, count: int) -> Iterator[dict[str, object]]:
    """The labels of each kernel of the files that are written."""
    dice, device = random.Random(seed), device_of("h100")
    for number, left in enumerate(range(count, 0, -PER_FILE)):
        drafts = [drawn(dice) for _ in range(min(left, PER_FILE))]
        path = folder / f"random_{seed}_{number}.cu"
        path.write_text(program(drafts), encoding="utf-8")
        launches = {
            f"k{index}": MachineLaunch((*each.grid, 1), (*each.block, 1), DYNAMIC, _arguments(each))
            for index, each in enumerate(drafts)
        }
        yield from labelled(path, launches, device)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    labels = list(written(options.folder, options.seed, options.count))
    (options.folder / "labels.json").write_text(json.dumps(labels), encoding="utf-8")
    print(f"{len(labels)} kernels")


if __name__ == "__main__":
    main()
