"""Template arguments that a person states: `kernel=reduce<float, kBlock * 2>` in a directive,
`--kernel 'reduce<float, 256>'`.

In: the arguments' texts. Out: the arguments, looked up where the kernel is defined. Raises
SourceError for what they cannot be.
"""

from __future__ import annotations

from kernlint.base.span import SourceError
from kernlint.lowering.context import ProgramContext
from kernlint.lowering.kernel_template import KernelTemplate
from kernlint.lowering.templates import assumed_types, template_arguments
from kernlint.source.parser import tree
from kernlint.source.parser.parser import parse
from kernlint.source.preprocessor.preprocess import Options, preprocess

UNKNOWN = "?"  # stands in reports for an argument that nobody gives


def arguments(
    program: ProgramContext, handle: KernelTemplate, texts: tuple[str, ...]
) -> tuple[template_arguments.Argument, ...]:
    """One argument for each template parameter of the kernel; what is not stated is its default, or
    stays unknown."""
    parameters = handle.entity.parameters or ()
    has_pack = bool(parameters) and parameters[-1].is_pack
    if len(texts) > len(parameters) and not has_pack:
        takes = (
            f"takes {len(parameters)} template argument{'s' * (len(parameters) != 1)}"
            if parameters
            else "is no template"
        )
        raise _error(
            handle, f"`{handle.name}` {takes}, but {len(texts)} are given: `{', '.join(texts)}`"
        )
    nodes = [None if text == UNKNOWN else _node(program, handle, text) for text in texts]
    made: list[template_arguments.Argument] = []
    for i, parameter in enumerate(parameters):
        home = template_arguments.bind(parameters, made, handle.entity.scope)
        if parameter.is_pack:
            rest = zip(nodes[i:], texts[i:], strict=True)
            made.append(
                tuple(
                    _one(program, handle, parameter, node, text)
                    for node, text in rest
                    if node is not None
                )
            )
        elif i < len(texts) and (node := nodes[i]) is not None:
            made.append(_one(program, handle, parameter, node, texts[i]))
        else:
            made.append(assumed_types.stand_in(program, parameter, home))
    return tuple(made)


def _error(handle: KernelTemplate, message: str) -> SourceError:
    return SourceError(message, handle.span)


def _node(program: ProgramContext, handle: KernelTemplate, text: str) -> tree.Node:
    """The syntax of one argument."""
    options = (
        program.options
        if isinstance(program.options, Options)
        else Options(language=program.language)
    )
    prepared = preprocess("<template arguments>", f"using stated = stated_of<{text}>;", options)
    unit = parse(prepared.tokens, "<template arguments>", program.language)
    for node in unit.declarations:
        written = node.type if isinstance(node, tree.Using) else None
        name = template_arguments.plain_name(written) if written is not None else None
        if isinstance(name, tree.TemplateId) and len(name.args) == 1:
            return name.args[0]
    raise _error(
        handle,
        f"template argument `{text}` of `{handle.name}` is neither a type nor a constant expression",
    )


def _one(
    program: ProgramContext,
    handle: KernelTemplate,
    parameter: tree.TemplateParam,
    node: tree.Node,
    text: str,
) -> template_arguments.Argument:
    home = handle.entity.scope
    found = template_arguments.evaluate(program, parameter, node, home, home)
    if isinstance(found, template_arguments.TemplateFunction) and not found.function.overloads:
        found = None
    if found is None or (
        isinstance(found, template_arguments.TemplateValue) and found.value is None
    ):
        wanted = {"type": "a type", "template": "a class template"}.get(
            parameter.kind, "a constant that is known here"
        )
        raise _error(
            handle,
            f"template argument `{text}` of `{handle.name}`: parameter `{parameter.name}` takes {wanted}",
        )
    return found
