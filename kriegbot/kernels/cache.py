"""The folder of compiled kernels, named by a digest of all that the machine code in it depends on.

Numba alone names code by the function's own file, and so misses an edit of an inner kernel in another file. Here any
edit of a file in these packages begins a new folder, so no code is stale, and all copies of the project with equal
files share one. Only `compiler` and `preparing` import this module.
"""

import hashlib
import os
import platform
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding
import numba
import numpy as np
import platformdirs
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

from kriegbot.folders import cache_folder
from kriegbot.kernels.types import IMPORTED, KERNEL_PACKAGES

CACHED = (*KERNEL_PACKAGES, "kriegbot.environments")
"""Packages whose kernels are cached. Each other kernel is compiled in every process that calls it, in about 0.1 s."""
UNUSED_SECONDS = 30 * 24 * 3600


@cache
def folder_name() -> str:
    """Return the name of the folder for these files, libraries and CPU."""
    versions = numba.__version__, llvmlite.__version__, np.__version__, platform.python_version(), platform.platform()
    cpu = llvmlite.binding.get_host_cpu_name(), llvmlite.binding.get_host_cpu_features().flatten()
    digest = hashlib.sha256(repr((versions, cpu)).encode())
    for package in CACHED:
        spec = find_spec(package)
        for folder in (spec and spec.submodule_search_locations) or ():
            for path in sorted(Path(folder).glob("[!.]*.*")):  # data files, too: kernels contain them
                digest.update(path.name.encode() + path.read_bytes())
                if IMPORTED < path.stat().st_mtime < time.time():  # this process may have the source before the edit
                    digest.update(os.urandom(16))
    return f"kernels-{digest.hexdigest()[:16]}"


@cache
def kernel_folder() -> Path:
    """Make the folder of `folder_name` and return it; remove folders that nobody has used for a month.

    In the sandbox it is the user's folder, which cannot be written, if `preparing` has completed it. Numba loads code
    from the folder, so it must belong to this user alone.
    """
    users = platformdirs.user_cache_path("kriegbot") / folder_name()
    path = users if any(users.glob("prepared*")) else cache_folder() / folder_name()
    with suppress(OSError):  # read-only, or another process is as fast
        path.mkdir(exist_ok=True)
        os.utime(path)
        for other in path.parent.glob("kernels-*"):
            if time.time() - other.stat().st_mtime > UNUSED_SECONDS:
                shutil.rmtree(other, ignore_errors=True)
    return path


class _Locator(_CacheLocator):  # type: ignore[misc]  # numba has no types
    """Cache location of one kernel."""

    def __init__(self, function: Callable[..., Any]) -> None:
        values = repr([cell.cell_contents for cell in function.__closure__ or ()])
        self._name = f"{function.__module__}-{hashlib.sha256(values.encode()).hexdigest()[:16]}"

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], _py_file: str) -> "_Locator":
        return cls(py_func)

    def get_cache_path(self) -> str:
        return str(kernel_folder())

    def get_source_stamp(self) -> str:
        return ""  # the folder's name says it

    def get_disambiguator(self) -> str:
        return self._name


class _Implementation(CompileResultCacheImpl):  # type: ignore[misc]  # numba has no types
    _locator_classes = (_Locator,)


class KernelCache(FunctionCache):  # type: ignore[misc]  # numba has no types
    """Numba's cache of a function's machine code, in our folder."""

    _impl_class = _Implementation

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save machine code, unless the folder is read-only."""
        with suppress(OSError):
            super().save_overload(sig, data)
