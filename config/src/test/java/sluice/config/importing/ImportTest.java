package sluice.config.importing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.config.LoadResult;
import sluice.config.Loader;
import sluice.config.model.Configuration;
import sluice.config.model.DurationRange;
import sluice.config.model.ListenerConfig;
import sluice.config.model.RuleConfig;
import sluice.config.model.ServerConfig;
import sluice.config.problems.Problems;
import sluice.config.yaml.Node;
import sluice.config.yaml.YamlReader;

/** Where keys are afterwards is tested beside the gateway, where the rings are. */
class ImportTest {
  @TempDir Path directory;

  private Path file(String text) throws IOException {
    return Files.writeString(directory.resolve("f"), text);
  }

  /** Without the directory and the name of the file. */
  private List<String> remarks(Import imported) {
    return imported.remarks().stream()
        .map(remark -> remark.replace(directory.resolve("f") + ":", ""))
        .toList();
  }

  private static Configuration checked(Import imported) {
    LoadResult result = Loader.parse("f", imported.configuration().orElseThrow());
    assertThat(result.problems()).isEmpty();
    return result.configuration();
  }

  /** Else its requests would return to the gateway. */
  @Test
  void shouldListenOnAPortThatIsNoServers() throws Exception {
    String yaml = "pools: {a: {servers: [\"127.0.0.1:11211\", \"localhost:11212\"]}}\n";
    Import imported = Import.mcrouter(file(yaml + "route: PoolRoute|a\n"));
    assertThat(checked(imported).listeners().get("mcrouter").bind().label())
        .isEqualTo("127.0.0.1:11213");
    assertThat(remarks(imported)).anyMatch(r -> r.endsWith("the result has 127.0.0.1:11213"));
  }

  @Test
  void shouldWriteWhatATwemproxySays() throws IOException {
    Import imported =
        Import.twemproxy(
            file(
                """
                alpha:
                  listen: 127.0.0.1:22121
                  hash: md5
                  hash_tag: "{}"
                  distribution: modula
                  timeout: 400
                  backlog: 1024
                  preconnect: true
                  tcpkeepalive: false
                  auto_eject_hosts: true
                  server_retry_timeout: 2000
                  server_failure_limit: 3
                  server_connections: 2
                  client_connections: 500
                  servers:
                   - 10.0.0.1:11211:1
                   - 10.0.0.2:11212:3 name-b
                   - /run/c.sock:2
                   - Cache-D:11211:1
                   - Cache-E:11213:1
                   - fe80::7:11211:1
                beta beta:
                  listen: /run/beta.sock 0666
                  distribution: random
                  servers:
                   - 10.0.0.9:11211:1
                gamma:
                  listen: 127.0.0.1:22122
                  redis: true
                  servers:
                   - 10.0.0.9:6379:1
                """));
    assertThat(imported.configuration())
        .contains(
            """
            listeners:
              alpha:
                bind: 127.0.0.1:22121
                route: alpha
                limits:
                  connections: 500
                  itemSize: 1GiB
                allow: []
              beta-beta:
                bind: unix:/run/beta.sock
                route: beta-beta
                limits:
                  itemSize: 1GiB
                allow: []
            routes:
              alpha:
                - pool: alpha
              beta-beta:
                - pool: beta-beta
            pools:
              alpha:
                servers: [10.0.0.1:11211, "10.0.0.2:11212 weight=3 name=name-b", \
            "unix:/run/c.sock weight=2", "Cache-D:11211 name=Cache-D", \
            "Cache-E:11213 name=Cache-E:11213", "[fe80::7]:11211"]
                hash:
                  function: md5
                  distribution: modula
                  tag: "{}"
                timeout: 400ms
                connections:
                  perEventLoop: 2
                  connectTimeout: 400ms
                health:
                  failures: 3
                  ejectFor: 2000ms..2000ms
                  maxEjected: "100%"
              beta-beta:
                servers: [10.0.0.9:11211]
                hash:
                  function: fnv1a_64
                  distribution: ketama
            """);
    checked(imported);
    assertThat(remarks(imported))
        .containsExactly(
            "7:12: alpha.backlog: no equivalent: backlog 1024",
            "8:15: alpha.preconnect: no equivalent: preconnect true",
            "23:3: beta beta: no equivalent: Sluice does not allow this name; the pool becomes"
                + " beta-beta",
            "23:3: beta beta: no equivalent: twemproxy waits for servers forever; the default"
                + " timeout of Sluice is 500ms",
            "23:11: beta beta.listen: no equivalent: the socket's permissions, 0666",
            "24:17: beta beta.distribution: no equivalent: random gives a key no fixed"
                + " server; the result has ketama",
            "29:10: gamma.redis: no equivalent: this is a Redis pool, which is left out");
  }

  @Test
  void shouldWriteWhatAnMcrouterSays() throws IOException {
    Import imported =
        Import.mcrouter(
            file(
                """
                { // comments
                  "pools": {
                \t"a": {"servers": ["10.0.0.1:11211", "10.0.0.2:11211:ascii:plain"],
                          "server_timeout": 300, "connect_timeout": 50, "qos": {"class": 1}},
                    "b": {"inherit": "a", "servers": ["[fe80::1]:11211", "unix:/run/b"], /* and
                          over lines */ "hash": "Crc32"},
                    "c": {"servers": ["10.0.0.3:11211"]}
                  },
                  "named_handles": [{"type": "PoolRoute", "name": "gutter", "pool": "c"}],
                  "routes": [
                    {"aliases": ["/east/one/"], "route": {
                      "type": "PrefixSelectorRoute",
                      "policies": {
                        "f": {"type": "FailoverWithExptimeRoute", "normal": "PoolRoute|a",
                              "failover": ["gutter"], "failover_exptime": 30},
                        "fo": "AllMajorityRoute|Pool|a"
                      },
                      "wildcard": {
                        "type": "OperationSelectorRoute",
                        "default_policy": "PoolRoute|a",
                        "operation_policies": {
                          "delete": {"type": "AllSyncRoute",
                                     "children": ["PoolRoute|a", "PoolRoute|b"]},
                          "get": "LoggingRoute|PoolRoute|b",
                          "lease-get": "PoolRoute|b"
                        }
                      }
                    }}
                  ]
                }
                """));
    assertThat(imported.configuration())
        .contains(
            """
            listeners:
              mcrouter:
                bind: 127.0.0.1:11211
                route: mcrouter
                limits:
                  itemSize: 1GiB
                allow: []
            routes:
              mcrouter:
                - match:
                    prefix: "/east/one/fo"
                  replicate:
                    pools: [a-1, a-2]
                    acks: majority
                  key:
                    strip: "/east/one/"
                - match:
                    prefix: "/east/one/f"
                  pool: a
                  failover:
                    pools: [c]
                    maxTtl: 30s
                  key:
                    strip: "/east/one/"
                - match:
                    prefix: "/east/one/"
                    commands: [delete, md]
                  replicate:
                    pools: [a, b]
                    acks: all
                  key:
                    strip: "/east/one/"
                - match:
                    prefix: "/east/one/"
                    commands: [get, mg]
                  pool: b
                  key:
                    strip: "/east/one/"
                - match:
                    prefix: "/east/one/"
                  pool: a
                  key:
                    strip: "/east/one/"
                - match:
                    prefix: "/"
                  reject: "no rule for this routing prefix"
                - match:
                    prefix: fo
                  replicate:
                    pools: [a-1, a-2]
                    acks: majority
                - match:
                    prefix: f
                  pool: a
                  failover:
                    pools: [c]
                    maxTtl: 30s
                - match:
                    commands: [delete, md]
                  replicate:
                    pools: [a, b]
                    acks: all
                - match:
                    commands: [get, mg]
                  pool: b
                - pool: a
            pools:
              a-1:
                servers: [10.0.0.1:11211]
                timeout: 300ms
                connections:
                  connectTimeout: 50ms
                health:
                  failures: 3
                  ejectFor: 10s..60s
                  maxEjected: "100%"
                  rehash: false
              a-2:
                servers: [10.0.0.2:11211]
                timeout: 300ms
                connections:
                  connectTimeout: 50ms
                health:
                  failures: 3
                  ejectFor: 10s..60s
                  maxEjected: "100%"
                  rehash: false
              a:
                servers: [10.0.0.1:11211, 10.0.0.2:11211]
                hash:
                  distribution: ch3
                timeout: 300ms
                connections:
                  connectTimeout: 50ms
                health:
                  failures: 3
                  ejectFor: 10s..60s
                  maxEjected: "100%"
                  rehash: false
              c:
                servers: [10.0.0.3:11211]
                timeout: 1000ms
                health:
                  failures: 3
                  ejectFor: 10s..60s
                  maxEjected: "100%"
                  rehash: false
              b:
                servers: ["[fe80::1]:11211", unix:/run/b]
                hash:
                  distribution: ch3
                timeout: 300ms
                connections:
                  connectTimeout: 50ms
                health:
                  failures: 3
                  ejectFor: 10s..60s
                  maxEjected: "100%"
                  rehash: false
            """);
    checked(imported);
    assertThat(remarks(imported))
        .containsExactly(
            "1:1: listeners.mcrouter.bind: the port is on mcrouter's command line (-p);"
                + " the result has 127.0.0.1:11211",
            "4:64: pools.a.qos: no equivalent: qos a mapping",
            "6:33: pools.b.hash: no equivalent: mcrouter places keys by Crc32, Sluice by ch3:"
                + " most of them move to other servers",
            "11:42: routes[0].route: the route of keys without a routing prefix is on"
                + " mcrouter's command line (-R); the result has /east/one/",
            "11:42: routes[0].route: no equivalent: routing prefixes that are patterns, such as"
                + " /*/*/, and those without a route; keys that begin with / and have no rule of"
                + " their own are rejected",
            "24:18: routes[0].route.wildcard.operation_policies.get: no equivalent: LoggingRoute;"
                + " its requests go to the first route inside it",
            "25:24: routes[0].route.wildcard.operation_policies.lease-get: no equivalent: the"
                + " operation lease-get");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "AllFastestRoute ; {'type':'AllFastestRoute','children':['PoolRoute|a','PoolRoute|b']} ;"
            + " {replicate={pools=[a, b], acks=one}}",
        "FailoverRoute ; {'type':'FailoverRoute','children':['PoolRoute|a','PoolRoute|b']} ;"
            + " {pool=a, failover=[b]}",
        "WarmUpRoute ; {'type':'WarmUpRoute','cold':'PoolRoute|a','warm':'PoolRoute|b'} ;"
            + " {warmUp={cold=a, warm=b}}",
        "MigrateRoute ; {'type':'MigrateRoute','from':'PoolRoute|a','to':'PoolRoute|b',"
            + "'start_time':1000,'interval':100} ; {pool=a, migrate={to=b, percent=100%,"
            + " from=1970-01-01T00:18:20Z, until=1970-01-01T00:20:00Z}}",
        "ShadowRoute ; {'type':'ShadowRoute','children':['PoolRoute|a'],'shadows':[{'target':"
            + "'PoolRoute|b','key_fraction_range':[0.0,0.25]}]} ;"
            + " {pool=a, shadow={pool=b, percent=25%}}",
        "shadows ; {'type':'PoolRoute','pool':'a','shadows':[{'target':'PoolRoute|b'}]} ;"
            + " {pool=a, shadow={pool=b, percent=100%}}",
        "HashRoute ; {'type':'HashRoute','children':'Pool|a','hash_func':'Ch3'} ; {pool=a}",
        "ModifyExptimeRoute ; {'type':'ModifyExptimeRoute','target':'PoolRoute|a','exptime':60,"
            + "'action':'min'} ; {pool=a, ttl={max=60s}}",
        "ModifyExptimeRoute, set ; {'type':'ModifyExptimeRoute','target':'PoolRoute|a',"
            + "'exptime':60} ; {pool=a, ttl={min=60s, max=60s}}",
        "ErrorRoute ; 'ErrorRoute|gone' ; {reject=gone}",
        "a pool inside ; {'type':'PoolRoute','pool':{'type':'Pool','name':'x','servers':"
            + "['h:1']}} ; {pool=x}",
      })
  void shouldKnowTheRoutesOfMcrouter(String name, String route, String rule) throws IOException {
    Path file =
        file(
            """
            {"pools": {"a": {"servers": ["h:1", "h:2"]}, "b": {"servers": ["h:3"]}}, "route": %s}
            """
                .formatted(route.replace('\'', '"')));
    if (!rule.contains("reject")) { // which alone is no configuration: it has no pool
      Configuration configuration = checked(Import.mcrouter(file));
      assertThat(configuration.routes().get("mcrouter").rules()).hasSize(2);
    }
    Problems problems = new Problems("f");
    Node.Mapping root =
        (Node.Mapping) YamlReader.read(Files.readString(file), problems).orElseThrow();
    Source source = new Source(root, "");
    Remarks remarks = new Remarks("f");
    McrouterHandles handles =
        new McrouterHandles(remarks, new McrouterPools(remarks, source), source);
    assertThat(handles.action(source.get("route").orElseThrow()).fields()).hasToString(rule);
  }

  /** Such a route has no pool: it places keys on pools. */
  @Test
  void shouldSayThatAHashOfRoutesMovesKeys() throws IOException {
    String file =
        """
        {"pools": {"a": {"servers": ["h:1"]}, "b": {"servers": ["h:2"]}}, "route":
         {"type": "HashRoute", "children": [%s], "salt": "x"}}
        """;
    Import several = Import.mcrouter(file(file.formatted("\"PoolRoute|a\", \"PoolRoute|b\"")));
    assertThat(several.keysMove()).isTrue();
    assertThat(remarks(several))
        .contains(
            "2:2: route: no equivalent: HashRoute distributes keys over several routes; the result"
                + " has only the first of them, so many keys move to other servers");
    Import one = Import.mcrouter(file(file.formatted("\"PoolRoute|a\"")));
    assertThat(one.keysMove()).isFalse();
  }

  @Test
  void shouldGiveKeysAPrefixThatHaveNone() throws IOException {
    Import imported =
        Import.mcrouter(
            file(
                """
                {"pools": {"a": {"servers": ["h:1"]}}, "route": {"type": "ModifyKeyRoute",
                 "ensure_key_prefix": "v2:", "target": "PoolRoute|a"}}
                """));
    List<RuleConfig> rules = checked(imported).routes().get("mcrouter").rules();
    assertThat(rules.get(1).match().prefix()).isEqualTo("v2:");
    assertThat(rules.get(1).key().isUnchanged()).isTrue();
    assertThat(rules.get(2).key().add()).isEqualTo("v2:");
  }

  @Test
  void shouldRefuseRoutingPrefixesThatHaveNoRules() throws IOException {
    Import imported =
        Import.mcrouter(
            file(
                """
                {"pools": {"a": {"servers": ["h:1"]}}, "route": {"type": "PrefixSelectorRoute",
                 "policies": {"/own": "PoolRoute|a", "b": "ErrorRoute|no"},
                 "wildcard": "PoolRoute|a"}}
                """));
    List<RuleConfig> rules = checked(imported).routes().get("mcrouter").rules();
    assertThat(rules)
        .extracting(rule -> rule.match().prefix())
        .containsExactly("/own", "/", "b", "");
    assertThat(rules.get(1).reject()).contains("no rule for this routing prefix");
    assertThat(remarks(imported)).anyMatch(remark -> remark.contains("such as /*/*/"));
  }

  @Test
  void shouldTakeNoMoreCommandsAndNoSmallerItemsThanTheOtherProxy() throws IOException {
    Import mcrouter =
        Import.mcrouter(
            file(
                """
                {"pools": {"a": {"servers": ["h:1"]}}, "route": {"type": "OperationSelectorRoute",
                 "default_policy": "PoolRoute|a",
                 "operation_policies": {"flushall": "AllSyncRoute|Pool|a"}}}
                """));
    assertThat(remarks(mcrouter)).anyMatch(remark -> remark.contains("--enable-flush-cmd"));
    Import twemproxy =
        Import.twemproxy(file("a: {listen: '127.0.0.1:1', timeout: 9, servers: ['h:1:1']}\n"));
    for (Import imported : List.of(mcrouter, twemproxy)) {
      ListenerConfig listener = checked(imported).listeners().values().iterator().next();
      assertThat(listener.allow()).isEmpty();
      assertThat(listener.limits().itemSizeBytes()).isEqualTo(1L << 30);
    }
  }

  @Test
  void shouldKnowTheGroupsOfARoutingGroupRoute() throws IOException {
    Import imported =
        Import.mcrouter(
            file(
                """
                {"pools": {"a": {"servers": ["h:1"]}, "b": {"servers": ["h:2"]}},
                 "route": {"type": "RoutingGroupRoute", "default_policy": "PoolRoute|a",
                   "routing_group_policies": {"get_like": "PoolRoute|b",
                     "delete_like": "PoolRoute|b", "arithmetic_like": "ErrorRoute|no"}}}
                """));
    List<RuleConfig> rules = checked(imported).routes().get("mcrouter").rules();
    assertThat(rules.get(1).match().commands())
        .containsExactlyInAnyOrder("get", "gets", "gat", "gats", "mg", "me", "delete", "md");
    assertThat(rules.get(1).pool()).contains("b");
    assertThat(rules.get(2).match().commands()).containsExactlyInAnyOrder("incr", "decr", "ma");
    assertThat(rules.get(2).reject()).contains("no");
    assertThat(rules.get(3).pool()).contains("a");
  }

  @Test
  void shouldKeepEveryPlaceOfAServerThatStandsTwice() throws IOException {
    Import mcrouter =
        Import.mcrouter(
            file(
                """
                {"pools": {"a": {"servers": ["h:1", "h:2", "h:1", "h:1"]}},
                 "route": "PoolRoute|a"}
                """));
    assertThat(checked(mcrouter).pools().get("a").servers())
        .extracting(ServerConfig::label)
        .containsExactly("h:1", "h:2", "h:1 name=h:1-2", "h:1 name=h:1-3");
    Import twemproxy =
        Import.twemproxy(
            file("a: {listen: '127.0.0.1:1', servers: ['h:1:1 x', 'h:1:1 y', 'h:1:1 x']}\n"));
    assertThat(checked(twemproxy).pools().get("a").servers())
        .extracting(ServerConfig::label)
        .containsExactly("h:1 name=x", "h:1 name=y");
    assertThat(remarks(twemproxy)).anyMatch(remark -> remark.contains("\"h:1:1 x\" again"));
  }

  @Test
  void shouldNameServersAndPoolsThatCannotBeWrittenAndWriteTheRest() throws IOException {
    Import mcrouter =
        Import.mcrouter(
            file(
                """
                {"pools": {"a": {"servers": ["h:1", "no-port", "h:0", 7]},
                           "none": {"servers": []}, "bad": {"servers": ["x y:1"]}},
                 "route": {"type": "PrefixSelectorRoute", "wildcard": "PoolRoute|a",
                   "policies": {"n": "PoolRoute|none", "b": {"type": "FailoverRoute",
                     "children": ["PoolRoute|bad", "PoolRoute|a"]}}}}
                """));
    Configuration configuration = checked(mcrouter);
    assertThat(configuration.pools().get("a").servers())
        .extracting(ServerConfig::label)
        .containsExactly("h:1");
    List<RuleConfig> rules = configuration.routes().get("mcrouter").rules();
    assertThat(rules.get(1).match().prefix()).isEqualTo("n");
    assertThat(rules.get(1).reject()).isPresent();
    assertThat(remarks(mcrouter))
        .anyMatch(remark -> remark.startsWith("1:37: pools.a.servers[1]: found \"no-port\""))
        .anyMatch(remark -> remark.startsWith("1:48: pools.a.servers[2]: found \"h:0\""))
        .anyMatch(remark -> remark.contains("pools.none: a pool without servers"))
        .anyMatch(remark -> remark.contains("pools.bad: a pool without servers"));
    Import twemproxy =
        Import.twemproxy(
            file(
                """
                a: {listen: '127.0.0.1:1', timeout: 9, servers: ['h:1:1', 'h:2', 'h:3:0']}
                b: {listen: '127.0.0.1:2', timeout: 9, servers: []}
                c: {listen: '127.0.0.1:3', timeout: 9}
                """));
    assertThat(checked(twemproxy).pools()).containsOnlyKeys("a");
    assertThat(remarks(twemproxy))
        .anyMatch(remark -> remark.contains("a.servers[1]: found \"h:2\""))
        .anyMatch(remark -> remark.contains("a.servers[2]: found \"h:3:0\""))
        .anyMatch(remark -> remark.contains("b: no server can be imported"))
        .anyMatch(remark -> remark.contains("c: no server can be imported"));
  }

  /** Errors until a server is tried again are what mcrouter answers: no key goes elsewhere. */
  @Test
  void shouldEjectServersAsMcrouterMarksThemAndLeaveTheirKeys() throws IOException {
    Import imported =
        Import.mcrouter(
            file(
                """
                {"pools": {"a": {"servers": ["h:1", "h:2"]}}, "route": "PoolRoute|a"}
                """));
    assertThat(checked(imported).pools().get("a").health())
        .hasValueSatisfying(
            health -> {
              assertThat(health.failures()).isEqualTo(3);
              assertThat(health.ejectFor()).isEqualTo(new DurationRange(10_000, 60_000));
              assertThat(health.maxEjectedPercent()).isEqualTo(100);
              assertThat(health.rehash()).isFalse();
            });
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(
      strings = {
        "{\"route\": \"x\", \"named_handles\": {\"x\": \"x\"}}",
        "{\"route\": {\"type\": \"AllSyncRoute\", \"children\": \"x\", \"name\": \"x\"}}",
        "{\"pools\": {\"a\": {\"inherit\": \"a\"}}, \"route\": \"PoolRoute|a\"}",
        "{\"route\": \"PoolRoute|a\"}",
        "{\"route\": {\"type\": \"L1L2CacheRoute\"}}",
        "{\"pools\": 1, \"route\": [], \"routes\": 3}",
        "{}",
        "[]",
        "/* no end",
        "\"",
      })
  void shouldSayWhyThereIsNoConfiguration(String text) throws IOException {
    Import imported = Import.mcrouter(file(text));
    assertThat(imported.configuration()).isEmpty();
    assertThat(imported.remarks()).isNotEmpty();
  }

  @Test
  void shouldLeaveOutAServerWhosePortIsNoNumber() throws IOException {
    String servers = "[\"Host:99999999999:1\", \"Host:11211:1\"]";
    Import imported =
        Import.twemproxy(file("a: {listen: 127.0.0.1:22121, servers: " + servers + "}\n"));
    assertThat(checked(imported).pools().get("a").servers()).hasSize(1);
    assertThat(remarks(imported))
        .contains(
            "1:40: a.servers[0]: found \"Host:99999999999:1\", expected host:port:weight [name]; it"
                + " is left out");
  }

  @Test
  void shouldSayThatATwemproxyHasNothingForIt() throws IOException {
    assertThat(remarks(Import.twemproxy(file("a: {redis: true}\n"))))
        .containsExactly(
            "1:1: document: found no pool of memcached servers",
            "1:12: a.redis: no equivalent: this is a Redis pool, which is left out");
    assertThat(remarks(Import.twemproxy(directory.resolve("missing")))).hasSize(1);
  }
}
