"""pymemcache's ordinary operations, every result checked: HOST PORT OPERATIONS [LOGIN]."""

import sys
import time

from pymemcache.client.base import Client

GROUP = 40

operations = 0


def check(what, result, expected, count=1):
    global operations
    operations += count
    if result != expected:
        sys.exit(f"{what}, after {operations} operations: found {result!r}, expected {expected!r}")


def one_by_one(client, number):
    key, counter = f"py:{number}", f"py:counter:{number}"
    first = f"first of {number}\r\nEND\r\n".encode() * (1 + number % 7)
    check("get, missing", client.get(key), None)
    check("replace, missing", client.replace(key, first, noreply=False), False)
    check("append, missing", client.append(key, first, noreply=False), False)
    check("delete, missing", client.delete(key, noreply=False), False)
    check("touch, missing", client.touch(key, 100, noreply=False), False)
    check("add", client.add(key, first, noreply=False), True)
    check("add again", client.add(key, b"another", noreply=False), False)
    check("append", client.append(key, b"<end", noreply=False), True)
    check("prepend", client.prepend(key, b"begin>", noreply=False), True)
    check("get", client.get(key), b"begin>" + first + b"<end")
    check("touch", client.touch(key, 1000, noreply=False), True)
    value, unique = client.gets(key)
    check("gets", value, b"begin>" + first + b"<end")
    check("cas", client.cas(key, b"swapped %d" % number, unique, noreply=False), True)
    check("cas of before", client.cas(key, b"too late", unique, noreply=False), False)
    check("cas, missing", client.cas(key + ":none", b"v", unique, noreply=False), None)
    check("get swapped", client.get(key), b"swapped %d" % number)
    check("incr, missing", client.incr(counter, 1), None)
    check("set counter", client.set(counter, b"%d" % number, noreply=False), True)
    check("incr", client.incr(counter, 7), number + 7)
    check("decr", client.decr(counter, 5), number + 2)
    check("decr to 0", client.decr(counter, number + 100), 0)
    check("delete counter", client.delete(counter, noreply=False), True)
    check("delete", client.delete(key, noreply=False), True)
    check("get deleted", client.get(key), None)


def without_replies(client, number):
    """noreply is this library's default: what follows must find every effect and no stray reply."""
    key = f"py:quiet:{number}"
    client.set(key, b"10")
    client.append(key, b"0")
    client.incr(key, number, noreply=True)
    client.touch(key, 1000)
    check("get after noreply", client.get(key), b"%d" % (100 + number), 5)
    client.delete(key)
    client.add(key, b"again")
    client.replace(key, b"and again")
    check("get after more noreply", client.get(key), b"and again", 4)


def many(client, number):
    values = {f"py:many:{number}:{i}": b"%d of %d" % (i, number) for i in range(GROUP)}
    check("set_many", client.set_many(values, noreply=False), [], GROUP)
    check("get_many", client.get_many([*values, "py:none"]), values, GROUP + 1)
    got = client.gets_many(list(values))
    check("gets_many", {key: value for key, (value, _) in got.items()}, values, GROUP)
    check("set_many, noreply", client.set_many(dict.fromkeys(values, b"same")), [], GROUP)
    check("get_many again", client.get_many(list(values)), dict.fromkeys(values, b"same"), GROUP)
    check("delete_many", client.delete_many(list(values), noreply=True), True, GROUP)
    check("get_many deleted", client.get_many(list(values)), {}, GROUP)


def whole_server(client):
    check("version", client.version()[:1].isdigit(), True)
    stats = client.stats()
    check("stats", {b"cmd_get", b"cmd_set", b"curr_items"} <= stats.keys(), True)
    check("set", client.set("py:before", b"v", noreply=False), True)
    time.sleep(1.1)  # an item set in the second of the flush survives it
    check("flush_all", client.flush_all(noreply=False), True)
    check("get flushed", client.get("py:before"), None)


def main(host, port, wanted, login=None):
    client = Client((host, int(port)), connect_timeout=30, timeout=30, no_delay=True)
    if login:
        check("login", client.set("login", login, noreply=False), True)
    number = 0
    while operations < int(wanted):
        one_by_one(client, number)
        without_replies(client, number)
        for i in range(4):
            many(client, 10 * number + i)
        number += 1
    whole_server(client)
    client.quit()
    print(f"{operations} operations, all as expected")


main(*sys.argv[1:])
