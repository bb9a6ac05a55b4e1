package sluice.gateway.server.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.vertx.core.Promise;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.loop.ScarceAllocator;
import sluice.gateway.server.ServerSettings;
import sluice.gateway.server.health.ServerStatus;
import sluice.gateway.server.shared.LoopMailboxes;
import sluice.gateway.server.shared.SharedServers;

/** Two event loops that use one server: the owner has its connections, the sharer uses them. */
final class TwoLoops {
  final ScarceAllocator allocator = new ScarceAllocator();
  final ServerStatus status = new ServerStatus("p", "s");
  final SharingLoop owner;
  final SharingLoop sharer;
  private final List<LoopMailboxes> mailboxes = LoopMailboxes.of(2);

  /** Loops with the same settings, a clock of their own, and a network that is the test's. */
  TwoLoops(
      ServerSettings settings,
      LongSupplier clock,
      BiConsumer<SocketAddress, Promise<NetSocket>> attempts) {
    this(settings, settings, clock, attempts);
  }

  /** As the other, but the loops have settings of their own. */
  TwoLoops(
      ServerSettings owners,
      ServerSettings sharers,
      LongSupplier clock,
      BiConsumer<SocketAddress, Promise<NetSocket>> attempts) {
    SharedServers servers = new SharedServers(2);
    MemoryShare[] memory = MemoryShare.of(2, 64 << 20);
    owner =
        new SharingLoop(
            mailboxes.get(0), servers, memory[0], allocator, status, owners, clock, attempts);
    sharer =
        new SharingLoop(
            mailboxes.get(1), servers, memory[1], allocator, status, sharers, clock, attempts);
  }

  /** How many tasks wait for the owner. */
  int waitingForOwner() {
    return mailboxes.get(0).mailbox().waiting();
  }

  /** How many tasks wait for the sharer. */
  int waitingForSharer() {
    return mailboxes.get(1).mailbox().waiting();
  }

  /** The owner's loop ends: what is on its way there is dropped. */
  void endOwner() {
    mailboxes.get(0).mailbox().close();
  }

  /** Both loops do what they have to do, and what one brings the other, until nothing is left. */
  void run(List<? extends EmbeddedChannel> sockets) {
    for (int i = 0; i < 4; i++) {
      owner.run();
      sharer.run();
      sockets.forEach(EmbeddedChannel::runPendingTasks);
    }
  }

  /** Both loops look for what is overdue. */
  void sweep() {
    owner.sweep();
    sharer.sweep();
  }

  /** Closes the server on both loops, then these sockets; nothing may be left. */
  void close(List<? extends EmbeddedChannel> sockets) {
    owner.server.close();
    sharer.server.close();
    run(sockets);
    sockets.forEach(EmbeddedChannel::finishAndReleaseAll);
    run(sockets);
    assertHoldNothing();
  }

  /** No byte is counted as buffered, and no direct buffer is left. */
  void assertHoldNothing() {
    assertThat(owner.loop.memory().total()).as("bytes counted as buffered").isZero();
    assertThat(allocator.used()).as("direct bytes leaked").isZero();
  }
}
