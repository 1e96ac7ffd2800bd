"""Returns memory to the system that a burst of requests needed, when the state is saved.

The allocator of Linux retains free memory below memory that is in use. Other systems have no such call.

Needed until the engine calls malloc_trim. No issue of MiniStack asks for it.
Test: engine/engine/checks/effects.py
"""

import ctypes
import gc


def release_memory():
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
