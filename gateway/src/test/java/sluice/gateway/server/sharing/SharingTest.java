package sluice.gateway.server.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.time.Clocks;

/** Two event loops, one with a connection and its sharer, which do their work in any order. */
abstract class SharingTest {
  static final long MILLI = 1_000_000;
  static final long LONG = TimeUnit.HOURS.toNanos(1);

  TwoLoops loops;
  SharingLoop owner;
  SharingLoop sharer;
  SharingLoop.Socket socket; // the owner's
  ServerConnection pipe; // the sharer's
  SharingLoop.Client owners;
  SharingLoop.Client sharers;

  /** Begins anew: with a response timeout, and when the owner checks a silent connection. */
  final void begin(long timeoutNanos, long ownerAsksAfterNanos) {
    loops =
        new TwoLoops(
            SharingLoop.settings(timeoutNanos, Long.MAX_VALUE, ownerAsksAfterNanos),
            SharingLoop.settings(timeoutNanos, Long.MAX_VALUE, LONG),
            Clocks::nanos,
            (address, attempt) -> attempt.fail("there is no network"));
    owner = loops.owner;
    sharer = loops.sharer;
    socket = owner.socket(0);
    owners = owner.new Client();
    sharers = sharer.new Client();
    sharer.server.warmUp();
    runBoth();
    pipe = sharer.server.connection(0);
    assertThat(pipe).isNotNull();
  }

  final void runBoth() {
    loops.run(List.of());
    socket.runPendingTasks();
    owner.run();
    sharer.run();
  }

  @AfterEach
  void shouldHoldNothing() {
    owner.server.close();
    sharer.server.close();
    socket.finishAndReleaseAll();
    runBoth();
    loops.assertHoldNothing();
  }

  static String found(String key, String value) {
    return "VALUE " + key + " 0 " + value.length() + "\r\n" + value + "\r\nEND\r\n";
  }
}
