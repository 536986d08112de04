#!/usr/bin/env python3
"""What is public, from public_headers.txt and the headers themselves.

    public_headers.py SOURCE exports LIBRARY    a linker version script: of what LIBRARY defines, export what public headers declare
"""
import pathlib
import re
import subprocess
import sys


def listed(source):
    """[(header, internal)] in the list's order."""
    lines = (pathlib.Path(source) / "cmake" / "public_headers.txt").read_text().splitlines()
    return [(line.split()[-1], line.startswith("internal ")) for line in lines if line and not line.startswith("#")]


def included(source, header):
    """Our own headers that this one includes."""
    return re.findall(r'^#include "discreet/([^"]+)"', (pathlib.Path(source) / "src" / header).read_text(), re.M)


def blank(text):
    """Without comments, preprocessor lines and the contents of strings."""
    text = re.sub(r'"(?:\\.|[^"\\\n])*"|//[^\n]*', lambda found: '""' if found[0][0] == '"' else "", text)  # // in a text begins no comment
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)
    return re.sub(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\\w]|\\.)\'', '""', text)


def statements(text):
    """The pieces of a scope, [(head, body or None)]: up to a semicolon or through a pair of braces."""
    head, depth, start, i = "", 0, 0, 0
    for i, c in enumerate(text):
        if c == "{":
            if depth == 0:
                start = i + 1
            depth += 1
        elif c == "}":
            depth -= 1
            if depth == 0:
                if re.search(r"\)[\s\w:<>&-]*$|\b(?:class|struct|enum|namespace)\b[^()]*$|^\s*$", head):
                    yield head.strip(), text[start:i]
                    head = ""
                else:
                    head += "{}"  # an initialiser, or a default argument: the statement goes on
        elif depth == 0 and c == ";":
            yield head.strip(), None
            head = ""
        elif depth == 0:
            head += c


def declared(text, scope=""):
    """What a header declares and doesn't define: (functions and variables, types, types that it only names), by full names."""
    functions, types, named = set(), set(), set()
    for head, body in statements(text):
        if match := re.match(r"(?:inline )?namespace ([\w:]+)$", head):
            inner = declared(body, f"{scope}{match[1]}::")
            functions, types, named = functions | inner[0], types | inner[1], named | inner[2]
        elif re.match(r"template\b|using\b|typedef\b|static_assert\b|friend\b", head):
            continue
        elif match := re.match(r"(?:class|struct|enum class|enum|union) (?:alignas\(\w+\) )?([\w:]+)", head):
            if body is None and not head.startswith("enum"):
                named.add(scope + match[1])
            elif body is not None:
                types.add(scope + match[1])
                if not head.startswith("enum"):
                    for inner, defined in statements(body):  # friends are functions of the namespace
                        if defined is None and (friend := re.search(r"\bfriend\b[^()]*?(operator\s*[^\s\w]+?|\w+)\s*\(", inner)):
                            functions.add(scope + re.sub(r"\s+", "", friend[1]))
                    named |= {f"{scope}{match[1]}::{inner}" for inner in re.findall(r"(?<!friend )\b(?:class|struct) (\w+);", body)}
        elif body is None and (match := re.search(r"(operator\s*\S+?|\w+)\s*\(", head)) and not head.startswith("inline"):
            functions.add(scope + re.sub(r"\s+", "", match[1]))
        elif body is None and (match := re.match(r"extern .*?(\w+)$", head)):
            functions.add(scope + match[1])
    return functions, types, named


def is_public(symbol, functions, types, named):
    """Whether a demangled symbol is one of these, or a member of one."""
    symbol = re.sub(r"^(?:vtable|typeinfo|typeinfo name|VTT) for (.*)$", r"\1::", symbol)
    symbol = re.sub(r"\[abi:\w+\]", "", symbol)
    whole = re.match(r"(?:\boperator\s*(?:\(\)|[^\w\s(]+)|[\w~]|::)+", symbol)
    if not whole:
        return False
    name = whole[0]
    if name in functions:
        return True
    parts = name.split("::")
    owners = {"::".join(parts[:i]) for i in range(1, len(parts))}
    return bool(owners & types) and not owners & (named - types)


def everything(source):
    functions, types, named = set(), set(), set()
    shown = {header.split("/")[0] for header, internal in listed(source) if not internal}
    for header, _ in listed(source):
        if header.split("/")[0] not in shown:  # a room without public headers is hidden whole
            continue
        found = declared(blank((pathlib.Path(source) / "src" / header).read_text()))
        functions, types, named = functions | found[0], types | found[1], named | found[2]
    return functions, types, named


def symbols(library):
    """{mangled: demangled} of what a shared library defines."""
    mangled = [line.split()[-1].split("@")[0] for line in subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout.splitlines()]
    plain = subprocess.run(["c++filt"], input="\n".join(mangled), capture_output=True, text=True, check=True).stdout.splitlines()
    return dict(zip(mangled, plain))


def exports(source, library):
    public = everything(source)
    return sorted(name for name, plain in symbols(library).items() if plain.startswith(("discreet::", "vtable for discreet::", "typeinfo for discreet::", "typeinfo name for discreet::")) and is_public(plain, *public))


if __name__ == "__main__":
    print("{\n  global:")
    for name in exports(sys.argv[1], sys.argv[3]):
        print(f"    {name};")
    print("  local: *;\n};")
