"""Runs a command to which perf_event_open(2) is forbidden, as containers' seccomp profiles forbid it."""
import ctypes
import os
import platform
import struct
import sys

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2
PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}[platform.machine()]

# seccomp(2), struct sock_filter: code, jump if true, jump if false, k
PROGRAM = [
    (0x20, 0, 0, 0),  # load the number of the system call
    (0x15, 0, 1, PERF_EVENT_OPEN),  # if it is this one
    (0x06, 0, 0, 0x00050000 | 1),  # it fails with EPERM
    (0x06, 0, 0, 0x7FFF0000),  # any other is allowed
]


class SockFprog(ctypes.Structure):
    _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in PROGRAM))
libc = ctypes.CDLL(None, use_errno=True)
for call in (
    (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
    (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(SockFprog(len(PROGRAM), ctypes.addressof(code)))),
):
    if libc.prctl(*call) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
os.execvp(sys.argv[1], sys.argv[1:])
