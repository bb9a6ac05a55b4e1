package sluice.gateway.client;

import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.gateway.loop.Loop;
import sluice.gateway.near.SingleFlight;

/**
 * Read of another client that a client's current request waits for. The wait has a limit, because
 * the other client may take its reply slowly; then the client reads by itself. Belongs to the
 * client's event loop.
 */
final class AwaitedRead {
  private static final Logger LOG = LoggerFactory.getLogger(AwaitedRead.class);

  /** One wait. The end of a read that a client has given up on no longer concerns it. */
  private final class Wait implements SingleFlight.Waiter {
    private final SingleFlight read;
    private final long until;

    private Wait(SingleFlight read, long until) {
      this.read = read;
      this.until = until;
    }

    @Override
    public void flightEnded(SingleFlight.Result result) {
      try {
        control.channel().eventLoop().execute(() -> ended(this, result));
      } catch (RejectedExecutionException e) {
        LOG.debug("a client waited for a read on an event loop that has ended", e);
      }
    }
  }

  private final ClientControl control;
  private final Loop loop;
  private @Nullable Wait wait; // null while the client does not wait
  private boolean awaited; // whether the current request has waited
  private boolean missed; // whether the read was a miss

  AwaitedRead(ClientControl control, Loop loop) {
    this.control = control;
    this.loop = loop;
  }

  /** As {@link sluice.gateway.dispatch.ClientSession#awaits}. */
  void begin(SingleFlight read, long until) {
    awaited = true;
    wait = new Wait(read, until);
    read.await(wait);
    control.pauseFor(ClientControl.NEAR);
  }

  private void ended(Wait which, SingleFlight.Result result) {
    if (wait != which || !control.lives()) {
      return;
    }
    loop.tick();
    missed = result == SingleFlight.Result.MISSED;
    if (result == SingleFlight.Result.NOT_SENT) {
      awaited = false;
    }
    end();
  }

  /** Ends a wait that has reached its limit: the request is sent. */
  void sweep() {
    if (wait != null && loop.now() - wait.until > 0) {
      wait.read.lastsTooLong();
      end();
    }
  }

  /**
   * The current request is parsed again, and may have another pool now: that the read of the former
   * one is a miss means nothing there.
   */
  void configured() {
    nextRequest();
    if (wait != null) {
      end();
    }
  }

  private void end() {
    wait = null;
    loop.active(); // nothing was read here, but the request may go to a server now, with its limits
    control.goOnFrom(ClientControl.NEAR);
  }

  /** The next request has not waited. */
  void nextRequest() {
    awaited = false;
    missed = false;
  }

  /** Whether the current request has waited. */
  boolean hasAwaited() {
    return awaited;
  }

  /** Whether the read that it has just waited for was a miss; true once. */
  boolean takeMissed() {
    boolean taken = missed;
    missed = false;
    return taken;
  }
}
