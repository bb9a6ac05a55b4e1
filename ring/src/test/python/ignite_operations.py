"""pymemcache against the port given: stores, reads, deletes, adds and replaces. Exits with a trace if anything differs."""
import sys

from pymemcache.client.base import Client


def expect(found, expected):
    if found != expected:
        raise AssertionError(f"found {found!r}, expected {expected!r}")


client = Client(("127.0.0.1", int(sys.argv[1])), connect_timeout=30, timeout=30, no_delay=True)
for noreply in (False, True):
    client.delete("py-k", noreply=False)
    expect(client.get("py-k"), None)
    expect(client.set("py-k", b"stored", noreply=noreply), True)
    expect(client.get("py-k"), b"stored")
    expect(client.add("py-k", b"added", noreply=noreply), noreply)
    expect(client.get("py-k"), b"stored")
    expect(client.replace("py-k", b"replaced", noreply=noreply), True)
    expect(client.get("py-k"), b"replaced")
    expect(client.append("py-k", b" and more", noreply=noreply), True)
    expect(client.prepend("py-k", b"not ", noreply=noreply), True)
    expect(client.get("py-k"), b"not replaced and more")
    expect(client.delete("py-k", noreply=noreply), True)
    expect(client.get("py-k"), None)
    expect(client.replace("py-k", b"nothing", noreply=noreply), noreply)
    expect(client.get("py-k"), None)
    expect(client.add("py-k", b"added", noreply=noreply), True)
    expect(client.get("py-k"), b"added")

expect(client.delete("py-missing", noreply=False), False)
binary = bytes(range(256)) * 40
expect(client.set("py-binary", binary, noreply=False), True)
expect(client.get("py-binary"), binary)
many = {f"py-many-{i}": b"value %d" % i for i in range(50)}
expect(client.set_many(many, noreply=False), [])
expect(client.get_many([*many, "py-missing"]), many)
expect(client.set("py-\u00e9".encode(), b"accents", noreply=False), True) if client.allow_unicode_keys else None
client.close()
print("as expected")
