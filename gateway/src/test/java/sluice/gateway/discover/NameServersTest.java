package sluice.gateway.discover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.resolver.dns.SingletonDnsServerAddressStreamProvider;
import io.netty.util.NetUtil;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import sluice.config.model.NodeName;
import sluice.gateway.net.Sockets;

class NameServersTest {
  private static final long TIMEOUT_MILLIS = 5_000;

  private final TestNameServer server = new TestNameServer();
  private final Vertx vertx = Vertx.vertx();
  private final Context context = vertx.getOrCreateContext();
  private final Optional<NodeName> named = Optional.of(new NodeName("127.0.0.1", server.port()));
  private NameServers nameServers;

  @BeforeEach
  void start() {
    nameServers = waiting(TIMEOUT_MILLIS);
  }

  private NameServers waiting(long millis) {
    return new NameServers(() -> Sockets.resolver(vertx, context), millis);
  }

  /** From now on no answer is waited for longer than that. */
  private void waitNoLongerThan(long millis) throws Exception {
    closeNameServers();
    nameServers = waiting(millis);
  }

  private void closeNameServers() throws Exception {
    on(
        () -> {
          nameServers.close();
          return Future.succeededFuture();
        });
  }

  @AfterEach
  void stop() throws Exception {
    closeNameServers();
    vertx.close().await(10, TimeUnit.SECONDS);
    server.close();
  }

  private <T> T on(Supplier<Future<T>> task) throws Exception {
    Promise<T> done = Promise.promise();
    context.runOnContext(v -> task.get().onComplete(done));
    return done.future().await(20, TimeUnit.SECONDS);
  }

  private List<String> addresses(String host, DnsRecordType... wanted) throws Exception {
    return on(() -> nameServers.addresses(host, named, Set.of(wanted))).stream()
        .map(NetUtil::toAddressString)
        .toList();
  }

  @Test
  void shouldFindAddressesOfBothKinds() throws Exception {
    server.addresses("both.example", "10.0.0.2", "2001:db8::7", "10.0.0.1");
    server.addresses("four.example", "10.0.0.3");
    server.addresses("six.example", "::1");
    assertThat(addresses("both.example"))
        .containsExactlyInAnyOrder("10.0.0.2", "10.0.0.1", "2001:db8::7")
        .endsWith("2001:db8::7");
    assertThat(addresses("four.example")).containsExactly("10.0.0.3");
    assertThat(addresses("six.example", DnsRecordType.A)).containsExactly("::1");
    server.addresses("four.example", "10.0.0.4");
    assertThat(addresses("four.example")).as("asked anew").containsExactly("10.0.0.4");
  }

  @Test
  void shouldFindNothingWhereThereIsNothing() throws Exception {
    server.addresses("empty.example");
    server.services("_x._tcp.example");
    assertThat(addresses("empty.example", DnsRecordType.A, DnsRecordType.AAAA)).isEmpty();
    assertThat(addresses("unknown.example", DnsRecordType.A)).isEmpty();
    assertThat(on(() -> nameServers.services("_x._tcp.example", named))).isEmpty();
    assertThat(on(() -> nameServers.services("_y._tcp.example", named))).isEmpty();
  }

  @Test
  void shouldTellANameServerThatFailsFromOneThatFindsNothing() throws Exception {
    server.addresses("a.example", "10.0.0.1", "::1");
    server.mood(TestNameServer.Mood.FAILING);
    assertThatThrownBy(() -> addresses("a.example"))
        .hasMessage("A of a.example: the name server says ServFail(2)");
    server.mood(TestNameServer.Mood.REFUSING);
    assertThatThrownBy(() -> addresses("a.example"))
        .hasMessage("A of a.example: the name server says Refused(5)");
    assertThatThrownBy(() -> on(() -> nameServers.services("a.example", named)))
        .hasMessage("SRV of a.example: the name server says Refused(5)");
    server.mood(TestNameServer.Mood.CONFUSED);
    assertThatThrownBy(() -> addresses("a.example"))
        .hasMessage("A of a.example: the name server says FormErr(1)");
    server.mood(TestNameServer.Mood.SILENT);
    waitNoLongerThan(300);
    assertThatThrownBy(() -> addresses("a.example"))
        .hasMessage("A of a.example: no name server answers within 300 ms");
    assertThatThrownBy(() -> on(() -> nameServers.services("a.example", named)))
        .hasMessage("SRV of a.example: no name server answers within 300 ms");
  }

  @Test
  void shouldDoWithoutTheKindThatIsNotWanted() throws Exception {
    server.addresses("a.example", "10.0.0.1", "::1");
    waitNoLongerThan(2_000); // which it does for those that are silent
    for (TestNameServer.Mood mood :
        List.of(
            TestNameServer.Mood.FAILING,
            TestNameServer.Mood.REFUSING,
            TestNameServer.Mood.SILENT)) {
      server.mood(TestNameServer.Mood.HELPFUL);
      server.mood(DnsRecordType.AAAA, mood);
      assertThat(addresses("a.example")).containsExactly("10.0.0.1");
      assertThat(addresses("a.example", DnsRecordType.A)).containsExactly("10.0.0.1");
      assertThatThrownBy(() -> addresses("a.example", DnsRecordType.AAAA))
          .hasMessageStartingWith("AAAA of a.example: ");
    }
    server.addresses("a.example");
    assertThatThrownBy(() -> addresses("a.example"))
        .as("none of one kind, and nothing known of the other")
        .hasMessageStartingWith("AAAA of a.example: ");
  }

  @Test
  void shouldFindServices() throws Exception {
    server.services("_m._tcp.example", "10 33 11211 Pod-0.m.example.", "20 0 9 .");
    assertThat(on(() -> nameServers.services("_m._tcp.example", named)))
        .containsExactlyInAnyOrder(
            new ServiceRecord(10, 33, 11_211, "pod-0.m.example"), new ServiceRecord(20, 0, 9, ""));
  }

  @Test
  void shouldRefuseRecordsThatAreNone() {
    server.put("_m._tcp.example", DnsRecordType.SRV, List.of(new byte[] {0, 0, 0}));
    assertThatThrownBy(() -> on(() -> nameServers.services("_m._tcp.example", named)))
        .hasMessage("an answer that is not a DNS message");
  }

  @Test
  void shouldAnswerOrRefuseWhateverARecordHolds() throws Exception {
    Random random = new Random(20_261_121);
    int refused = 0;
    for (int i = 0; i < 300; i++) {
      byte[] data = new byte[random.nextInt(24)];
      random.nextBytes(data);
      if (data.length > 7 && i % 2 == 0) {
        data[6] = (byte) 0xc0; // a name that goes on elsewhere in the answer
      }
      server.put("_m._tcp.example", DnsRecordType.SRV, List.of(data));
      try {
        on(() -> nameServers.services("_m._tcp.example", named));
      } catch (DiscoveryException e) {
        refused++;
      }
    }
    assertThat(refused).isPositive();
  }

  @Test
  void shouldSearchTheDomainsOfTheSystem() throws Exception {
    server.services("_m._tcp.cache.svc.cluster.local", "0 1 11211 pod-0.cluster.local");
    server.addresses("pod-0.svc.cluster.local", "10.0.0.1");
    NameServers searching =
        new NameServers(
            () ->
                Sockets.resolver(vertx, context)
                    .nameServerProvider(
                        new SingletonDnsServerAddressStreamProvider(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port())))
                    .ndots(5)
                    .searchDomains(List.of("default.svc.cluster.local", "svc.cluster.local")),
            TIMEOUT_MILLIS);
    assertThat(on(() -> searching.services("_m._tcp.cache", Optional.empty())))
        .extracting(ServiceRecord::target)
        .containsExactly("pod-0.cluster.local");
    assertThat(on(() -> searching.addresses("pod-0", Optional.empty(), Set.of()))).hasSize(1);
    assertThat(on(() -> searching.addresses("pod-0.", Optional.empty(), Set.of()))).isEmpty();
    on(
        () -> {
          searching.close();
          return Future.succeededFuture();
        });
  }
}
