"""Formulas on the page in a real browser: the script reads and evaluates them as Python does, and
what a slider draws is what the hardware model counts."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from kernlint.hardware import device, sector_rows, wavefronts
from kernlint.laws.evaluation import value_at
from kernlint.laws.functions import FUNCTIONS, symbol
from kernlint.laws.grammar import parse_law
from tests.browser.chromium import Chromium, Page
from tests.browser.samples import DESKTOP, PHONE, page_of
from tests.support.needs import chromium

pytestmark = [chromium, pytest.mark.slow]
STRIDES = """\
extern __shared__ float4 wide[];
__global__ void k(float *o, float *x, float4 *w, int p, int n, int lda) {
  __shared__ float s[8192];
  __shared__ double d[8192];
  s[threadIdx.x * p] = x[threadIdx.x * n];
  d[threadIdx.x * p] = 1;
  wide[threadIdx.x * p] = w[threadIdx.x];
  atomicAdd(&s[threadIdx.x * n], 1.0f);
  __syncthreads();
  o[(threadIdx.x % 8) * lda + threadIdx.x / 8] = s[threadIdx.x ^ p];
  if (threadIdx.x < n)
    for (int i = 0; i < n; i++)
      for (int j = i; j < n; j++) o[j * lda + threadIdx.x] = 2;
}
"""
# texts of the grammar, with names a, b and c
TEXTS = (
    "a*b - c", "sum(i, 200, sum(j, 200, a*i*j))", "-a + 3", "a*(a + 1)/2 - b/3", "-(4*a - 4)*b", "a**3 - b**2", "2*a/3 + a/3",
    "cases(a == 0: 1, true: gcd(b, 32))", "cases(a < 3 && b >= 2 || c == 9: 1, true: 2)",
    "cases(mod(a, 4) != 1: a, b > c: b, true: c)", "sum(k, a, k*mod(k, 3) + b)", "sum(k, 8, sum(j, k, j*a))",
    "table(mod(a, 4), 8, 9, 10, 11)", "`b` + c*0", "0*div(a, 0) + 1", "max(a, b, c) - min(a, b)",
    "choice(ge(a, b), a, b)", "div(div(a, b), c)", "abs(a - b)", "bnot(a)", "negated(a)",
    *(f"{name}(a)" for name, one in FUNCTIONS.items() if name[0] in "ui" and name[1:].isdigit()),
    *(f"{name}(a, b)" for name, one in FUNCTIONS.items() if one.nargs == {2}),
)  # fmt: skip


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    with Chromium() as running:
        yield running


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("laws")
    (folder / "strides.cu").write_text(STRIDES, encoding="utf-8")
    return page_of(
        folder / "strides.html", "report", str(folder / "strides.cu"), options=("--laws",)
    )


def slide(page: Page, name: str, value: int) -> None:
    page.evaluate(
        """(name, value) => {
          const one = document.querySelector(`[data-symbol="${name}"]`);
          one.value = value;
          one.dispatchEvent(new Event("input"));
        }""",
        name,
        value,
    )


def caption(page: Page) -> str:
    return page.texts("#detail figcaption")[-1]


def test_the_script_evaluates_as_python_does(browser: Chromium, address: str) -> None:
    dice = random.Random(5)
    points = [{name: dice.randint(-9, 40) for name in "abc"} for _ in range(40)]
    points += [{"a": a, "b": b, "c": 2} for a in (-(2**40), -1, 0, 1, 2**33) for b in (-3, 0, 1)]
    evaluate = """(texts, points) => texts.map((text) => {
      const tree = parseLaw(text);
      return points.map((point) => {
        const at = Object.fromEntries(Object.entries(point).map(([name, n]) => [name, BigInt(n)]));
        const found = integerAt(tree, at);
        return found === null ? null : `${found}`;
      });
    })"""
    texts = [text for text in TEXTS if not text.startswith("power")]
    with browser.page(address, *DESKTOP) as page:
        found = page.evaluate(evaluate, texts, points)
    for text, values in zip(texts, found, strict=True):
        law = parse_law(text)
        expected = [value_at(law, {symbol(k): n for k, n in point.items()}) for point in points]
        assert values == [None if n is None else str(n) for n in expected], text


@pytest.mark.parametrize(
    ("access", "name", "width", "op"),
    [
        ("s[threadIdx.x * p]", "p", 4, "store"),
        ("d[threadIdx.x * p]", "p", 8, "store"),
        ("wide[threadIdx.x * p]", "p", 16, "store"),
        ("s[threadIdx.x * n]", "n", 4, "atomic"),
    ],
)
def test_a_slider_draws_what_the_hardware_counts(
    browser: Chromium, address: str, access: str, name: str, width: int, op: str
) -> None:
    with browser.page(address, *DESKTOP) as page:
        page.click("#source .hit", access)
        for value in (0, 1, 2, 3, 8, 15, 16, 17, 32):
            slide(page, name, value)
            offsets = [lane * value * width for lane in range(32)]
            count = wavefronts(offsets, width, op)
            assert caption(page).endswith(f": {count} wavefront{'s' * (count > 1)}"), value
            assert f"= {count}" in page.texts("#detail .value"), value


def test_a_slider_draws_sectors(browser: Chromium, address: str) -> None:
    with browser.page(address, *DESKTOP) as page:
        page.click("#source .hit", "o[(threadIdx.x % 8) * lda + threadIdx.x / 8]")
        for value in (0, 1, 4, 5, 8, 13, 32, 63):
            slide(page, "lda", value)
            rows = [[4 * ((lane % 8) * value + lane // 8) for lane in range(32)]]
            count = int(sector_rows(rows, [[True] * 32], 4, "load", device("h100"))[0])
            assert caption(page).endswith(f": {count} sector{'s' * (count > 1)}"), value
            assert page.count("#detail figure:last-of-type rect.sector.used") == count


def test_sliders_begin_at_the_launch(browser: Chromium, tmp_path: Path) -> None:
    (tmp_path / "rows.cu").write_text(
        "// kernlint: launch(grid=1000, block=64, n=4100)\n"
        "__global__ void k(float *o, int n) { o[blockIdx.x * n + threadIdx.x * n] = 1; }\n"
    )
    source = str(tmp_path / "rows.cu")
    address = page_of(tmp_path / "rows.html", "report", source, options=("--laws",))
    with browser.page(address, *DESKTOP) as page:
        page.click("#source .hit", "o[blockIdx.x * n + threadIdx.x * n]")
        assert page.texts("#detail .value") == ["", "= 32", "= 2,000", "= 64,000"]
        assert caption(page).endswith(": 32 sectors")
        slide(page, "n", 1)
        assert caption(page).endswith(": 4 sectors")


def test_keys_move_a_slider(browser: Chromium, address: str) -> None:
    with browser.page(address, *DESKTOP) as page:
        page.click("#source .hit", "s[threadIdx.x * p]")
        assert caption(page).endswith(": 32 wavefronts")
        page.click(".views button", "rows of memory", number=-1)
        page.evaluate("document.querySelector('[data-symbol=p]').focus()")
        page.press("ArrowLeft")
        assert caption(page).endswith(": 1 wavefront"), "at 31"
        pressed = page.attributes("#detail .views button", "aria-pressed")
        assert pressed[-2:] == ["false", "true"], "the view stays"


def test_outside_its_domain_a_formula_is_not_trusted(browser: Chromium, address: str) -> None:
    with browser.page(address, *DESKTOP) as page:
        page.click("#source .hit", "s[threadIdx.x * p]")
        assert page.count("#detail .outside") == 0
        page.evaluate("""(() => {
          const field = document.querySelector(".slider input[type=number]");
          field.value = "-4";
          field.dispatchEvent(new Event("input"));
        })()""")
        assert page.text("#detail .outside") == "The formulas do not hold here: p >= 0 is false."


def test_formulas_are_mathematics(browser: Chromium, address: str) -> None:
    with browser.page(address, *DESKTOP, scheme="dark") as page:
        page.click("#source .hit", "s[threadIdx.x * p]")
        assert page.count("#detail math mtable") == 2
        labels = page.attributes("#detail .law math", "aria-label")
        assert "cases(p == 0: 1, true: gcd(p, 32))" in labels
        assert "undefined" not in page.text("#detail")
        page.click("#source .hit", "o[j * lda + threadIdx.x]")
        assert "undefined" not in page.text("#detail")
        page.click("#source summary", "formulas for every size")
        assert page.count("#source .about dl.law dt") > 0


def test_formulas_fit_a_phone(browser: Chromium, address: str) -> None:
    with browser.page(address, *PHONE) as page:
        for text in ("s[threadIdx.x * p]", "o[j * lda + threadIdx.x]"):
            page.click("#source .hit", text)
            assert page.evaluate("document.querySelector('#detail').scrollWidth") <= PHONE[0]
            page.click("#detail .close")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
