package sluice.gateway.metrics;

import java.util.List;
import sluice.names.Command;

/**
 * Counters of one event loop for one listener. A caller gets them once from {@link
 * LoopMetrics#listener} and keeps them. Only that loop's thread calls the methods, which allocate
 * nothing.
 */
public final class ListenerMetrics {
  static final List<Command> COMMANDS = List.of(Command.values());
  static final int REQUEST_CELLS = COMMANDS.size() * Outcome.COUNT;

  private final SingleWriterCounters requests = new SingleWriterCounters(REQUEST_CELLS);
  private static final int OPEN = ConnectionOutcome.COUNT;

  private final SingleWriterCounters connections = new SingleWriterCounters(OPEN + 1);
  private final TimeHistogram requestTime = new TimeHistogram();
  private final TimeHistogram gatewayLatency;

  ListenerMetrics(TimeHistogram gatewayLatency) {
    this.gatewayLatency = gatewayLatency;
  }

  /**
   * Records a request that was answered.
   *
   * @param requestNanos the request time, from the arrival of the request's last byte until the
   *     reply's last byte was read. The flush to the client is not included: it follows in the same
   *     loop iteration
   * @param ownNanos the gateway latency: {@code requestNanos} less the time spent waiting for
   *     servers
   */
  public void request(Command command, Outcome outcome, long requestNanos, long ownNanos) {
    request(command, outcome);
    requestTime.record(requestNanos);
    gatewayLatency.record(ownNanos);
  }

  /** Counts a request without a meaningful time: the client left, or it wanted no reply. */
  public void request(Command command, Outcome outcome) {
    requests.add(cell(command, outcome), 1);
  }

  /** Counts a client that connected. */
  public void connectionOpened() {
    connections.add(OPEN, 1);
    began(ConnectionOutcome.ACCEPTED);
  }

  /** Counts a client's connection that closed. */
  public void connectionClosed() {
    connections.add(OPEN, -1);
  }

  /** Counts a client that was refused for a reason. */
  public void connectionRefused(ConnectionOutcome reason) {
    began(reason);
  }

  @SuppressWarnings("EnumOrdinal") // only the running process uses the ordinals
  private void began(ConnectionOutcome outcome) {
    connections.add(outcome.ordinal(), 1);
  }

  /** The number of requests of {@code command} with {@code outcome}; from any thread. */
  public long requests(Command command, Outcome outcome) {
    return requests.get(cell(command, outcome));
  }

  /** Connections that are open now; from any thread. */
  public long connections() {
    return connections.get(OPEN);
  }

  /** The number of connections with that outcome; from any thread. */
  @SuppressWarnings("EnumOrdinal")
  public long connections(ConnectionOutcome outcome) {
    return connections.get(outcome.ordinal());
  }

  /** Only the running process uses the ordinals. */
  @SuppressWarnings("EnumOrdinal")
  static int cell(Command command, Outcome outcome) {
    return command.ordinal() * Outcome.COUNT + outcome.ordinal();
  }

  /** Adds the count of every {@link #cell} to {@code sums}; from any thread. */
  void addRequestsTo(long[] sums) {
    requests.addTo(sums);
  }

  TimeHistogram requestTime() {
    return requestTime;
  }
}
