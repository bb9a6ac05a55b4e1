"""python-binary-memcached's operations, every result checked: HOST PORT OPERATIONS [USER PASSWORD]."""

import sys

import bmemcached

operations = 0


def check(what, result, expected):
    global operations
    operations += 1
    if result != expected:
        sys.exit(f"{what}, after {operations} operations: found {result!r}, expected {expected!r}")


def main(host, port, wanted, user=None, password=None):
    client = bmemcached.Client((f"{host}:{port}",), user, password, socket_timeout=30)
    number = 0
    while operations < int(wanted):
        key, counter = f"bm:{number}", f"bm:counter:{number}"
        values = {f"bm:many:{number}:{i}": f"{i} of {number}" for i in range(20)}
        check("get, missing", client.get(key), None)
        check("set", client.set(key, f"first of {number}"), True)
        check("add again", client.add(key, "another"), False)
        check("get", client.get(key), f"first of {number}")
        check("replace", client.replace(key, f"second of {number}"), True)
        value, unique = client.gets(key)
        check("gets", value, f"second of {number}")
        check("cas", client.cas(key, f"third of {number}", unique), True)
        check("get swapped", client.get(key), f"third of {number}")
        check("incr creates", client.incr(counter, 7, default=number), number)
        check("incr", client.incr(counter, 7), number + 7)
        check("decr", client.decr(counter, 5), number + 2)
        check("set_multi", client.set_multi(values), [])
        check("get_multi", client.get_multi([*values, "bm:none"]), values)
        check("delete_multi", client.delete_multi(list(values)), True)
        check("get_multi deleted", client.get_multi(list(values)), {})
        check("delete", client.delete(key), True)
        number += 1
    client.disconnect_all()
    print(f"{operations} operations, all as expected")


main(*sys.argv[1:])
