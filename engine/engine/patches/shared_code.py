"""Unpacks the code of a function once, and lets its processes share what V8 compiles.

The engine unpacks the code for each process of a function, and each process compiles the same megabyte of JavaScript. Both cost more
processor time than a short call itself. Here the code is in a folder named by its hash, so that all processes load the same files, and
the first one stores the compiled code for the others. No environment variable names the folder, so user code does not use it.

Needed until the engine unpacks the code of a function once. No issue of MiniStack asks for it.
Test: engine/engine/checks/effects.py
"""

import hashlib
import json
import os
import shutil
import tempfile
import types
import zipfile

# A process stores what it has compiled after its first call, and again for the parts of its code that later calls load.
STORE_AFTER_MS = [2_000, 15_000]

SHARE_COMPILED = """
{
  const { enableCompileCache, flushCompileCache } = require("node:module");
  enableCompileCache(__COMPILED__);
  // The cache stores only the functions that it did not contain before.
  for (const ms of __STORE_AFTER_MS__) setTimeout(flushCompileCache, ms).unref();
}
"""


class CodeZip(zipfile.ZipFile):
    """The code of a function. `extractall` replaces the given folder by a link to the folder that all its processes share."""

    folder = ""

    def extractall(self, path=None, members=None, pwd=None):
        # The other archives are layers.
        if os.path.basename(path) != "code":
            return super().extractall(path, members, pwd)
        with open(self.filename, "rb") as file:
            shared = os.path.join(self.folder, hashlib.sha256(file.read()).hexdigest())
        if not os.path.isdir(shared):
            partial = tempfile.mkdtemp(dir=self.folder)
            super().extractall(partial)
            try:
                os.rename(partial, shared)
            except OSError:
                # Another process of this function has just created the link.
                shutil.rmtree(partial)
        os.rmdir(path)
        os.symlink(shared, path)


def share_code(lambda_runtime):
    """Stores code in the folder that `SVC_FUNCTION_CODE` names, which functions do not see."""
    CodeZip.folder = os.environ.pop("SVC_FUNCTION_CODE")
    compiled = os.path.join(CodeZip.folder, "compiled")
    os.makedirs(compiled, exist_ok=True)
    lambda_runtime.zipfile = types.SimpleNamespace(**{**vars(zipfile), "ZipFile": CodeZip})
    prefix = SHARE_COMPILED.replace("__COMPILED__", json.dumps(compiled)).replace("__STORE_AFTER_MS__", json.dumps(STORE_AFTER_MS))
    lambda_runtime._NODEJS_WORKER_SCRIPT = prefix + lambda_runtime._NODEJS_WORKER_SCRIPT
