package sluice.gateway.samples;

import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;
import sluice.gateway.metrics.Outcome;
import sluice.names.Command;

/**
 * Request that an event loop sampled. Belongs to that loop until it is queued, then to the draining
 * thread until it is released.
 */
final class Sample {
  final KeyNote note = new KeyNote();

  /** Number of requests that this one stands for in the count of keys; 0: for a log only. */
  int weight;

  /** The logs that require it. */
  boolean slow;

  boolean access;

  String listener = "";
  @Nullable SocketAddress client;
  Command command = Command.GET;
  Outcome outcome = Outcome.OK;
  @Nullable String server; // null: there was none
  long epochMillis;
  long requestNanos;
  long serverNanos;

  /** Clears its references. */
  void clear() {
    note.clear();
    weight = 0;
    slow = false;
    access = false;
    listener = "";
    client = null;
    server = null;
  }
}
