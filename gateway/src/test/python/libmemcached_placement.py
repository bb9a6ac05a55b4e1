"""Asks the installed libmemcached where it places keys.

Arguments: the file of keys, one in hexadecimal a line. Standard input: one case a line, the fields
separated by tabs: the hash's number (memcached_hash_t), behaviours as number=value joined by
commas, then for each server host, port (0: a Unix socket), weight. Standard output: for each case
one line, the servers' numbers separated by spaces, or "refused" if the library lacks the hash.
"""

import ctypes
import sys

BEHAVIOR_HASH = 2
SUCCESS = 0

library = ctypes.CDLL("libmemcached.so.11")
library.memcached_create.restype = ctypes.c_void_p
library.memcached_create.argtypes = [ctypes.c_void_p]
library.memcached_free.argtypes = [ctypes.c_void_p]
library.memcached_behavior_set.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_uint64]
library.memcached_server_add_with_weight.argtypes = [
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.c_uint16,
    ctypes.c_uint32,
]
library.memcached_server_add_unix_socket_with_weight.argtypes = [
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.c_uint32,
]
library.memcached_generate_hash.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
library.memcached_generate_hash.restype = ctypes.c_uint32


def require(result):
    if result != SUCCESS:
        raise SystemExit(f"libmemcached answered {result}")


def place(line, keys):
    function, behaviors, *servers = line.rstrip("\n").split("\t")
    client = library.memcached_create(None)
    try:
        for behavior in filter(None, behaviors.split(",")):
            number, value = behavior.split("=")
            require(library.memcached_behavior_set(client, int(number), int(value)))
        # after the behaviours, as weighted ketama sets MD5
        if library.memcached_behavior_set(client, BEHAVIOR_HASH, int(function)) != SUCCESS:
            return "refused"
        for host, port, weight in zip(servers[::3], servers[1::3], servers[2::3]):
            if int(port) == 0:
                require(
                    library.memcached_server_add_unix_socket_with_weight(
                        client, host.encode(), int(weight)
                    )
                )
            else:
                require(
                    library.memcached_server_add_with_weight(
                        client, host.encode(), int(port), int(weight)
                    )
                )
        generate = library.memcached_generate_hash
        return " ".join(str(generate(client, key, len(key))) for key in keys)
    finally:
        library.memcached_free(client)


def main():
    with open(sys.argv[1], encoding="ascii") as file:
        keys = [bytes.fromhex(line) for line in file]
    for line in sys.stdin:
        print(place(line, keys), flush=True)


main()
