"""The proxies that perf/compare measures, each in one process before one memcached: what they can do, and how they start."""
import os, shutil, subprocess

import processes

MEMCACHED = ("text", "meta", "binary")
DIALECTS = MEMCACHED + ("resp",)  # resp: of proxies of Redis, for context
REDIS = {"asked": b"*2\r\n$3\r\nGET\r\n$5\r\nready\r\n", "answer": b"$-1\r\n"}
LARGEST = "2m"  # an item, where that has to be said


class Proxy:
    """One process with an address for each way to reach it: tcp, unix, tls, bridged, compressed."""

    def __init__(self, name, process, addresses, dialects=MEMCACHED):
        self.name, self.pid, self.addresses, self.dialects = name, process.pid, addresses, dialects

    def can(self, case):
        return case.to in self.addresses and case.dialect in self.dialects


class Bench:
    """A directory, a memcached, certificates: what all of them need."""

    def __init__(self, work):
        self.work = work
        self.port = processes.free_port()
        user = ["-u", "nobody"] if os.geteuid() == 0 else []
        command = ["memcached", *user, "-l", "127.0.0.1", "-p", str(self.port), "-t", "1", "-m", "512", "-I", LARGEST,
                   "-c", "4096"]
        self.memcached = processes.start(command, self.path("memcached.log"), self.port)
        subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
                        "2", *subject, "-keyout", self.path("tls.key"), "-out", self.path("tls.crt")],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def path(self, name):
        return os.path.join(self.work, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="ascii") as out:
            out.write(text)
        return self.path(name)

    def direct(self):
        return Proxy("memcached", self.memcached, {"tcp": "127.0.0.1:%d" % self.port})

    def sluice(self, jdk=None, name="sluice", loops=1, checkout=processes.ROOT, transport="auto", java_options=None):
        ports = {each: processes.free_port() for each in ("tcp", "tls", "bridged", "compressed")}
        unix = self.path(name + ".sock")
        common = "protocol: memcached, limits: {itemSize: 2MiB, connections: 20000}"
        config = self.write(name + ".yaml", """
admin: {bind: 127.0.0.1:0}
process: {eventLoops: %d, transport: %s}
listeners:
  tcp: {bind: "127.0.0.1:%d", route: cache, %s}
  unix: {bind: "unix:%s", route: cache, %s}
  tls: {bind: "127.0.0.1:%d", route: cache, tls: {certificate: %s, key: %s}, %s}
  bridged: {bind: "127.0.0.1:%d", route: meta, %s}
  compressed: {bind: "127.0.0.1:%d", route: compressed, %s}
routes: {cache: [{pool: cache}], meta: [{pool: meta}], compressed: [{pool: compressed}]}
pools:
  cache: {protocol: memcached, servers: ["127.0.0.1:%d"], connections: {perEventLoop: 1}}
  meta: {protocol: memcached, dialect: meta, servers: ["127.0.0.1:%d"], connections: {perEventLoop: 1}}
  compressed: {protocol: memcached, servers: ["127.0.0.1:%d"], connections: {perEventLoop: 1}, compression: {algorithm: lz4, above: 1KiB}}
""" % (loops, transport, ports["tcp"], common, unix, common, ports["tls"], self.path("tls.crt"), self.path("tls.key"), common,
            ports["bridged"], common, ports["compressed"], common, self.port, self.port, self.port))
        environment = {"JAVA_HOME": jdk} if jdk else {}
        if java_options:
            environment["SLUICE_JAVA_OPTS"] = " ".join((os.environ.get("SLUICE_JAVA_OPTS", ""), java_options))
        # the launcher replaces itself by the JVM, so its pid is the JVM's
        process = processes.start([os.path.join(checkout, "sluice"), "run", "-c", config], self.path(name + ".log"),
                                  ports["tcp"], environment)
        addresses = {each: "127.0.0.1:%d" % port for each, port in ports.items()}
        return Proxy(name, process, {**addresses, "unix": "unix:" + unix})

    def guarded(self):
        """Two before three servers: one plain, one with failover, health and retries."""
        servers = [processes.free_port() for _ in range(3)]
        user = ["-u", "nobody"] if os.geteuid() == 0 else []
        for each in servers:
            processes.start(["memcached", *user, "-l", "127.0.0.1", "-p", str(each), "-t", "1", "-m", "128"],
                            self.path("memcached-%d.log" % each), each)
        found = []
        for name, rule, pool in (("plain", "", ""), ("guarded", ", failover: [gutter]", ", health: {slow: 200ms}, retries: {}")):
            port = processes.free_port()
            gutter = '  gutter: {servers: ["127.0.0.1:%d"]}\n' % servers[0] if rule else ""
            config = self.write(name + ".yaml", """
admin: {bind: 127.0.0.1:0}
process: {eventLoops: 1}
listeners: {cache: {bind: "127.0.0.1:%d", protocol: memcached, route: cache}}
routes: {cache: [{pool: cache%s}]}
pools:
  cache: {protocol: memcached, servers: [%s], connections: {perEventLoop: 1}%s}
%s""" % (port, rule, ", ".join('"127.0.0.1:%d"' % each for each in servers), pool, gutter))
            process = processes.start([os.path.join(processes.ROOT, "sluice"), "run", "-c", config], self.path(name + ".log"), port)
            found.append(Proxy(name, process, {"tcp": "127.0.0.1:%d" % port}))
        return found

    def twemproxy(self, mbuf=0):
        """As its packages start it; mbuf: the size of its buffers, where that is not its default."""
        program = shutil.which("nutcracker") or "/usr/sbin/nutcracker"
        if not os.path.exists(program):
            return None
        port, unix = processes.free_port(), self.path("nutcracker.sock")
        common = ("hash: fnv1a_64\n  distribution: ketama\n  timeout: 2000\n  auto_eject_hosts: false\n  server_connections: 1\n"
                  "  preconnect: true\n  servers:\n   - 127.0.0.1:%d:1\n" % self.port)
        config = self.write("nutcracker.yml", "cache:\n  listen: 127.0.0.1:%d\n  %sunix:\n  listen: %s\n  %s" % (
            port, common, unix, common))
        command = [program, "-c", config, "-s", str(processes.free_port()), "-a", "127.0.0.1", "-p", self.path("nutcracker.pid")]
        command += ["-m", str(mbuf)] if mbuf else []
        process = processes.start(command, self.path("nutcracker.log"), port)
        return Proxy("twemproxy", process, {"tcp": "127.0.0.1:%d" % port, "unix": "unix:" + unix}, ("text",))

    def haproxy(self):
        """TCP only: it frames nothing, and has a connection to the server for each client's."""
        program = shutil.which("haproxy") or "/usr/sbin/haproxy"
        if not os.path.exists(program):
            return None
        port, tls, unix = processes.free_port(), processes.free_port(), self.path("haproxy.sock")
        with open(self.path("haproxy.pem"), "w", encoding="ascii") as out:
            for part in ("tls.crt", "tls.key"):
                with open(self.path(part), encoding="ascii") as text:
                    out.write(text.read())
        config = self.write("haproxy.cfg", """
global
  nbthread 1
  maxconn 8192
defaults
  mode tcp
  timeout connect 2s
  timeout client 60s
  timeout server 60s
frontend cache
  bind 127.0.0.1:%d
  bind 127.0.0.1:%d ssl crt %s
  bind unix@%s
  default_backend cache
backend cache
  server memcached 127.0.0.1:%d
""" % (port, tls, self.path("haproxy.pem"), unix, self.port))
        process = processes.start([program, "-db", "-f", config], self.path("haproxy.log"), port)
        return Proxy("haproxy", process, {"tcp": "127.0.0.1:%d" % port, "tls": "127.0.0.1:%d" % tls, "unix": "unix:" + unix})

    def memcached_proxy(self, program):
        """memcached's own: a build with --enable-proxy; text and meta only."""
        port, unix = processes.free_port(), self.path("memcached-proxy.sock")
        config = self.write("proxy.lua", """
function mcp_config_pools()
  return mcp.pool({mcp.backend('cache', '127.0.0.1', '%d')})
end
function mcp_config_routes(pool)
  local generator = mcp.funcgen_new()
  local handle = generator:new_handle(pool)
  generator:ready({n = 'cache', f = function(context)
    return function(request) return context:enqueue_and_wait(request, handle) end
  end})
  mcp.attach(mcp.CMD_ANY_STORAGE, generator)
end
""" % self.port)
        user = ["-u", "nobody"] if os.geteuid() == 0 else []
        os.chmod(self.work, 0o755)
        command = [program, *user, "-l", "127.0.0.1:%d" % port, "-t", "1", "-m", "64", "-c", "4096", "-I", LARGEST,
                   "-o", "proxy_config=" + config]
        process = processes.start(command, self.path("memcached-proxy.log"), port)
        return Proxy("memcached's", process, {"tcp": "127.0.0.1:%d" % port}, ("text", "meta"))

    def redis_proxies(self, envoy):
        """Proxies of Redis before a Redis, for context: twemproxy, and Envoy if its program is named."""
        server, port = processes.free_port(), processes.free_port()
        processes.start(["redis-server", "--bind", "127.0.0.1", "--port", str(server), "--save", "", "--appendonly", "no",
                         "--maxclients", "4096"], self.path("redis.log"), server, **REDIS)
        config = self.write("nutcracker-redis.yml", "redis:\n  listen: 127.0.0.1:%d\n  redis: true\n  hash: fnv1a_64\n"
                            "  distribution: ketama\n  timeout: 2000\n  auto_eject_hosts: false\n  server_connections: 1\n"
                            "  preconnect: true\n  servers:\n   - 127.0.0.1:%d:1\n" % (port, server))
        process = processes.start(["/usr/sbin/nutcracker", "-c", config, "-s", str(processes.free_port()), "-a", "127.0.0.1", "-p",
                                   self.path("nutcracker-redis.pid")], self.path("nutcracker-redis.log"), port, **REDIS)
        found = [Proxy("twemproxy", process, {"tcp": "127.0.0.1:%d" % port}, ("resp",))]
        if envoy != "none":
            port = processes.free_port()
            address = "{socket_address: {address: 127.0.0.1, port_value: %d}}"
            config = self.write("envoy.yaml", """
static_resources:
  listeners:
  - address: %s
    filter_chains:
    - filters:
      - name: envoy.filters.network.redis_proxy
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.network.redis_proxy.v3.RedisProxy
          stat_prefix: redis
          settings: {op_timeout: 5s}
          prefix_routes: {catch_all_route: {cluster: redis}}
  clusters:
  - name: redis
    type: STATIC
    connect_timeout: 2s
    lb_policy: MAGLEV
    load_assignment:
      cluster_name: redis
      endpoints: [{lb_endpoints: [{endpoint: {address: %s}}]}]
""" % (address % port, address % server))
            process = processes.start([envoy, "-c", config, "--concurrency", "1", "--disable-hot-restart", "-l", "error"],
                                      self.path("envoy.log"), port, **REDIS)
            found.append(Proxy("envoy", process, {"tcp": "127.0.0.1:%d" % port}, ("resp",)))
        return found
