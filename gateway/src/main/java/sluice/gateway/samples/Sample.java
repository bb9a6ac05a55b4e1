package sluice.gateway.samples;

import java.net.SocketAddress;
import sluice.gateway.metrics.Outcome;
import sluice.names.Command;

/**
 * One request that an event loop picked. Belongs to that loop until it is queued, then to whoever
 * drains the queue, until it is given back.
 */
final class Sample {
  final KeyNote note = new KeyNote();

  /** How many requests this one stands for, of those whose keys are counted; 0: only for a log. */
  int weight;

  /** For which logs. */
  boolean slow;

  boolean access;

  String listener;
  SocketAddress client;
  Command command;
  Outcome outcome;
  String server; // null: none was asked
  long epochMillis;
  long requestNanos;
  long serverNanos;

  /** Lets go of what it refers to. */
  void clear() {
    note.clear();
    weight = 0;
    slow = false;
    access = false;
    listener = null;
    client = null;
    server = null;
  }
}
