"""Cases of repeated, dead, conditional and sunk accesses, atomics, local arrays, inline
assembly."""

from __future__ import annotations

from tests.compiler.cases_straight import RESTRICT, kernel

PLAIN = "float *a, float *b, float *o, int n, int m"
BETWEEN = {
    "nothing": "",
    "barrier": "__syncthreads();",
    "syncwarp": "__syncwarp();",
    "fence": "__threadfence();",
    "fence_block": "__threadfence_block();",
    "shared_other": "q[t ^ 3] = n; //@ s.st4",
    "shared_same": "s[t ^ 3] = n; //@ s.st4",
    "global_other": "b[i] = n; //@ g.st4",
    "global_same": "a[i + m] = n; //@ g.st4",
    "shuffle": "n = __shfl_xor_sync(~0u, n, 1);",
    "atomic_shared": "atomicAdd((int *)&q[n], 1); //@ s.at4",
    "atomic_global": "atomicAdd(&b[i], 1.f); //@ g.at4",
    "if": "if (n > m) n = m * m;",
    "ifstore": "if (n > m) b[i] = m; //@ g.st4",
    "loop": "for (int k = 0; k < m; ++k) n = n * n + k;",
    "ifbarrier": "if (n > m) __syncthreads();",
    "vote": "if (__any_sync(~0u, t > n)) n++;",
    "volatile": "*(volatile float *)(b + i) = 1; //@ g.st4",
    "asm": 'asm volatile("" ::: "memory");',
    "return": "if (t > n) return;",
}
USE = "  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4\n"
HEAD = "  __shared__ float s[256], q[256];\n  s[t ^ 2] = b[i]; //@ g.ld4 s.st4\n  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4\n  __syncthreads();\n"


def _repeated() -> dict[str, str]:
    cases = {}
    for what, text in BETWEEN.items():
        for where, access, tag in (
            ("shared", "s[t]", "s.{}4"),
            ("global", "a[i]", "g.{}4"),
            ("restrict", "r[i]", "g.{}4"),
        ):
            parameters = PLAIN + ", const float *__restrict__ r"
            load, store = tag.format("ld"), tag.format("st")
            cases[f"twice_{where}_{what}"] = kernel(
                f"""{HEAD}  float x = {access}; //@ {load}
  {text}
  float y = {access}; //@ {load}
  o[i + n] = x * x + y; //@ g.st4
{USE}""",
                parameters,
            )
            if where == "restrict":
                continue
            cases[f"forward_{where}_{what}"] = kernel(
                f"""{HEAD}  {access} = n; //@ {store}
  {text}
  float y = {access}; //@ {load}
  o[i + n] = y; //@ g.st4
{USE}""",
                parameters,
            )
            cases[f"dead_{where}_{what}"] = kernel(
                f"""{HEAD}  {access} = n; //@ {store}
  {text}
  {access} = m; //@ {store}
{USE}""",
                parameters,
            )
    return cases


def _conditional() -> dict[str, str]:
    cases = {}
    for where, access, other, tag in (
        ("shared", "s[t]", "s[t ^ 7]", "s.{}4"),
        ("global", "a[i]", "a[i + n]", "g.{}4"),
        ("restrict", "a[i]", "a[i + n]", "g.{}4"),
    ):
        load, store = tag.format("ld"), tag.format("st")
        parameters = RESTRICT if where == "restrict" else PLAIN
        cond = {"lane": "t < m", "parity": "t & 1", "uniform": "n > m", "data": "b[i + 5] > 0.f"}
        for name, c in cond.items():
            extra = " //@ g.ld4" if name == "data" else ""
            bodies = {
                "sunk": f"  float x = {access}; //@ {load}\n  if ({c}){extra}\n    o[i + n] = x; //@ g.st4\n",
                "sunk_barrier": f"  float x = {access}; //@ {load}\n  __syncthreads();\n  if ({c}){extra}\n    o[i + n] = x; //@ g.st4\n",
                "arms_same": f"  float x;\n  if ({c}){extra}\n    x = {access} * 2; //@ {load}\n  else\n    x = {access} * n + 3; //@ {load}\n  o[i + n] = x; //@ g.st4\n",
                "arms_differ": f"  float x;\n  if ({c}){extra}\n    x = {access}; //@ {load}\n  else\n    x = {other}; //@ {load}\n  o[i + n] = x; //@ g.st4\n",
                "ternary": f"  float x = ({c}) ? \n   {access} : //@ {load}\n   {other}; //@ {load}\n  o[i + n] = x; //@ g.st4\n",
                "ternary_zero": f"  float x = ({c}) ? \n   {access} : 0; //@ {load}\n  o[i + n] = x; //@ g.st4\n",
                "twice_guarded": f"  float x = 0, y = 0;\n  if ({c}){extra}\n    x = {access}; //@ {load}\n  if (t > n)\n    y = {access}; //@ {load}\n  o[i + n] = x * y; //@ g.st4\n",
                "first_then_guarded": f"  float x = {access}, y = 0; //@ {load}\n  if ({c}){extra}\n    y = {access}; //@ {load}\n  o[i + n] = x * y; //@ g.st4\n",
                "guarded_then_all": f"  float x = 0;\n  if ({c}){extra}\n    x = {access}; //@ {load}\n  float y = {access}; //@ {load}\n  o[i + n] = x * y; //@ g.st4\n",
                "two_ifs": f"  float x = 0, y = 0;\n  if ({c}){extra}\n    x = {access}; //@ {load}\n  if ({c}){extra}\n    y = {access}; //@ {load}\n  o[i + n] = x * y; //@ g.st4\n",
                "heavy": f"  float x = 0;\n  if ({c}){extra}\n  {{\n    x = {access}; //@ {load}\n    for (int k = 0; k < n; ++k) x = sinf(x);\n  }}\n  o[i + n] = x; //@ g.st4\n",
            }
            if where != "restrict":
                bodies |= {
                    "arms_store": f"  if ({c}){extra}\n    {access} = n; //@ {store}\n  else\n    {access} = m; //@ {store}\n",
                    "arms_store_far": f"  if ({c}){extra}\n  {{\n    {access} = n; //@ {store}\n    q[t] = 1; //@ s.st4\n  }} else\n    {access} = m; //@ {store}\n",
                    "arms_store_differ": f"  if ({c}){extra}\n    {access} = n; //@ {store}\n  else\n    {other} = m; //@ {store}\n",
                    "store_then_guarded": f"  {access} = n; //@ {store}\n  if ({c}){extra}\n    {access} = m; //@ {store}\n",
                    "guarded_then_store": f"  if ({c}){extra}\n    {access} = n; //@ {store}\n  {access} = m; //@ {store}\n",
                    "guarded_update": f"  if ({c}){extra}\n    {access} += m; //@ {load} {store}\n",
                }
            for shape, body in bodies.items():
                cases[f"cond_{shape}_{where}_{name}"] = kernel(
                    f"{HEAD}{body}  __syncthreads();\n{USE}", parameters
                )
    return cases


def _atomics() -> dict[str, str]:
    cases = {}
    for where, target, tag in (("shared", "c", "s.at4"), ("global", "p", "g.at4")):
        for type_ in ("int", "unsigned", "float", "unsigned long long", "double"):
            width = 8 if type_ in ("unsigned long long", "double") else 4
            for index, name in (
                ("0", "uniform"),
                ("t", "lane"),
                ("m", "argument"),
                ("t / 32", "warp"),
            ):
                for operand, oname in (("1", "one"), (f"({type_})a[i]", "data")):
                    for use, uname in (
                        (
                            f"atomicAdd(&{target}[{index}], ({type_}){operand}); //@ {tag[:-1]}{width}",
                            "drop",
                        ),
                        (
                            f"{type_} r = atomicAdd(&{target}[{index}], ({type_}){operand}); o[i] = r; //@ {tag[:-1]}{width} g.st4",
                            "use",
                        ),
                    ):
                        use = use + (" g.ld4" if oname == "data" else "")
                        cases[f"atomic_{where}_{type_.replace(' ', '')}_{name}_{oname}_{uname}"] = (
                            kernel(
                                f"""  __shared__ {type_} c[256];
  c[t ^ 3] = t; //@ s.st{width}
  __syncthreads();
  {use}
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld{width} g.st4
""",
                                PLAIN + f", {type_} *p",
                            )
                        )
    for op in ("atomicMax", "atomicOr", "atomicExch", "atomicSub", "atomicInc"):
        for where, target, tag in (("shared", "c", "s.at4"), ("global", "p", "g.at4")):
            for guard in ("", "if (t < m) "):
                cases[f"atomic_{op}_{where}_{'guard' if guard else 'all'}"] = kernel(
                    f"""  __shared__ unsigned c[256];
  c[t ^ 3] = t; //@ s.st4
  __syncthreads();
  {guard}{op}(&{target}[0], n); //@ {tag}
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld4 g.st4
""",
                    PLAIN + ", unsigned *p",
                )
    return cases


def _local() -> dict[str, str]:
    cases = {}
    for size, index in (("4", "k"), ("8", "(k + n) & 7"), ("16", "(k * 5 + n) & 15")):
        cases[f"local_{size}"] = kernel(f"""  float v[{size}];
  for (int k = 0; k < {size}; ++k)
    v[k] = a[i + k * n]; //@ g.ld4 x{size}
  float x = 0;
  for (int k = 0; k < m; ++k)
    x += v[{index if size != "4" else "(k + t) & 3"}]; //@ l.ld4
  o[i] = x; //@ g.st4
""")
    cases["local_constant"] = kernel("""  float v[4];
  for (int k = 0; k < 4; ++k)
    v[k] = a[i + k * n]; //@ g.ld4 x4
  float x = 0;
  for (int k = 0; k < 4; ++k)
    x += v[3 - k] * k;
  o[i] = x; //@ g.st4
""")
    return cases


def _assembly() -> dict[str, str]:
    helper = {
        "volatile": '__device__ {} unsigned ld(unsigned p) {{ unsigned v;\n  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(p) : "memory");\n  return v; }}\n',
        "plain": '__device__ {} unsigned ld(unsigned p) {{ unsigned v;\n  asm("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(p));\n  return v; }}\n',
    }
    cases = {}
    for name, text in helper.items():
        for spec in ("__forceinline__", ""):
            cases[f"asm_{name}_{'force' if spec else 'auto'}"] = kernel(
                """  __shared__ unsigned s[256];
  s[t ^ 1] = n; //@ s.st4
  __syncthreads();
  unsigned base = (unsigned)__cvta_generic_to_shared(s);
  unsigned x = ld(base + 8 * t); //@ s.ld4
  unsigned y = ld(base + 8 * t + 4); //@ s.ld4
  unsigned z = ld(base + 8 * t); //@ s.ld4
  unsigned w = ld(base + 16); //@ s.ld4
  o[i] = x * y + z; //@ g.st4
""",
                before=text.format(spec),
            )
    return cases


def cases() -> dict[str, str]:
    return {**_repeated(), **_conditional(), **_atomics(), **_local(), **_assembly()}
