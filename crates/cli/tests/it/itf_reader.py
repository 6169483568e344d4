"""Reads a trace in the Informal Trace Format, as its description says, and complains about what does not fit.

It knows nothing of the program that wrote the trace. It prints, as one JSON object, the number of states, the
variables, the index that the loop goes back to, and the last state with plain values.
"""

import json
import sys


def fail(text):
    sys.exit("itf: " + text)


def value(expr, where):
    """The value of an expression: sets and maps are sorted lists, so that equal ones look the same."""
    if isinstance(expr, (bool, str)):
        return expr
    if isinstance(expr, int):
        if abs(expr) >= 2**53:
            fail(f"{where}: {expr} must be a #bigint")
        return expr
    if isinstance(expr, list):
        return [value(element, where) for element in expr]
    if not isinstance(expr, dict):
        fail(f"{where}: {expr!r} is not an expression")
    special = [key for key in expr if key.startswith("#")]
    if not special:
        return {name: value(field, f"{where}.{name}") for name, field in expr.items()}
    if len(expr) != 1:
        fail(f"{where}: {special} beside other keys")
    (kind, inner) = next(iter(expr.items()))
    if kind == "#bigint":
        if not isinstance(inner, str) or str(int(inner)) != inner:
            fail(f"{where}: {inner!r} is not a number")
        return int(inner)
    if kind == "#tup":
        return [value(element, where) for element in inner]
    if kind == "#set":
        elements = [value(element, where) for element in inner]
        keys = sorted(json.dumps(element, sort_keys=True) for element in elements)
        if len(set(keys)) != len(keys):
            fail(f"{where}: a set has an element twice")
        return sorted(elements, key=lambda element: json.dumps(element, sort_keys=True))
    if kind == "#map":
        entries = []
        for entry in inner:
            if not isinstance(entry, list) or len(entry) != 2:
                fail(f"{where}: {entry!r} is not an entry of a map")
            entries.append([value(entry[0], where), value(entry[1], where)])
        keys = [json.dumps(key, sort_keys=True) for key, _ in entries]
        if len(set(keys)) != len(keys):
            fail(f"{where}: a map has a key twice")
        return sorted(entries, key=lambda entry: json.dumps(entry[0], sort_keys=True))
    fail(f"{where}: {kind} is not known")


def main():
    trace = json.load(sys.stdin)
    if trace.get("#meta", {}).get("format") != "ITF":
        fail("the meta data do not name the format")
    names = trace["vars"]
    if len(set(names)) != len(names) or not all(isinstance(name, str) for name in names):
        fail("the variables are not distinct names")
    states = trace["states"]
    if not states:
        fail("there is no state")
    for index, state in enumerate(states):
        if sorted(key for key in state if key != "#meta") != sorted(names):
            fail(f"state {index} has other variables")
        if state["#meta"].get("index") != index:
            fail(f"state {index} has another index")
        plain = {name: value(state[name], f"state {index}: {name}") for name in names}
    loop = trace.get("loop")
    if loop is not None and not (isinstance(loop, int) and 0 <= loop < len(states)):
        fail(f"the loop goes back to {loop!r}")
    print(json.dumps({"states": len(states), "vars": names, "loop": loop, "last": plain}))


main()
