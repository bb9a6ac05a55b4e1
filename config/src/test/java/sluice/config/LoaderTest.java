package sluice.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.config.model.Acks;
import sluice.config.model.Address;
import sluice.config.model.AddressesConfig;
import sluice.config.model.AdminConfig;
import sluice.config.model.CompressionAlgorithm;
import sluice.config.model.CompressionConfig;
import sluice.config.model.Configuration;
import sluice.config.model.ConnectionsConfig;
import sluice.config.model.Counters;
import sluice.config.model.DiscoverConfig;
import sluice.config.model.DiscoverSource;
import sluice.config.model.DurationRange;
import sluice.config.model.FailoverConfig;
import sluice.config.model.GuardedCommand;
import sluice.config.model.HashConfig;
import sluice.config.model.HealthConfig;
import sluice.config.model.HedgeConfig;
import sluice.config.model.IgniteConfig;
import sluice.config.model.InternodeFraming;
import sluice.config.model.KeyConfig;
import sluice.config.model.LimitConfig;
import sluice.config.model.LimitsConfig;
import sluice.config.model.ListenerConfig;
import sluice.config.model.ListenerProtocol;
import sluice.config.model.MatchConfig;
import sluice.config.model.MigrateConfig;
import sluice.config.model.NearCacheConfig;
import sluice.config.model.NodeName;
import sluice.config.model.OnCorrupt;
import sluice.config.model.OnFailure;
import sluice.config.model.PeerName;
import sluice.config.model.PlainValues;
import sluice.config.model.PoolConfig;
import sluice.config.model.PoolDialect;
import sluice.config.model.PoolProtocol;
import sluice.config.model.ProcessConfig;
import sluice.config.model.Reads;
import sluice.config.model.Ready;
import sluice.config.model.ReplacementConfig;
import sluice.config.model.ReplicateConfig;
import sluice.config.model.RetriesConfig;
import sluice.config.model.RuleConfig;
import sluice.config.model.ServerConfig;
import sluice.config.model.ShadowConfig;
import sluice.config.model.SplitConfig;
import sluice.config.model.Transport;
import sluice.config.model.TtlConfig;
import sluice.config.model.ValuesConfig;
import sluice.config.problems.Problem;
import sluice.names.Dialect;
import sluice.names.Distribution;
import sluice.names.HashFunction;

class LoaderTest {
  @TempDir Path directory;

  private static List<String> problems(LoadResult result) {
    return result.problems().stream().map(Problem::toString).toList();
  }

  @Test
  void shouldFillInEveryDefault() {
    Configuration c = Loader.parse("f", Samples.SMALL).configuration();
    assertThat(c.admin())
        .isEqualTo(
            new AdminConfig(
                new Address.Tcp("127.0.0.1", 9901),
                Ready.PROCESS,
                Optional.empty(),
                Optional.empty()));
    assertThat(c.process().eventLoops()).isEqualTo(Runtime.getRuntime().availableProcessors());
    assertThat(c.process().transport()).isEqualTo(Transport.AUTO);
    assertThat(c.process().drainMillis()).isEqualTo(20_000);
    assertThat(c.process().memoryBytes()).isBetween(16L << 20, 128L << 20);
    assertThat(c.listeners())
        .containsExactly(
            Map.entry(
                "cache",
                new ListenerConfig(
                    "cache",
                    new Address.Tcp("127.0.0.1", 0),
                    ListenerProtocol.MEMCACHED,
                    Set.of(Dialect.TEXT, Dialect.META, Dialect.BINARY),
                    "cache",
                    new LimitsConfig(
                        10_000,
                        1024,
                        1 << 20,
                        1 << 20,
                        500,
                        86_400_000,
                        0,
                        128 << 20,
                        4 << 20,
                        5_000),
                    Set.of(GuardedCommand.FLUSH_ALL, GuardedCommand.VERBOSITY),
                    Optional.empty(),
                    List.of(),
                    false,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty())));
    assertThat(c.pools().get("cache"))
        .isEqualTo(
            new PoolConfig(
                "cache",
                PoolProtocol.MEMCACHED,
                PoolDialect.SAME,
                0,
                List.of(new ServerConfig(new Address.Tcp("10.0.0.1", 11211), 1, "10.0.0.1:11211")),
                Optional.empty(),
                new HashConfig(HashFunction.MURMUR3, Distribution.KETAMA, Optional.empty(), 0),
                new ConnectionsConfig(1, 4, 0, 1_000, LimitsConfig.NEVER, 1_000),
                500,
                500,
                OnFailure.ERROR,
                InternodeFraming.SAME,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty()));
    assertThat(c.routes().get("cache").rules())
        .containsExactly(
            new RuleConfig(
                new MatchConfig(
                    "", Set.of(), Set.of(), Optional.empty(), Optional.empty(), Set.of()),
                Optional.of("cache"),
                new KeyConfig("", ""),
                Optional.empty(),
                new AddressesConfig(Map.of(), Map.of()),
                List.of()));
  }

  @Test
  void shouldTakeWhereRequestsMayGoBesideTheirPool() {
    Configuration c = Samples.load(Samples.ROUTING).configuration();
    RuleConfig first = c.routes().get("r").rules().get(0);
    assertThat(first.failover())
        .contains(new FailoverConfig(List.of("q", "e"), LimitsConfig.NEVER));
    assertThat(first.pools()).containsExactly("p", "q", "e");
    RuleConfig second = c.routes().get("r").rules().get(1);
    assertThat(second.failover()).contains(new FailoverConfig(List.of("q"), 10_000));
    assertThat(second.migrate()).contains(new MigrateConfig("q", 30, Optional.empty()));
    assertThat(second.ttl()).contains(new TtlConfig(1_000, 3_600_000, 10));
    assertThat(second.pools()).containsExactly("p", "q");
    assertThat(c.routes().get("r").rules().get(2).migrate())
        .contains(
            new MigrateConfig(
                "e",
                100,
                Optional.of(new MigrateConfig.Period(1_896_091_200_000L, 1_896_177_600_000L))));
    RuleConfig ofToken = c.routes().get("t").rules().get(0);
    assertThat(ofToken.match().token()).contains("Pblue");
    assertThat(ofToken.stripToken()).isTrue();
    assertThat(c.routes().get("t").rules().get(1).nearCache())
        .contains(new NearCacheConfig(4 << 20, 250));
    assertThat(ofToken.split()).contains(new SplitConfig(900 << 10, 0x20000));
    assertThat(c.routes().get("v").rules().get(0).split())
        .contains(new SplitConfig(64 << 10, 1 << 31));
    assertThat(ofToken.limit()).contains(new LimitConfig(100, 100));
    assertThat(c.routes().get("t").rules().get(1).stripToken()).isFalse();
    assertThat(c.routes().get("t").rules().get(1).limit()).contains(new LimitConfig(50, 7));
    RuleConfig fourth = c.routes().get("s").rules().get(0);
    assertThat(fourth.replicate())
        .contains(new ReplicateConfig(List.of("p", "q"), Acks.MAJORITY, Reads.NEAREST));
    assertThat(fourth.pool()).contains("p");
    assertThat(fourth.pools()).containsExactly("p", "q");
    assertThat(c.routes().get("s").rules().get(1).shadow()).contains(new ShadowConfig("q", 10));
    assertThat(c.routes().get("h").rules())
        .extracting(rule -> rule.policy(HedgeConfig.class).orElseThrow())
        .containsExactly(
            new HedgeConfig("q", new HedgeConfig.After(5, 0), 0.025),
            new HedgeConfig("q", new HedgeConfig.After(0, 95), 0.05));
    RuleConfig warmed = c.routes().get("w").rules().get(0);
    assertThat(warmed.pool()).contains("p");
    assertThat(warmed.warm()).contains("q");
    PoolConfig p = c.pools().get("p");
    assertThat(p.health())
        .contains(new HealthConfig(3, 200, 1_000, new DurationRange(2_000, 60_000), 50, true));
    assertThat(p.retries()).contains(new RetriesConfig(1, 20));
    assertThat(c.pools().get("q").retries()).contains(new RetriesConfig(3, 5));
    assertThat(c.pools().get("e").health()).isEmpty();
  }

  @Test
  void shouldTakeWhatBridgesAreMadeOf() {
    Configuration c = Samples.load(Samples.BRIDGES).configuration();
    assertThat(c.listeners().get("ignite").protocol()).isEqualTo(ListenerProtocol.IGNITE);
    PoolConfig small = c.pools().get("small");
    assertThat(small.dialect()).isEqualTo(PoolDialect.META);
    assertThat(small.compression())
        .contains(
            new CompressionConfig(
                CompressionAlgorithm.LZ4, List.of(), 64, 75, 0x8000_0000, 0xA, OnCorrupt.PASS));
    assertThat(small.values()).isEmpty();
    PoolConfig plain = c.pools().get("plain");
    assertThat(plain.dialect()).isEqualTo(PoolDialect.BINARY);
    assertThat(plain.compression())
        .contains(
            new CompressionConfig(
                CompressionAlgorithm.ZSTD, List.of(), 1024, 90, 0x10000, 0x2, OnCorrupt.ERROR));
    assertThat(plain.values())
        .contains(
            new ValuesConfig(
                List.of(
                    new ReplacementConfig("http://old/", "https://new/"),
                    new ReplacementConfig("old", "")),
                Optional.of(PlainValues.KAFKA_HEADERS)));
    PoolConfig text = c.pools().get("text");
    assertThat(text.dialect()).isEqualTo(PoolDialect.TEXT);
    assertThat(text.compression()).isEmpty();
    assertThat(text.values())
        .contains(new ValuesConfig(List.of(), Optional.of(PlainValues.KAFKA_TIMESTAMPED_HEADERS)));
    assertThat(text.ignite()).isEmpty();
    assertThat(c.pools().get("node").ignite()).contains(new IgniteConfig("items", Counters.ATOMIC));
    assertThat(c.pools().get("other").ignite())
        .contains(new IgniteConfig("default", Counters.REFUSE));
  }

  @Test
  void shouldTakeEverythingThatIsWritten() {
    Configuration c = Loader.parse("f", Samples.FULL).configuration();
    assertThat(c.admin())
        .isEqualTo(
            new AdminConfig(
                new Address.Tcp("::1", 9901), Ready.ROUTES, Optional.empty(), Optional.empty()));
    assertThat(c.process()).isEqualTo(new ProcessConfig(2, Transport.NIO, 5_000, 64 << 20));
    ListenerConfig cache = c.listeners().get("cache");
    assertThat(cache.dialects()).containsExactly(Dialect.TEXT, Dialect.META);
    assertThat(cache.allow()).containsExactly(GuardedCommand.WATCH, GuardedCommand.SHUTDOWN);
    assertThat(cache.limits())
        .isEqualTo(
            new LimitsConfig(
                20, 16, 2 << 20, 64 << 10, 250, 600_000, 3_600_000, 128 << 20, 4 << 20, 5_000));
    assertThat(c.listeners().get("local").bind())
        .isEqualTo(new Address.Unix("/run/sluice/local.sock"));
    assertThat(c.listeners().get("local").allow()).isEmpty();
    List<RuleConfig> rules = c.routes().get("cache").rules();
    assertThat(rules.get(0).match())
        .isEqualTo(
            new MatchConfig(
                "session:",
                Set.of("get", "set"),
                Set.of(Dialect.TEXT),
                Optional.empty(),
                Optional.empty(),
                Set.of()));
    assertThat(rules.get(0).key()).isEqualTo(new KeyConfig("session:", "v2:"));
    assertThat(rules.get(1).reject()).contains("not from here");
    assertThat(rules.get(1).pool()).isEmpty();
    PoolConfig pool = c.pools().get("cache");
    assertThat(pool.servers())
        .containsExactly(
            new ServerConfig(new Address.Tcp("10.0.0.1", 11211), 1, "10.0.0.1:11211"),
            new ServerConfig(new Address.Tcp("10.0.0.2", 11211), 2, "10.0.0.2:11211"),
            new ServerConfig(new Address.Tcp("2001:db8::7", 11211), 1, "[2001:db8::7]:11211"),
            new ServerConfig(
                new Address.Unix("/run/memcached.sock"), 1, "unix:/run/memcached.sock"));
    assertThat(pool.hash())
        .isEqualTo(
            new HashConfig(HashFunction.MURMUR3, Distribution.MAGLEV, Optional.of("{}"), 30_000));
    assertThat(pool.connections()).isEqualTo(new ConnectionsConfig(2, 8, 0, 2_000, 300_000, 250));
    assertThat(pool.timeoutMillis()).isEqualTo(300);
    assertThat(pool.queueTimeoutMillis()).isEqualTo(200);
    assertThat(pool.onFailure()).isEqualTo(OnFailure.MISS);
    assertThat(c.pools().get("local").protocol()).isEqualTo(PoolProtocol.EMBEDDED);
    assertThat(c.pools().get("local").sizeBytes()).isEqualTo(32 << 20);
  }

  /** So that a client that forgot its connection does not hold it for good; nodes may be silent. */
  @Test
  void shouldCloseSilentClientsAfterADayAndNoSilentNode() {
    Configuration unwritten = Loader.parse("f", Samples.SMALL).configuration();
    assertThat(unwritten.listeners().values())
        .isNotEmpty()
        .allSatisfy(each -> assertThat(each.limits().idleMillis()).isEqualTo(86_400_000));
    Configuration written =
        Loader.parse("f", Samples.INTERNODE.replace(", idle: 2h", "")).configuration();
    assertThat(written.listeners().get("ring").limits().idleMillis()).isEqualTo(LimitsConfig.NEVER);
  }

  @Test
  void shouldTakeEverythingOfInternode() {
    Configuration c = Loader.parse("f", Samples.INTERNODE).configuration();
    ListenerConfig ring = c.listeners().get("ring");
    assertThat(ring.protocol()).isEqualTo(ListenerProtocol.INTERNODE);
    assertThat(ring.node()).contains(new Address.Tcp("2001:db8::7", 7000));
    assertThat(ring.limits().connections()).isEqualTo(20);
    assertThat(ring.limits().messageSizeBytes()).isEqualTo(16 << 20);
    assertThat(ring.limits().inFlightBytes()).isEqualTo(1 << 20);
    assertThat(ring.limits().handshakeMillis()).isEqualTo(2_000);
    assertThat(ring.limits().idleMillis()).isEqualTo(7_200_000);
    assertThat(ring.strict()).isTrue();
    assertThat(ring.peers())
        .containsExactly(
            new PeerName("10.2.0.0", 15, NodeName.ANY_PORT),
            new PeerName("10.1.0.9", 32, NodeName.ANY_PORT),
            new PeerName("2001:db8:0:0:0:0:0:9", 128, 7001));
    assertThat(c.listeners().get("plain").node()).isEmpty();
    assertThat(c.listeners().get("plain").strict()).isFalse();
    RuleConfig first = c.routes().get("ring").rules().get(0);
    assertThat(first.match().verbs()).containsExactly("TRUNCATE_REQ", "TCM_COMMIT_REQ");
    assertThat(first.reject()).contains("not from here");
    AddressesConfig addresses = c.routes().get("ring").rules().get(1).addresses();
    assertThat(addresses.from())
        .containsExactly(
            Map.entry(new NodeName("10.1.0.5", -1), new NodeName("127.0.0.11", -1)),
            Map.entry(new NodeName("10.1.0.6", 7000), new NodeName("127.0.0.12", 7001)));
    assertThat(addresses.to())
        .containsExactly(
            Map.entry(new NodeName("2001:db8:0:0:0:0:0:7", -1), new NodeName("127.0.0.2", -1)));
    PoolConfig node2 = c.pools().get("node2");
    assertThat(node2.protocol()).isEqualTo(PoolProtocol.INTERNODE);
    assertThat(node2.framing()).isEqualTo(InternodeFraming.LZ4);
    assertThat(node2.connections().connectTimeoutMillis()).isEqualTo(3_000);
    assertThat(c.pools().get("node3").connections().connectTimeoutMillis()).isEqualTo(2_000);
    assertThat(c.pools().get("node3").framing()).isEqualTo(InternodeFraming.SAME);
  }

  @Test
  void shouldServeAnEmbeddedStoreWithoutAFile() {
    Configuration c = Loader.embeddedDefault("127.0.0.1").configuration();
    ListenerConfig listener = c.listeners().values().iterator().next();
    assertThat(listener.bind().label()).isEqualTo("127.0.0.1:11211");
    assertThat(listener.dialects()).containsExactly(Dialect.values());
    assertThat(c.admin().bind().label()).isEqualTo("127.0.0.1:9901");
    String pool = c.routes().get(listener.route()).rules().get(0).pool().orElseThrow();
    assertThat(c.pools().get(pool).protocol()).isEqualTo(PoolProtocol.EMBEDDED);
    assertThat(c.pools().get(pool).sizeBytes()).isEqualTo(64 << 20);
  }

  @Test
  void shouldServeTheEmbeddedStoreWhereItIsTold() {
    Configuration c = Loader.embeddedDefault("[::]").configuration();
    assertThat(c.admin().bind().label()).isEqualTo("[::]:9901");
    assertThat(Loader.embeddedDefault("::").configuration()).isEqualTo(c);
    assertThat(Loader.embeddedDefault("a:b").isValid()).isFalse();
    assertThat(Loader.embeddedDefault("a b").isValid()).isFalse();
    assertThat(Loader.embeddedDefault("\"\\\n").isValid()).isFalse();
  }

  @Test
  void shouldTakeValuesFromTheEnvironmentAndFromFilesBesideTheConfiguration() throws IOException {
    Files.writeString(directory.resolve("pool.txt"), "10.9.8.7:11211\r\n");
    Path file = directory.resolve("sluice.yaml");
    Files.writeString(
        file,
        Samples.SMALL
            .replace("127.0.0.1:0", "\"127.0.0.1:${env:PORT}\"")
            .replace("[10.0.0.1:11211]", "[\"${file:pool.txt} weight=${env:WEIGHT}\"]")
            .concat("process: {eventLoops: \"${env:LOOPS}\"}\n"));
    Map<String, String> environment = Map.of("PORT", "1234", "WEIGHT", "3", "LOOPS", "7");
    Configuration c = Loader.load(file, environment::get).configuration();
    assertThat(c.listeners().get("cache").bind()).isEqualTo(new Address.Tcp("127.0.0.1", 1234));
    assertThat(c.pools().get("cache").servers())
        .containsExactly(new ServerConfig(new Address.Tcp("10.9.8.7", 11211), 3, "10.9.8.7:11211"));
    assertThat(c.process().eventLoops()).isEqualTo(7);
    assertThat(ConfigurationPrinter.toJson(c))
        .contains("127.0.0.1:${env:PORT}", "${file:pool.txt} weight=${env:WEIGHT}")
        .contains("\"${env:LOOPS}\"")
        .doesNotContain("1234", "10.9.8.7");
  }

  @Test
  void shouldNeverShowAReplacedValueInAProblem() throws IOException {
    Path file = directory.resolve("sluice.yaml");
    Files.writeString(file, "admin: {bind: \"${env:SECRET}\", ready: \"${env:MISSING}\"}\n");
    LoadResult result = Loader.load(file, Map.of("SECRET", "hunter2")::get);
    assertThat(problems(result))
        .contains(
            file
                + ":1:15: admin.bind: found the value of \"${env:SECRET}\", expected host:port or"
                + " [IPv6]:port",
            file
                + ":1:39: admin.ready: found \"${env:MISSING}\", expected the environment variable"
                + " MISSING to be set")
        .noneMatch(p -> p.contains("hunter2"));
  }

  @Test
  void shouldSayWhyAFileCannotBeRead() throws IOException {
    Path missing = directory.resolve("missing.yaml");
    assertThat(problems(Loader.load(missing)))
        .containsExactly(missing + ": found no such file, expected a file that can be read");
    assertThat(problems(Loader.load(directory)))
        .containsExactly(directory + ": found a directory, expected a file that can be read");
    Path latin = directory.resolve("latin.yaml");
    Files.write(latin, "admin: {}\nx: caf\u00e9\n".getBytes(StandardCharsets.ISO_8859_1));
    assertThat(problems(Loader.load(latin)))
        .containsExactly(latin + ":2:7: document: found the byte 0xe9, expected UTF-8");
    Path large = directory.resolve("large.yaml");
    Files.writeString(large, "#".repeat((1 << 20) + 1));
    assertThat(problems(Loader.load(large)))
        .containsExactly(large + ": found more than 1 MiB, expected a configuration file");
  }

  @Test
  void shouldSkipAByteOrderMark() {
    assertThat(Loader.parse("f", "\uFEFF" + Samples.SMALL).isValid()).isTrue();
  }

  @Test
  void shouldFollowAliases() {
    String yaml = Samples.SMALL.replace("route: cache}", "route: cache, limits: &l {inFlight: 3}}");
    yaml = yaml.replace("routes:", "  two: {bind: 127.0.0.1:0, route: cache, limits: *l}\nroutes:");
    assertThat(Loader.parse("f", yaml).configuration().listeners().get("two").limits().inFlight())
        .isEqualTo(3);
  }

  @Test
  void shouldRefuseToHandOutAConfigurationThatIsWrong() {
    LoadResult result = Loader.parse("f", "");
    assertThat(result.isValid()).isFalse();
    assertThatThrownBy(result::configuration)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(problems(result).get(0));
  }

  @Test
  void shouldLeaveBuffersWhatTheHeapDoesNotTake() {
    long mib = 1L << 20;
    assertThat(ProcessConfig.defaultMemoryBytes(512 * mib, 300 * mib)).isEqualTo(112 * mib);
    assertThat(ProcessConfig.defaultMemoryBytes(256 * mib, 200 * mib)).isEqualTo(16 * mib);
    assertThat(ProcessConfig.defaultMemoryBytes(8192 * mib, 300 * mib)).isEqualTo(128 * mib);
  }

  @Test
  void shouldReadWhereServersAreLearnedFrom() {
    LoadResult result = Samples.load(Samples.DISCOVERED);
    Configuration c = result.configuration();
    assertThat(c.pools().get("names").discover())
        .contains(
            new DiscoverConfig(
                DiscoverSource.SRV,
                "_memcached._tcp.cache.default.svc",
                0,
                5_000,
                1,
                Optional.empty()));
    assertThat(c.pools().get("addresses").discover())
        .contains(
            new DiscoverConfig(
                DiscoverSource.DNS,
                "cache.example",
                11_211,
                2_000,
                3,
                Optional.of(new NodeName("2001:db8:0:0:0:0:0:1", 8_600))));
    assertThat(c.pools().get("cluster").discover())
        .contains(
            new DiscoverConfig(
                DiscoverSource.ELASTICACHE, "2001:db8::7", 11_211, 60_000, 1, Optional.empty()));
    assertThat(c.pools().values()).allMatch(pool -> pool.servers().isEmpty());
  }

  @Test
  void shouldWarnWhereARingDependsOnAddresses() {
    assertThat(Samples.load(Samples.DISCOVERED).warnings())
        .singleElement()
        .asString()
        .startsWith("f:8:31: ")
        .contains("pools.addresses.discover.dns: found cache.example:11211, expected srv");
    assertThat(Samples.load(Samples.SMALL).warnings()).isEmpty();
  }

  @Test
  void shouldWarnWhereEveryClientMaySayThatItIsAnother() {
    String yaml =
        """
        listeners: {a: {bind: 127.0.0.1:0, route: r, proxyProtocol: {from: [10.0.0.0/8, %s]}}}
        routes: {r: [{pool: p}]}
        pools: {p: {protocol: embedded}}
        """;
    for (String everybody : List.of("0.0.0.0/0", "\"::/0\"")) {
      LoadResult result = Loader.parse("f", yaml.formatted(everybody));
      assertThat(result.isValid()).isTrue();
      assertThat(result.warnings())
          .singleElement()
          .asString()
          .startsWith("f:1:81: listeners.a.proxyProtocol.from[1]: found " + everybody)
          .endsWith("any client in this range can claim any address");
    }
    assertThat(Loader.parse("f", yaml.formatted("0.0.0.0/1")).warnings()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " -> ",
      value = {
        "1MiB, split: 900KiB -> ",
        "1MiB, split: 1024KiB -> at most 1023KiB, unless all servers",
        "2MiB, split: 1GiB -> at most 1023KiB, unless all servers",
        "64KiB, split: 64KiB -> listeners.l.limits.itemSize, 64KiB: no value is longer",
        "64KiB, 'split: {above: 63KiB}' -> ",
        "64KiB, 'split: {above: 65KiB}' -> listeners.l.limits.itemSize, 64KiB: no value is longer",
      })
  void shouldWarnWhereNoValueCanBeSplitAsWanted(String written, String warned) {
    String[] words = written.replace("'", "").split(", ", 2);
    List<Problem> warnings =
        Samples.load(
                """
                listeners: {l: {bind: "127.0.0.1:1", route: r, limits: {itemSize: %s}}}
                routes: {r: [{pool: p, %s}]}
                pools: {p: {servers: ["127.0.0.1:2"]}}
                """
                    .formatted(words[0], words[1]))
            .warnings();
    if (warned == null) {
      assertThat(warnings).isEmpty();
    } else {
      assertThat(warnings).singleElement().asString().contains("routes.r[0].split", warned);
    }
  }

  @Test
  void shouldTakeTheServersThatWereLearned() {
    Configuration c = Samples.load(Samples.DISCOVERED).configuration();
    ServerConfig learned =
        new ServerConfig(
            new Address.Tcp("10.0.0.1", 11_211), 2, "pod-0:11211", Optional.of("pod-0"));
    Configuration found = c.withServers(Map.of("names", List.of(learned)));
    assertThat(found.pools().get("names").servers()).containsExactly(learned);
    assertThat(found.pools().get("addresses")).isEqualTo(c.pools().get("addresses"));
    assertThat(found.withServers(Map.of("names", List.of()))).isEqualTo(c);
    assertThat(ConfigurationPrinter.toYaml(found)).isEqualTo(ConfigurationPrinter.toYaml(c));
  }

  @Test
  void shouldKnowServersByTheirNames() {
    List<ServerConfig> servers =
        Loader.parse(
                "f",
                """
                listeners: {a: {bind: 127.0.0.1:0, route: r}}
                routes: {r: [{pool: p}]}
                pools: {p: {servers: ["h:1 name=x weight=3", "h:2 weight=2  name=y", "h:3 name=h:1"]}}
                """)
            .configuration()
            .pools()
            .get("p")
            .servers();
    assertThat(servers).extracting(ServerConfig::identity).containsExactly("x", "y", "h:1");
    assertThat(servers).extracting(ServerConfig::weight).containsExactly(3, 2, 1);
    assertThat(servers)
        .extracting(ServerConfig::label)
        .containsExactly("h:1 weight=3 name=x", "h:2 weight=2 name=y", "h:3 name=h:1");
    assertThat(servers.get(2).address()).isEqualTo(new Address.Tcp("h", 3));
  }
}
