package sluice.gateway.discover;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.dns.AddressResolverOptions;
import io.vertx.core.net.NetServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Names of listed servers, which are looked up as other programs of the machine do it. */
class SystemNamesTest {
  private static final String OF_A_POD =
      """
      # written by the kubelet
      search default.svc.cluster.local svc.cluster.local cluster.local
      nameserver 10.96.0.10
      options ndots:5
      """;

  @TempDir private Path directory;

  private AddressResolverOptions options(String file) throws IOException {
    return SystemNames.options(Files.writeString(directory.resolve("resolv.conf"), file));
  }

  /** The address that a client connects to which is told to connect to the name. */
  private static String connected(AddressResolverOptions options, String name) throws Exception {
    Vertx vertx = Vertx.vertx(new VertxOptions().setAddressResolverOptions(options));
    try {
      NetServer server =
          vertx
              .createNetServer()
              .connectHandler(socket -> {})
              .listen(0, "127.0.0.1")
              .await(60, TimeUnit.SECONDS);
      return vertx
          .createNetClient()
          .connect(server.actualPort(), name)
          .await(60, TimeUnit.SECONDS)
          .remoteAddress()
          .hostAddress();
    } finally {
      vertx.close().await(60, TimeUnit.SECONDS);
    }
  }

  /** Else name servers outside of a cluster are asked for the cluster's own names. */
  @Test
  void shouldSearchFirstForNamesWithFewDots() throws Exception {
    try (TestNameServer names = new TestNameServer()) {
      names.addresses("cache-0.cache", "127.0.0.2"); // where there is no server
      names.addresses("cache-0.cache.default.svc.cluster.local", "127.0.0.1");
      AddressResolverOptions options =
          options(OF_A_POD).setServers(List.of(names.address())).setQueryTimeout(60_000);
      assertThat(connected(options, "cache-0.cache")).isEqualTo("127.0.0.1");
    }
  }

  @Test
  void shouldAskTheLastOfSeveralNameServers() throws Exception {
    List<TestNameServer> all = new ArrayList<>();
    try {
      for (int i = 0; i < 5; i++) {
        TestNameServer names = new TestNameServer();
        all.add(names);
        names.addresses("cache-0.cache", "127.0.0.1");
        names.mood(i < 4 ? TestNameServer.Mood.FAILING : TestNameServer.Mood.HELPFUL);
      }
      AddressResolverOptions options =
          options("")
              .setServers(all.stream().map(TestNameServer::address).toList())
              .setQueryTimeout(60_000);
      assertThat(connected(options, "cache-0.cache.")).isEqualTo("127.0.0.1");
    } finally {
      all.forEach(TestNameServer::close);
    }
  }

  /** Else a container that was started anew is missed for the ten minutes of Docker's records. */
  @Test
  void shouldNotKeepAddressesForLong() throws Exception {
    assertThat(options(OF_A_POD).getCacheMaxTimeToLive()).isEqualTo(30);
  }

  @Test
  void shouldReadTheFileAsTheSystemDoes() throws Exception {
    AddressResolverOptions pod = options(OF_A_POD);
    assertThat(pod.getSearchDomains())
        .containsExactly("default.svc.cluster.local", "svc.cluster.local", "cluster.local");
    assertThat(pod.getNdots()).isEqualTo(5);
    assertThat(options("search a.example\ndomain b.example \n").getSearchDomains())
        .as("the last one counts")
        .containsExactly("b.example");
    AddressResolverOptions stub = options("options\tedns0 ndots:3 trust-ad\nsearch .\n");
    assertThat(stub.getNdots()).isEqualTo(3);
    assertThat(stub.getSearchDomains()).isEmpty();
    assertThat(options("options ndots:99").getNdots()).isEqualTo(15);
    assertThat(options("options ndots:0").getNdots()).isEqualTo(1);
  }

  @Test
  void shouldDoWithoutTheFile() throws Exception {
    for (AddressResolverOptions options :
        List.of(
            options("\nsearch\n;search c.example\n#options ndots:7\nsearching d.example\n"),
            SystemNames.options(directory.resolve("none")),
            SystemNames.options(directory))) {
      assertThat(options.getSearchDomains()).isNull();
      assertThat(options.getNdots()).isEqualTo(new AddressResolverOptions().getNdots());
    }
  }
}
