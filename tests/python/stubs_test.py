# SPDX-License-Identifier: Apache-2.0
"""The stubs say what the package has: every name and parameter, its kind and its default."""

import ast
import inspect
import pathlib
import unittest

import sextant

STUB = pathlib.Path(sextant.__file__).with_name("__init__.pyi")


def stub_parameters(function):
    """(name, kind, default) of each parameter of a def, as inspect gives them."""
    args = function.args
    kinds = inspect.Parameter
    positional = [(arg, kinds.POSITIONAL_OR_KEYWORD) for arg in args.posonlyargs + args.args]
    defaults = [None] * (len(positional) - len(args.defaults)) + list(args.defaults)
    found = [(arg.arg, kind, default) for (arg, kind), default in zip(positional, defaults)]
    found += [(arg.arg, kinds.KEYWORD_ONLY, default) for arg, default in zip(args.kwonlyargs, args.kw_defaults)]
    if args.kwarg:
        found.append((args.kwarg.arg, kinds.VAR_KEYWORD, None))
    return [(name, kind, kinds.empty if default is None else ast.literal_eval(default))
            for name, kind, default in found]


def own_parameters(function):
    return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]


class Stubs(unittest.TestCase):
    def setUp(self):
        body = ast.parse(STUB.read_text()).body
        self.functions = {node.name: node for node in body if isinstance(node, ast.FunctionDef)}
        self.classes = {node.name: node for node in body if isinstance(node, ast.ClassDef)}

    def test_names_are_those_of_the_package(self):
        self.assertEqual(set(self.functions) | set(self.classes), set(sextant.__all__))
        for name in sextant.__all__:
            self.assertTrue(hasattr(sextant, name), name)

    def test_parameters_of_functions_are_equal(self):
        for name, node in self.functions.items():
            self.assertEqual(stub_parameters(node), own_parameters(getattr(sextant, name)), name)

    def test_classes_have_the_same_bases_methods_and_properties(self):
        for name, node in self.classes.items():
            cls = getattr(sextant, name)
            self.assertEqual([base.id for base in node.bases] or ["object"], [b.__name__ for b in cls.__bases__])
            methods = {item.name: item for item in node.body if isinstance(item, ast.FunctionDef)}
            own = {key for key in vars(cls) if not key.startswith("_")}
            own |= {"__init__", "__dlpack__", "__dlpack_device__"} & set(vars(cls))
            attributes = {item.target.id for item in node.body if isinstance(item, ast.AnnAssign)}
            fitted = {attribute for attribute in attributes if attribute.endswith("_")}
            if not issubclass(cls, Exception):
                self.assertEqual(set(methods), own, name)
            for key, item in methods.items():
                attribute = inspect.getattr_static(cls, key)
                decorators = {getattr(d, "id", "") for d in item.decorator_list}
                self.assertEqual("property" in decorators, isinstance(attribute, property), key)
                self.assertEqual("staticmethod" in decorators, isinstance(attribute, staticmethod), key)
                if not isinstance(attribute, property):
                    self.assertEqual(stub_parameters(item), own_parameters(getattr(cls, key)), key)
            if fitted:
                thing = cls(rank=1, positions=4, threads=1).fit("synthetic:drift")
                self.assertEqual({key for key in vars(thing) if key.endswith("_")}, fitted)

    def test_the_package_says_that_it_is_typed(self):
        self.assertTrue(STUB.with_name("py.typed").exists())


if __name__ == "__main__":
    unittest.main()
