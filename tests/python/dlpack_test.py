# SPDX-License-Identifier: Apache-2.0
"""Arrays of other libraries go in and out by DLPack, without a copy and without a leak."""

import ctypes
import sys
import types
import unittest
import unittest.mock

import numpy as np

import sextant
from reference import from_bf16, random_heads, to_bf16

CPU, GPU = 1, 2
FLOAT, BFLOAT = 2, 4


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    pass


DELETER = ctypes.CFUNCTYPE(None, ctypes.POINTER(Managed))
Managed._fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", DELETER)]

new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
name_of = ctypes.pythonapi.PyCapsule_GetName
name_of.restype = ctypes.c_char_p
name_of.argtypes = [ctypes.py_object]

pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
pointer_of.restype = ctypes.c_void_p
pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]


class Foreign:
    """Memory of numpy under another name: a tensor of some library that is not numpy."""

    def __init__(self, values, code=FLOAT, device=CPU, dense=False, offset=0):
        self.values, self.code, self.device, self.dense, self.offset = values, code, device, dense, offset
        self.deleted, self.kept = 0, []

    def __dlpack_device__(self):
        return self.device, 0

    def __dlpack__(self, stream=None):
        values = self.values
        sizes = (ctypes.c_int64 * values.ndim)(*values.shape)
        steps = (ctypes.c_int64 * values.ndim)(*[s // values.itemsize for s in values.strides])
        tensor = Tensor(values.ctypes.data - self.offset, (self.device, 0), values.ndim, self.code,
                        8 * values.itemsize, 1, sizes, None if self.dense else steps, self.offset)

        def delete(_):
            self.deleted += 1

        managed = Managed(tensor, None, DELETER(delete))
        self.kept.append((sizes, steps, managed))
        self.capsule = new_capsule(ctypes.addressof(managed), b"dltensor", None)
        return self.capsule


class Managed1(ctypes.Structure):
    """Of version 1."""


DELETER1 = ctypes.CFUNCTYPE(None, ctypes.POINTER(Managed1))
Managed1._fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                     ("deleter", DELETER1), ("flags", ctypes.c_uint64), ("tensor", Tensor)]


class Versioned(Foreign):
    """The same by version 1, for who asks for it."""

    def __init__(self, values, flags=0, major=1):
        super().__init__(values)
        self.flags, self.major = flags, major

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        assert max_version is not None and max_version[0] == 1
        super().__dlpack__()
        tensor = self.kept[-1][2].tensor

        def delete(_):
            self.deleted += 1

        managed = Managed1(self.major, 0, None, DELETER1(delete), self.flags, tensor)
        self.kept[-1] += (managed,)
        self.capsule = new_capsule(ctypes.addressof(managed), b"dltensor_versioned", None)
        return self.capsule


class DLPack(unittest.TestCase):
    def setUp(self):
        self.q, self.k = random_heads(1, 3, 4, 8), random_heads(2, 3, 2, 8)
        self.expected = sextant.rotate(self.q, self.k, [5, 1, 9], "rope")

    def test_results_for_another_library_are_taken_over_without_a_copy(self):
        q, k = Foreign(self.q), Foreign(self.k, dense=True, offset=8)
        q2, k2 = sextant.rotate(q, k, [5, 1, 9], "rope")
        self.assertFalse(isinstance(q2, np.ndarray))
        self.assertEqual((q2.shape, q2.dtype, q2.__dlpack_device__()), ((3, 4, 8), "f32", (CPU, 0)))
        a, b = np.from_dlpack(q2), np.from_dlpack(q2)
        np.testing.assert_array_equal(a, self.expected[0])
        np.testing.assert_array_equal(np.from_dlpack(k2), self.expected[1])
        self.assertEqual(a.ctypes.data, b.ctypes.data)
        self.assertEqual(a.ctypes.data % 64, 0)
        del q2, b
        np.testing.assert_array_equal(a, self.expected[0])

    def test_in_place_writes_the_memory_of_the_other_library(self):
        q, k = Foreign(self.q), Foreign(self.k)
        got = sextant.rotate(q, k, [5, 1, 9], "rope", out=(q, k))
        self.assertTrue(got[0] is q and got[1] is k)
        np.testing.assert_array_equal(self.q, self.expected[0])
        np.testing.assert_array_equal(self.k, self.expected[1])

    def test_every_tensor_is_handed_back_once(self):
        q, k = Foreign(self.q), Foreign(self.k)
        sextant.rotate(q, k, [5, 1, 9], "rope", out=(q, k))
        self.assertEqual((q.deleted, k.deleted), (len(q.kept), len(k.kept)))
        self.assertEqual(name_of(q.capsule), b"used_dltensor")
        with self.assertRaises(ValueError):
            sextant.rotate(q, k, [0], "rope")
        self.assertEqual(q.deleted, len(q.kept))

    def test_an_unused_result_is_freed(self):
        q = Foreign(self.q)
        made = sextant.Rotary("rope", 8).range(0, 3).apply_to_queries(q)
        before = sys.getrefcount(made)
        for _ in range(3):
            made.__dlpack__()
        self.assertEqual(sys.getrefcount(made), before)

    def test_bfloat16_goes_in_and_out(self):
        bits = to_bf16(self.q)
        expected = sextant.rotate(bits, bits, [5, 1, 9], "rope", dtype="bf16")[0]
        out = Foreign(np.zeros_like(bits), code=BFLOAT)
        sextant.Rotary("rope", 8).at([5, 1, 9]).apply_to_queries(Foreign(bits, code=BFLOAT), out=out)
        np.testing.assert_array_equal(out.values, expected)
        self.assertLess(abs(from_bf16(expected) - self.expected[0]).max(), 0.05)
        made = sextant.Rotary("rope", 8).at([5, 1, 9]).apply_to_queries(Foreign(bits, code=BFLOAT))
        self.assertEqual(made.dtype, "bf16")

    def test_strides_of_another_library_count(self):
        heads_first = Foreign(np.ascontiguousarray(self.q.swapaxes(0, 1)).swapaxes(0, 1))
        out = np.zeros_like(self.q)
        sextant.Rotary("rope", 8).at([5, 1, 9]).apply_to_queries(heads_first, out=out)
        np.testing.assert_array_equal(out, self.expected[0])

    def test_known_libraries_get_their_own_arrays_and_no_other_module_is_called(self):
        def rotated(library, module):
            stand_in = types.ModuleType(module)
            stand_in.from_dlpack = lambda tensor: ("mine", np.from_dlpack(tensor))
            base = type("Tensor", (Foreign,), {"__module__": library})
            own = type("Derived", (base,), {"__module__": "program"})
            with unittest.mock.patch.dict(sys.modules, {module: stand_in}):
                return [sextant.rotate(kind(self.q), kind(self.k), [5, 1, 9], "rope")[0] for kind in (base, own)]

        for library, module in (("torch", "torch"), ("torch.nn.parameter", "torch"), ("jaxlib._jax", "jax.numpy")):
            for made in rotated(library, module):
                self.assertEqual(made[0], "mine")
                np.testing.assert_array_equal(made[1], self.expected[0])
        for made in rotated("program", "program"):
            self.assertIsInstance(made, sextant.HeadsBuffer)

    def test_version_1_goes_in(self):
        q, k = Versioned(self.q), Versioned(self.k)
        got = sextant.rotate(q, k, [5, 1, 9], "rope", out=(q, k))
        self.assertTrue(got[0] is q and got[1] is k)
        np.testing.assert_array_equal(self.q, self.expected[0])
        np.testing.assert_array_equal(self.k, self.expected[1])
        self.assertEqual((q.deleted, name_of(q.capsule)), (len(q.kept), b"used_dltensor_versioned"))

    def test_a_read_only_tensor_is_no_output(self):
        before = self.q.copy()
        turns = sextant.Rotary("rope", 8).at([5, 1, 9])
        np.testing.assert_array_equal(np.from_dlpack(turns.apply_to_queries(Versioned(self.q, flags=1))), self.expected[0])
        q = Versioned(self.q, flags=1)
        with self.assertRaisesRegex(ValueError, "^out: must not be read-only"):
            turns.apply_to_queries(q, out=q)
        np.testing.assert_array_equal(self.q, before)
        self.assertEqual(q.deleted, len(q.kept))

    def test_names_a_version_that_is_not_known(self):
        q = Versioned(self.q, major=2)
        with self.assertRaisesRegex(ValueError, "^q: must speak DLPack 1 but speaks 2"):
            sextant.Rotary("rope", 8).range(0, 3).apply_to_queries(q)
        self.assertEqual(q.deleted, 1)

    def test_results_speak_the_version_that_is_asked_for(self):
        made = sextant.Rotary("rope", 8).at([5, 1, 9]).apply_to_queries(Foreign(self.q))
        for asked, name in (({}, b"dltensor"), ({"max_version": None}, b"dltensor"), ({"max_version": (0, 8)}, b"dltensor"),
                            ({"max_version": (1, 0)}, b"dltensor_versioned"), ({"max_version": (2, 3)}, b"dltensor_versioned")):
            self.assertEqual(name_of(made.__dlpack__(stream=None, dl_device=(CPU, 0), **asked)), name)
        with self.assertRaisesRegex(sextant.UsageError, "^dl_device: must be"):
            made.__dlpack__(dl_device=(GPU, 0))

    def test_a_copy_has_memory_of_its_own(self):
        made = sextant.Rotary("rope", 8).at([5, 1, 9]).apply_to_queries(Foreign(self.q))
        capsules = [made.__dlpack__(max_version=(1, 0), copy=copied) for copied in (None, False, True)]
        shared, also, copied = (Managed1.from_address(pointer_of(each, b"dltensor_versioned")) for each in capsules)
        self.assertEqual([each.flags for each in (shared, also, copied)], [0, 0, 2])
        self.assertEqual((copied.major, copied.minor), (1, 0))
        self.assertEqual(shared.tensor.data, also.tensor.data)
        self.assertNotEqual(shared.tensor.data, copied.tensor.data)
        values = np.ctypeslib.as_array((ctypes.c_float * 96).from_address(copied.tensor.data)).reshape(3, 4, 8)
        np.testing.assert_array_equal(values, self.expected[0])

    def test_names_an_array_on_another_device_or_of_another_type(self):
        turns = sextant.Rotary("rope", 8).range(0, 3)
        with self.assertRaisesRegex(ValueError, "^q: must be in the memory of the CPU but is on .* 2"):
            turns.apply_to_queries(Foreign(self.q, device=GPU))
        with self.assertRaisesRegex(ValueError, r"^k: must be float32, float16 or bfloat16 .*\(2, 64 bits"):
            turns.apply_to_keys(Foreign(self.k.astype(float)))
        with self.assertRaisesRegex(ValueError, "^q: the last axis must be contiguous"):
            turns.apply_to_queries(Foreign(random_heads(1, 3, 4, 16)[..., ::2]))
        with self.assertRaisesRegex(ValueError, "^q: must be bf16 but is f32"):
            turns.apply_to_queries(Foreign(self.q), dtype="bf16")

    def test_names_an_exporter_that_returns_something_else(self):
        class Liar(Foreign):
            def __dlpack__(self, stream=None):
                return 5

        with self.assertRaisesRegex(ValueError, "^q: __dlpack__ must return a capsule"):
            sextant.Rotary("rope", 8).range(0, 3).apply_to_queries(Liar(self.q))

    def test_names_an_exporter_that_fails(self):
        def raising(error):
            def method(self, **keywords):
                raise error
            return method

        turns = sextant.Rotary("rope", 8).range(0, 3)
        for method, value, words in (("__dlpack__", raising(RuntimeError("no")), "raised RuntimeError"),
                                     ("__dlpack__", raising(TypeError("no")), "raised TypeError"),
                                     ("__dlpack_device__", raising(BufferError("no")), "raised BufferError"),
                                     ("__dlpack_device__", lambda self: None, "must return a pair"),
                                     ("__dlpack_device__", lambda self: (), "must return a pair"),
                                     ("__dlpack_device__", lambda self: ("cpu", 0), "on the DLPack device 'cpu'")):
            kind = type("Failing", (Foreign,), {method: value})
            with self.assertRaisesRegex(sextant.UsageError, f"^q: .*{words}"):
                turns.apply_to_queries(kind(self.q))
        with self.assertRaises(KeyboardInterrupt):
            turns.apply_to_queries(type("Stopped", (Foreign,), {"__dlpack__": raising(KeyboardInterrupt())})(self.q))


if __name__ == "__main__":
    unittest.main()
