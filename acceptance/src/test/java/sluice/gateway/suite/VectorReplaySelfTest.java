package sluice.gateway.suite;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import sluice.gateway.fixtures.RealMemcached;
import sluice.gateway.fixtures.Vector;

/** What the replay finds, and what it makes of the list of exceptions: on memcached itself. */
class VectorReplaySelfTest {
  private static final Vector.Manifest MANIFEST = Vector.Manifest.read();

  @Test
  void shouldPassACaseThatIsAnsweredAsRecorded() throws Throwable {
    run("text-set", "1.6.18", NONE);
  }

  @Test
  void shouldFailACaseThatIsAnsweredInAnotherWay() {
    assertThatThrownBy(() -> run("text-set-uppercase", "1.6.45", NONE))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("text-set-uppercase, step 0: SET k 0 0 1")
        .hasMessageContaining("expected ERROR\\r\\n\nCLIENT_ERROR bad command line format");
  }

  @Test
  void shouldFailACaseWhoseConnectionIsNotClosed() {
    Vector closing = vector("bin-touch-no-extras");
    Vector.Step step = closing.steps().get(0);
    byte[] request = step.writes().get(0);
    // The same request without what makes the server close: only its NOOP.
    Vector.Step harmless =
        new Vector.Step(
            List.of(lastPacket(request)),
            0,
            Map.of("1.6.18", new Vector.Reply(noopReply(request), true)));
    assertThatThrownBy(() -> run(with(closing, harmless), "1.6.18", NONE))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("and closed");
  }

  @Test
  void shouldFailACaseWithMoreBytesThanRecorded() {
    Vector vector = vector("text-set");
    Vector.Step step = vector.steps().get(0);
    Vector.Step shorter =
        new Vector.Step(
            step.writes(),
            0,
            Map.of("1.6.18", new Vector.Reply("STORED\r".getBytes(US_ASCII), false)));
    assertThatThrownBy(() -> run(with(vector, shorter), "1.6.18", NONE))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("-> STORED\\r\\n");
  }

  @Test
  void shouldPassAnExceptionThatIsOne() throws Throwable {
    run(
        "text-set-uppercase",
        "1.6.45",
        exception("text-set-uppercase", "1.6.18 answers otherwise", "ERROR\r\nERROR\r\nMN\r\n"));
  }

  @Test
  void shouldFailAnExceptionThatIsAnsweredInAThirdWay() {
    assertThatThrownBy(
            () ->
                run(
                    "text-set-uppercase",
                    "1.6.45",
                    exception("text-set-uppercase", "it says so", "ERROR\r\nSTORED\r\nMN\r\n")))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("is not answered as its exception says (it says so)")
        .hasMessageContaining("text-set-uppercase: \"ERROR\\r\\nERROR\\r\\nMN\\r\\n\"");
  }

  @Test
  void shouldAllowATimeToLiveThatLostASecond() {
    String hundred = Escaped.of("VA 1 t100\r\nv\r\n".getBytes(US_ASCII));
    assertThat(VectorReplay.differByASecond(hundred, hundred.replace("t100", "t99"))).isTrue();
    String shorter = Escaped.of("VA 1 t99\r\nv\r\n".getBytes(US_ASCII));
    assertThat(VectorReplay.differByASecond(hundred, shorter)).as("a byte less").isTrue();
    String later = Escaped.of("VA 1 t98\r\nv\r\n".getBytes(US_ASCII));
    assertThat(VectorReplay.differByASecond(hundred, later)).isFalse();
    String other = Escaped.of("VA 1 t99\r\nw\r\n".getBytes(US_ASCII));
    assertThat(VectorReplay.differByASecond(hundred, other)).isFalse();
  }

  @Test
  void shouldAllowAnAgeThatGainedASecond() {
    String fresh = Escaped.of("HD h1 l0 t-1\r\n".getBytes(US_ASCII));
    assertThat(VectorReplay.differByASecond(fresh, fresh.replace("l0", "l1"))).isTrue();
    assertThat(VectorReplay.differByASecond(fresh, fresh.replace("l0", "l2"))).isFalse();
    assertThat(VectorReplay.differByASecond(fresh.replace("l0", "l1"), fresh)).isFalse();
    assertThat(VectorReplay.differByASecond(fresh, fresh.replace("h1", "h0"))).isFalse();
    String last = Escaped.of("HD t-1 l0\r\n".getBytes(US_ASCII));
    assertThat(VectorReplay.differByASecond(last, last.replace("l0", "l1"))).isTrue();
    String debug = Escaped.of("ME k exp=-1 la=0 cas=2\r\n".getBytes(US_ASCII));
    assertThat(VectorReplay.differByASecond(debug, debug.replace("la=0", "la=1"))).isTrue();
  }

  private static VectorExceptions exception(String name, String reason, String answer) {
    return new VectorExceptions(
        Map.of(name, reason),
        Map.of(),
        Map.of(name, List.of(new Vector.Reply(answer.getBytes(US_ASCII), false))));
  }

  @Test
  void shouldFailAnExceptionThatIsNoneAnyMore() {
    assertThatThrownBy(
            () -> run("text-set", "1.6.18", exception("text-set", "it was so once", "STORED\r\n")))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("must not name it any more: it was so once");
  }

  @Test
  void shouldReplayOrNameEveryCaseOfTheManifest() {
    for (String file :
        List.of("exceptions-gateway.txt", "exceptions-embedded.txt", "exceptions-login.txt")) {
      VectorExceptions exceptions = VectorExceptions.read(file, MANIFEST);
      long leftOut =
          MANIFEST.vectors().stream()
              .filter(vector -> exceptions.profiles().containsKey(vector.profile()))
              .count();
      assertThat(exceptions.replayable(MANIFEST).size() + leftOut).isEqualTo(629);
      assertThat(exceptions.cases().size()).as("a short list").isLessThan(40);
    }
  }

  private static final VectorExceptions NONE = new VectorExceptions(Map.of(), Map.of(), Map.of());

  private static void run(String name, String version, VectorExceptions exceptions)
      throws Throwable {
    run(vector(name), version, exceptions);
  }

  private static void run(Vector vector, String version, VectorExceptions exceptions)
      throws Throwable {
    VectorReplay replay =
        new VectorReplay(
            DirectMemcached::new,
            VectorReplaySelfTest::freshServer,
            version,
            Duration.ofMillis(300));
    for (DynamicTest test : replay.tests(List.of(vector), exceptions)) {
      test.getExecutable().execute();
    }
  }

  private static AutoCloseable freshServer(Topology topology, String listener, Vector vector) {
    RealMemcached server = RealMemcached.start();
    topology.servers(listener, server);
    return server;
  }

  private static Vector vector(String name) {
    return MANIFEST.vectors().stream()
        .filter(vector -> vector.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static Vector with(Vector vector, Vector.Step step) {
    return new Vector(
        vector.name(), vector.protocol(), vector.profile(), false, 0, List.of(), List.of(step));
  }

  private static byte[] lastPacket(byte[] request) {
    return Arrays.copyOfRange(request, request.length - 24, request.length);
  }

  private static byte[] noopReply(byte[] request) {
    byte[] reply = lastPacket(request);
    reply[0] = (byte) 0x81;
    return reply;
  }
}
