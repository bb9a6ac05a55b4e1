package sluice.gateway.server.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.server.ExclusivePool;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.connection.Slot;
import sluice.names.Command;

/** Exclusive connections of an owner that its sharer acquires. */
class SharedExclusiveConnectionTest extends SharingTest {
  private static final String ANSWERED_EARLY = "SERVER_ERROR object too large for cache\r\n";

  private ServerConnection borrow() {
    List<ServerConnection> acquired = new ArrayList<>();
    sharer.server.acquire(new Borrower(acquired));
    runBoth();
    assertThat(acquired).hasSize(1);
    return acquired.get(0);
  }

  /** A request that waits for a connection as long as it has none. */
  private record Borrower(List<ServerConnection> acquired) implements ExclusivePool.Acquirer {
    @Override
    public void acquired(ServerConnection connection) {
      acquired.add(connection);
    }

    @Override
    public void refused(String reason) {
      throw new AssertionError(reason);
    }

    @Override
    public boolean isWaiting() {
      return true;
    }
  }

  /** Otherwise one that sends its value slowly is closed although none waits. */
  @Test
  void shouldKnowOnEachLoopWhetherAClientWaitsForAConnection() {
    begin(LONG, LONG);
    SharingLoop.Socket exclusive = owner.socket(Slot.EXCLUSIVE);
    ServerConnection acquired = borrow();
    assertThat(sharer.server.lacksConnections()).isFalse();
    assertThat(owner.server.lacksConnections()).isFalse();

    Borrower waiting = new Borrower(new ArrayList<>());
    owner.server.acquire(waiting);
    assertThat(sharer.server.lacksConnections()).isTrue();
    assertThat(owner.server.lacksConnections()).isTrue();

    owner.server.doesNotWait(waiting);
    assertThat(sharer.server.lacksConnections()).isFalse();
    assertThat(owner.server.lacksConnections()).isFalse();
    sharer.server.release(acquired);
    runBoth();
    exclusive.finishAndReleaseAll();
  }

  private void store(ServerConnection acquired, int length) {
    sharers.ask(acquired, Command.SET, ReplyKind.STORED, "k", "set k 0 0 " + length + "\r\n");
    sharers.say(acquired, "x".repeat(length / 2));
    runBoth();
  }

  /** The loops of a gateway that stops do not end at the same time. */
  @Test
  void shouldNotAccountForWhatALoopThatEndsDrops() {
    begin(LONG, LONG);
    SharingLoop.Socket exclusive = owner.socket(Slot.EXCLUSIVE);
    ServerConnection acquired = borrow();
    sharers.ask(acquired, Command.SET, ReplyKind.STORED, "k", "set k 0 0 5000\r\n");
    sharers.say(acquired, "x".repeat(2_000));
    sharer.run();
    assertThat(loops.waitingForOwner()).isPositive();
    assertThat(sharer.loop.memory().total()).isGreaterThanOrEqualTo(2_000);

    loops.endOwner();
    sharer.run();
    assertThat(sharer.loop.memory().total()).isZero();
    exclusive.finishAndReleaseAll();
  }

  /** What is acquired next must not begin inside a value that the server still waits for. */
  @Test
  void shouldNotLendAConnectionAgainWhoseRequestHasNotLeft() {
    begin(LONG, LONG);
    SharingLoop.Socket exclusive = owner.socket(Slot.EXCLUSIVE);
    ServerConnection acquired = borrow();
    store(acquired, 600_000);
    exclusive.asked();
    exclusive.stuck = true;
    sharers.say(acquired, "x".repeat(150_000));
    runBoth();
    sharers.say(acquired, "x".repeat(150_000) + "\r\n");
    runBoth();
    exclusive.answer(ANSWERED_EARLY);
    runBoth();
    assertThat(sharers.got.toString()).isEqualTo(ANSWERED_EARLY);
    shouldCloseWhenReleased(exclusive, acquired);
  }

  private void shouldCloseWhenReleased(SharingLoop.Socket exclusive, ServerConnection acquired) {
    sharer.server.release(acquired);
    runBoth();
    exclusive.runPendingTasks();
    assertThat(exclusive.isOpen()).isFalse();
    exclusive.finishAndReleaseAll();
  }

  /** The owner's loop has the whole request, and the server has not. */
  @Test
  void shouldNotLendAConnectionAgainWhoseSocketHasNotTakenTheRequest() {
    begin(LONG, LONG);
    SharingLoop.Socket exclusive = owner.socket(Slot.EXCLUSIVE);
    ServerConnection acquired = borrow();
    store(acquired, 100_000);
    exclusive.asked();
    exclusive.stuck = true;
    sharers.say(acquired, "x".repeat(50_000) + "\r\n");
    runBoth();
    exclusive.answer(ANSWERED_EARLY);
    runBoth();
    shouldCloseWhenReleased(exclusive, acquired);
  }

  @Test
  void shouldLendAConnectionAgainThatWasGivenBack() {
    begin(LONG, LONG);
    SharingLoop.Socket exclusive = owner.socket(Slot.EXCLUSIVE);
    for (int i = 0; i < 3; i++) {
      ServerConnection acquired = borrow();
      store(acquired, 600_000);
      sharers.say(acquired, "x".repeat(300_000) + "\r\n");
      runBoth();
      assertThat(exclusive.asked()).hasSize("set k 0 0 600000\r\n\r\n".length() + 600_000);
      exclusive.answer("STORED\r\n");
      runBoth();
      assertThat(sharers.got.toString()).isEqualTo("STORED\r\n".repeat(i + 1));
      sharer.server.release(acquired);
      runBoth();
    }
    assertThat(exclusive.isOpen()).isTrue();
    exclusive.finishAndReleaseAll();
  }
}
