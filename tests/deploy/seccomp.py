"""Filters of system calls as systemd would install them for a unit, by the library that it uses itself."""

import ctypes
import ctypes.util
import errno
import os
import tempfile
from collections.abc import Callable, Collection
from typing import Any

_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_EQ, _MASKED_EQ, _GE = 4, 7, 5
_WRITE_EXEC, _EXEC, _SHM_EXEC = 0x6, 0x4, 0o100000
NAMESPACES = {
    "cgroup": 0x02000000,
    "ipc": 0x08000000,
    "mnt": 0x00020000,
    "net": 0x40000000,
    "pid": 0x20000000,
    "user": 0x10000000,
    "uts": 0x04000000,
}
_FAMILIES = {"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10, "AF_NETLINK": 16}
_LAST_FAMILY = 46


class _Compared(ctypes.Structure):
    _fields_ = (("arg", ctypes.c_uint), ("op", ctypes.c_int), ("first", ctypes.c_uint64), ("second", ctypes.c_uint64))


class Filter:
    """One filter: what becomes of a call that no rule names, then the rules."""

    def __init__(self, otherwise: int) -> None:
        self._library: Any = ctypes.CDLL(ctypes.util.find_library("seccomp"))
        self._library.seccomp_init.restype = ctypes.c_void_p
        self._context = ctypes.c_void_p(self._library.seccomp_init(ctypes.c_uint32(otherwise)))

    def rule(self, action: int, call: str, *compared: _Compared) -> None:
        """What becomes of a call; one that this machine does not have is passed over."""
        number = self._library.seccomp_syscall_resolve_name(call.encode())
        if number >= 0:
            array = (_Compared * len(compared))(*compared)
            added = self._library.seccomp_rule_add_array(
                self._context, ctypes.c_uint32(action), number, len(compared), array
            )
            assert added in (0, -errno.EACCES), f"{call}: {os.strerror(-added)}"  # what is to happen anyhow is no rule

    def program(self) -> bytes:
        """The filter as bubblewrap takes it."""
        with tempfile.TemporaryFile() as file:
            assert 0 == self._library.seccomp_export_bpf(self._context, file.fileno())
            file.seek(0)
            return file.read()


def is_there() -> bool:
    """Whether this machine has the library."""
    return ctypes.util.find_library("seccomp") is not None


def nothing() -> bytes:
    """A filter that lets everything pass."""
    return Filter(_ALLOW).program()


def only(calls: Collection[str], error: int = errno.EPERM) -> bytes:
    """Allow these calls; others fail."""
    made = Filter(_ERRNO | error)
    for call in sorted(calls):
        made.rule(_ALLOW, call)
    return made.program()


def no_writable_code() -> bytes:
    """MemoryDenyWriteExecute: no memory is written first and executed then."""
    deny = _ERRNO | errno.EPERM

    def rules(made: Filter) -> None:
        made.rule(deny, "mmap", _Compared(2, _MASKED_EQ, _WRITE_EXEC, _WRITE_EXEC))
        for call in ("mprotect", "pkey_mprotect"):
            made.rule(deny, call, _Compared(2, _MASKED_EQ, _EXEC, _EXEC))
        made.rule(deny, "shmat", _Compared(2, _MASKED_EQ, _SHM_EXEC, _SHM_EXEC))

    return _but(rules)


def namespaces(allowed: Collection[str]) -> bytes:
    """RestrictNamespaces: none is made but of these kinds."""
    deny = _ERRNO | errno.EPERM

    def rules(made: Filter) -> None:
        # Its flags lie in memory, where no filter sees them.
        made.rule(_ERRNO | errno.ENOSYS, "clone3")
        made.rule(deny, "setns", _Compared(1, _EQ, 0, 0))
        for kind, flag in NAMESPACES.items():
            if kind not in allowed:
                made.rule(deny, "clone", _Compared(0, _MASKED_EQ, flag, flag))
                made.rule(deny, "unshare", _Compared(0, _MASKED_EQ, flag, flag))
                made.rule(deny, "setns", _Compared(1, _MASKED_EQ, flag, flag))

    return _but(rules)


def families(allowed: Collection[str]) -> bytes:
    """RestrictAddressFamilies: no socket but of these."""
    deny, numbers = _ERRNO | errno.EAFNOSUPPORT, {_FAMILIES[name] for name in allowed}

    def rules(made: Filter) -> None:
        for family in set(range(_LAST_FAMILY)) - numbers:
            made.rule(deny, "socket", _Compared(0, _EQ, family, 0))
        made.rule(deny, "socket", _Compared(0, _GE, _LAST_FAMILY, 0))

    return _but(rules)


def _but(rules: Callable[[Filter], None]) -> bytes:
    made = Filter(_ALLOW)
    rules(made)
    return made.program()
