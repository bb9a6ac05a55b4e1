package sluice.perf.simulation.system;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Sockets of one event loop, and those of them that are ready. */
final class SimulatedSockets implements IoHandler {
  /** Socket that an event loop handles. */
  interface Handled {
    /** Handles what is ready, on the event loop. */
    void handle();

    /** Closes the socket, because its event loop ends. */
    void closeNow();
  }

  private final SimulatedEventLoop loop;
  private final Set<Handled> registered = new LinkedHashSet<>();
  private final List<Handled> ready = new ArrayList<>();
  private final List<Handled> handled = new ArrayList<>();
  private @Nullable IoHandlerContext context; // null before the first iteration

  SimulatedSockets(SimulatedEventLoop loop) {
    this.loop = loop;
  }

  void add(Handled socket) {
    registered.add(socket);
  }

  void remove(Handled socket) {
    registered.remove(socket);
    ready.remove(socket);
  }

  /** Handles socket in the next iteration. */
  void isReady(Handled socket) {
    if (registered.contains(socket) && !ready.contains(socket)) {
      ready.add(socket);
      loop.wake();
    }
  }

  void describe(List<String> into) {
    registered.forEach(socket -> into.add(loop + ": " + socket));
  }

  void closeAll() {
    List.copyOf(registered).forEach(Handled::closeNow);
    ready.clear();
  }

  /** Whether the loop may sleep. */
  boolean canBlock() {
    return ready.isEmpty() && (context == null || context.canBlock());
  }

  @Override
  public int run(IoHandlerContext of) {
    context = of;
    handled.clear();
    handled.addAll(ready);
    ready.clear();
    int count = handled.size();
    while (!handled.isEmpty()) { // in any order
      int last = handled.size() - 1;
      int picked = loop.simulator().timing().nextInt(last + 1);
      Handled socket = handled.get(picked);
      handled.set(picked, handled.get(last));
      handled.remove(last);
      if (registered.contains(socket)) {
        try {
          socket.handle();
        } catch (RuntimeException | Error e) {
          loop.simulator().failed("a socket's handling failed", e);
        }
      }
    }
    return count;
  }

  @Override
  public IoRegistration register(IoHandle handle) {
    throw new UnsupportedOperationException("found a handle, expected a simulated channel");
  }

  @Override
  public void wakeup() {
    loop.wake();
  }

  @Override
  public boolean isCompatible(Class<? extends IoHandle> handleType) {
    return false;
  }
}
