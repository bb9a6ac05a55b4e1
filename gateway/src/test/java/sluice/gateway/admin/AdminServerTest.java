package sluice.gateway.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static sluice.gateway.admin.AdminPort.json;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.testkit.Patience;

/** The port, and what changes the state of the process. */
class AdminServerTest {
  @RegisterExtension private final AdminPort port = new AdminPort();
  private final FakeView view = port.view();

  @Test
  void shouldTellWhichPortItIsBoundTo() throws Exception {
    assertThat(port.address()).matches("127\\.0\\.0\\.1:[1-9][0-9]*");
    assertThatThrownBy(
            () ->
                new AdminServer(port.vertx(), view, AdminPort.OPEN)
                    .listen(port.address())
                    .await(10, TimeUnit.SECONDS))
        .isInstanceOf(java.net.BindException.class);
    assertThatThrownBy(() -> port.server().listen("nowhere").await(10, TimeUnit.SECONDS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "found 'nowhere', expected host:port, or [IPv6 address]:port; port 0 for any free one");
  }

  @Test
  void shouldStopListeningWhenClosed() throws Exception {
    port.server().close().await(10, TimeUnit.SECONDS);
    assertThatThrownBy(() -> port.get("/live")).isInstanceOf(java.net.ConnectException.class);
  }

  @Test
  void shouldBeLiveOnceEveryListenerIsBound() throws Exception {
    view.bound = false;
    HttpResponse<String> starting = port.get("/live");
    assertThat(starting.statusCode()).isEqualTo(503);
    assertThat(json(starting).getString("why")).isEqualTo("not every listener is bound yet");

    view.bound = true;
    assertThat(port.get("/live").statusCode()).isEqualTo(200);
  }

  @Test
  void shouldNotBeLiveWhileAnEventLoopIsBlocked() throws Exception {
    Context adminLoop = port.vertx().getOrCreateContext();
    // of another Vert.x, because the admin server's own loop must go on answering
    Vertx traffic = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    Context loop = traffic.getOrCreateContext();
    view.eventLoops = List.of(adminLoop, loop);
    assertThat(Patience.soon(() -> port.get("/live").statusCode() == 200)).isTrue();

    CountDownLatch unblock = new CountDownLatch(1);
    try {
      loop.runOnContext(unused -> awaitUninterruptibly(unblock));
      String why = "1 of 2 event loops did not answer within 1 s";
      // on a busy machine, the other loop may not answer in time either
      assertThat(Patience.soon(() -> port.get("/live").body().contains(why))).isTrue();
      assertThat(port.get("/live").statusCode()).isEqualTo(503);
    } finally {
      unblock.countDown();
    }
    assertThat(Patience.soon(() -> port.get("/live").statusCode() == 200)).isTrue();
    traffic.close().await(10, TimeUnit.SECONDS);
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @ParameterizedTest(name = "{0}, routes matter: {1}, a route unusable: {2} -> {3}")
  @CsvSource({
    "STARTING, false, false, 503",
    "RUNNING, false, false, 200",
    "RUNNING, false, true, 200",
    "RUNNING, true, false, 200",
    "RUNNING, true, true, 503",
    "DRAINING, false, false, 503",
    "DRAINING, true, false, 503"
  })
  void shouldBeReadyAsTheContractSays(
      Readiness.Phase phase, boolean routesMatter, boolean unusable, int status) throws Exception {
    view.readiness =
        new Readiness(
            phase,
            routesMatter,
            unusable ? List.of(new Readiness.UnusableRoute("main", "all servers down")) : List.of(),
            List.of("sluice.yaml:3:1: pools: found 1, expected a map"),
            5);
    HttpResponse<String> answer = port.get("/ready");
    assertThat(answer.statusCode()).isEqualTo(status);
    JsonObject body = json(answer);
    assertThat(body.getBoolean("ready")).isEqualTo(status == 200);
    assertThat(body.getString("phase")).isEqualTo(phase.label());
    assertThat(body.getString("readyMeans")).isEqualTo(routesMatter ? "routes" : "process");
    assertThat(body.getLong("inFlight")).isEqualTo(5);
    assertThat(body.getJsonArray("configurationProblems"))
        .containsExactly("sluice.yaml:3:1: pools: found 1, expected a map");
    assertThat(body.getJsonArray("unusableRoutes"))
        .isEqualTo(
            unusable
                ? new JsonArray()
                    .add(new JsonObject().put("route", "main").put("why", "all servers down"))
                : new JsonArray());
  }

  @Test
  void shouldEjectAndRestoreAServer() throws Exception {
    String server = "?pool=cache&server=10.0.0.1:11211";
    assertThat(port.get("/eject" + server).statusCode()).isEqualTo(405);
    assertThat(port.posted("/eject" + server).statusCode()).isEqualTo(200);
    assertThat(port.posted("/restore" + server).statusCode()).isEqualTo(200);
    assertThat(view.decided).containsExactly("eject 10.0.0.1:11211", "restore 10.0.0.1:11211");

    view.against = "the pool has no 'health'";
    HttpResponse<String> refused = port.posted("/eject" + server);
    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(json(refused).getString("error")).isEqualTo("the pool has no 'health'");
    assertThat(port.posted("/eject?pool=x&server=y").statusCode()).isEqualTo(404);
    assertThat(port.posted("/eject?pool=cache").statusCode()).isEqualTo(400);
    HttpRequest.Builder ofAnotherSite =
        port.request("/eject" + server)
            .header("Sec-Fetch-Site", "cross-site")
            .POST(BodyPublishers.noBody());
    assertThat(port.send(ofAnotherSite).statusCode()).isEqualTo(403);
    assertThat(view.decided).hasSize(3);
  }

  @Test
  void shouldDrainForALoopbackPeer() throws Exception {
    HttpResponse<String> answer = port.posted("/drain");
    assertThat(answer.statusCode()).isEqualTo(202);
    assertThat(json(answer)).isEqualTo(new JsonObject().put("draining", true));
    assertThat(view.drains).hasValue(1);
  }

  @Test
  void shouldNotDrainForAnybodyElse() throws Exception {
    port.isCalledFromElsewhere();
    HttpResponse<String> answer = port.posted("/drain");
    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(json(answer).getString("error")).isEqualTo("accepted only from a loopback peer");
    assertThat(view.drains).hasValue(0);
    assertThat(port.get("/ready").statusCode()).as("reading is for everybody").isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource({
    "http://evil.example, 403",
    "null, 403",
    "http://%ADDRESS%, 202",
    "not an origin, 403"
  })
  void shouldNotDrainForAnotherSitesPage(String origin, int status) throws Exception {
    HttpResponse<String> answer =
        port.send(
            port.request("/drain")
                .header("Origin", origin.replace("%ADDRESS%", port.address()))
                .POST(BodyPublishers.noBody()));
    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(view.drains).hasValue(status == 202 ? 1 : 0);
  }

  @Test
  void shouldTakeAPeerForWhatItIs() throws Exception {
    Optional<InetAddress> outside =
        NetworkInterface.networkInterfaces()
            .flatMap(NetworkInterface::inetAddresses)
            .filter(candidate -> candidate instanceof Inet4Address)
            .filter(candidate -> !candidate.isLoopbackAddress())
            .findFirst();
    assumeTrue(outside.isPresent(), "a machine with an address of its own");
    String bound =
        new AdminServer(port.vertx(), view, AdminPort.OPEN)
            .listen("0.0.0.0:0")
            .await(10, TimeUnit.SECONDS);
    String number = bound.substring(bound.lastIndexOf(':'));

    String other = outside.get().getHostAddress() + number;
    assertThat(drain(other)).isEqualTo(403);
    assertThat(port.send(AdminPort.request(other, "/ready").GET()).statusCode()).isEqualTo(200);
    assertThat(drain("127.0.0.1" + number)).isEqualTo(202);
    assertThat(view.drains).hasValue(1);
  }

  /** The status of the answer to a drain through this address. */
  private int drain(String address) throws Exception {
    HttpRequest.Builder drain = AdminPort.request(address, "/drain").POST(BodyPublishers.noBody());
    return port.send(drain).statusCode();
  }
}
