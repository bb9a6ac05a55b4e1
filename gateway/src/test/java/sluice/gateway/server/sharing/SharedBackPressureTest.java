package sluice.gateway.server.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import sluice.gateway.server.GrowingValue;
import sluice.gateway.server.ServerWaiter;

/** Clients, servers and event loops that keep others of a shared connection waiting. */
class SharedBackPressureTest extends SharingTest {
  /** Requests of others keep the queue from ever being empty: that is no reason to wait. */
  @Test
  void shouldTellThoseWhoWaitForAServerThatItIsThereThoughOthersUseIt() {
    begin(LONG, -1); // the server is always checked first
    List<String> told = new ArrayList<>();
    assertThat(owner.server.connection(0)).isNull();
    owner.server.await(waiter(told));
    assertThat(socket.asked()).isEqualTo("version\r\n");
    sharers.get(pipe, "g");
    sharer.run();
    assertThat(socket.asked()).endsWith("get g\r\n");
    socket.answer("VERSION 1.6.18\r\n");
    assertThat(told).containsExactly("changed");
    socket.answer(found("g", "x"));
    runBoth();
  }

  private static ServerWaiter waiter(List<String> told) {
    return new ServerWaiter() {
      @Override
      public void serverChanged() {
        told.add("changed");
      }

      @Override
      public void serverTooLate(String reason) {
        told.add(reason);
      }

      @Override
      public long waitingSince() {
        return System.nanoTime();
      }
    };
  }

  /** What was not read because of an owner's client is not the server's silence. */
  @Test
  void shouldNotBlameAServerForTheTimeAHostDoesNotRead() throws Exception {
    long timeout = 300 * MILLI;
    for (boolean sure = false; !sure; ) {
      begin(timeout, LONG);
      owners.get(socket.connection, "h");
      owner.run();
      sharers.get(pipe, "g");
      runBoth();
      String reply = found("g", "value");
      owners.full(true);
      socket.answer(found("h", "x") + reply.substring(0, 16));
      runBoth();
      assertThat(socket.config().isAutoRead()).isFalse();
      TimeUnit.NANOSECONDS.sleep(timeout + 50 * MILLI);
      owner.loop.tick();
      long resumed = System.nanoTime();
      owners.full(false);
      sharer.sweep();
      sure = sharer.loop.now() - resumed < timeout / 2; // or this machine was busy
      if (sure) {
        socket.answer(reply.substring(16));
        runBoth();
        assertThat(sharers.got.toString()).isEqualTo(reply);
      } else {
        shouldHoldNothing();
      }
    }
  }

  /** A sharer that is far behind with reading costs the owner's clients a part of the timeout. */
  @Test
  void shouldAnswerAHostsClientThoughAGuestIsBehind() throws Exception {
    begin(1000 * MILLI, LONG);
    sharers.get(pipe, "g");
    runBoth();
    owners.get(socket.connection, "h");
    owner.run();
    socket.answer(
        "VALUE g 0 3000000\r\n" + "x".repeat(1_500_000)); // which the sharer has yet to read
    assertThat(socket.config().isAutoRead()).isFalse();
    TimeUnit.MILLISECONDS.sleep(70);
    owner.sweep();
    assertThat(socket.config().isAutoRead()).as("it is read on").isTrue();
    socket.answer("x".repeat(1_500_000) + "\r\nEND\r\n" + found("h", "x"));
    assertThat(owners.got.toString()).isEqualTo(found("h", "x"));
  }

  /** The connection that replaces one for a while is the only one in the end. */
  @Test
  void shouldCloseAConnectionThatAnotherHasReplaced() {
    begin(LONG, LONG);
    owners.get(socket.connection, "h");
    owner.run();
    owners.full(true);
    socket.answer(found("h", "x"));
    owners.full(false); // before the other is there: it takes requests again
    SharingLoop.Socket other = owner.socket(0);
    runBoth();
    other.runPendingTasks();
    socket.runPendingTasks();
    runBoth();
    socket.runPendingTasks();
    assertThat(socket.isOpen()).isFalse();
    assertThat(other.isOpen()).isTrue();
    other.finishAndReleaseAll();
  }

  /** Work on values is no slow client: others use the connection on, and none is made beside it. */
  @Test
  void shouldNotDismissAGuestThatWorksOnAValue() {
    begin(LONG, LONG);
    sharers.getGrown(pipe, "a");
    sharers.getGrown(pipe, "b");
    sharers.get(pipe, "c");
    runBoth();
    String reply = found("c", "z".repeat(300_000));
    List<Boolean> reads = new ArrayList<>();
    GrowingValue.growBy(5 << 20);
    try {
      socket.answer(found("a", "x") + found("b", "y"));
      sharer
          .loop
          .eventLoop()
          .execute( // before the sharer reads on
              () -> {
                reads.add(pipe.channel().config().isAutoRead());
                socket.answer(reply.substring(0, 200_000));
                reads.add(socket.connection.isAccepting());
              });
      runBoth();
    } finally {
      GrowingValue.growBy(1);
    }
    assertThat(reads).containsExactly(false, true);
    socket.answer(reply.substring(200_000));
    runBoth();
    assertThat(sharers.waiting).isEmpty();
    assertThat(sharers.got.toString().endsWith(reply)).isTrue();
    assertThat(pipe.isAccepting()).isTrue();
  }

  // --- loops that stand still -----------------------------------------------------------------

  /** A loop that does nothing for a while is handed a megabyte of replies, and then no more. */
  @Test
  void shouldReadNoMoreForAGuestThatStandsStillThanItMayOwe() {
    begin(LONG, LONG);
    sharers.get(pipe, "g");
    runBoth();
    int read = 16 * 1024;
    String reply = found("g", "x".repeat(200 * read));
    int sent = 0;
    long most = 0;
    for (; sent < reply.length() && socket.config().isAutoRead(); sent += read) {
      socket.answer(reply.substring(sent, sent + read));
      most = Math.max(most, owner.loop.memory().total());
    }
    assertThat(most).isBetween(1L << 20, (1L << 20) + 2L * read);
    while (sent < reply.length()) {
      runBoth();
      assertThat(socket.config().isAutoRead()).isTrue();
      int next = Math.min(sent + read, reply.length());
      socket.answer(reply.substring(sent, next));
      sent = next;
    }
    runBoth();
    assertThat(sharers.got.toString().equals(reply)).isTrue();
  }

  /** What waits for a loop that does nothing is little, and then its sharers' clients wait. */
  @Test
  void shouldSendNoMoreToAHostThatStandsStillThanItsSocketMayOwe() {
    begin(LONG, LONG);
    StringBuilder asked = new StringBuilder();
    StringBuilder replies = new StringBuilder();
    for (int i = 0; pipe.channel().isWritable() && asked.length() < 1 << 20; i++) {
      String key = "key" + i;
      sharers.get(pipe, key);
      sharer.run(); // one request a turn: as many batches as can be
      asked.append("get ").append(key).append("\r\n");
      replies.append(found(key, key));
    }
    assertThat(pipe.channel().isWritable()).isFalse();
    assertThat(sharer.loop.memory().total()).isLessThan((128 + 64 + 1) * 1024);
    assertThat(loops.waitingForOwner()).isLessThan((128 * 1024) / "get key0\r\n".length());
    StringBuilder heard = new StringBuilder();
    for (int i = 0; i < 100; i++) {
      runBoth();
      heard.append(socket.asked());
    }
    assertThat(heard.toString()).isEqualTo(asked.toString());
    socket.answer(replies.toString());
    runBoth();
    assertThat(sharers.got.toString()).isEqualTo(replies.toString());
  }

  /** However often a connection stops and goes on for the owner's clients meanwhile. */
  @Test
  void shouldTellAGuestThatStandsStillOnceThatItIsToGoElsewhere() {
    begin(LONG, LONG);
    for (int i = 0; i < 200; i++) {
      owners.get(socket.connection, "h");
      owner.run();
      owners.full(true);
      socket.answer(found("h", "x"));
      owners.full(false);
    }
    assertThat(loops.waitingForSharer()).isBetween(1, 2);
    runBoth();
    assertThat(pipe.isOpen()).isFalse();
  }
}
