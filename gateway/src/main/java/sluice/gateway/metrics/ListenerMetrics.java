package sluice.gateway.metrics;

import java.util.List;
import sluice.names.Command;

/**
 * What one event loop counts for one listener. Got once from {@link LoopMetrics#listener} and kept;
 * every method is called by that loop's thread only and allocates nothing.
 */
public final class ListenerMetrics {
  static final List<Command> COMMANDS = List.of(Command.values());
  static final int REQUEST_CELLS = COMMANDS.size() * Outcome.COUNT;

  private final SingleWriterCounters requests = new SingleWriterCounters(REQUEST_CELLS);
  private static final int OPEN = ConnectionOutcome.COUNT;

  private final SingleWriterCounters connections = new SingleWriterCounters(OPEN + 1);
  private final TimeHistogram requestTime = new TimeHistogram();
  private final TimeHistogram ownTime;

  ListenerMetrics(TimeHistogram ownTime) {
    this.ownTime = ownTime;
  }

  /**
   * A request that was answered.
   *
   * @param requestNanos the client's view: from the arrival of the request's last byte to the
   *     reply's last byte having been read; not the flush to the client, which follows in the same
   *     turn of the event loop
   * @param ownNanos the part of it that the gateway added: {@code requestNanos} less the time spent
   *     waiting for servers
   */
  public void request(Command command, Outcome outcome, long requestNanos, long ownNanos) {
    request(command, outcome);
    requestTime.record(requestNanos);
    ownTime.record(ownNanos);
  }

  /** A request without a time worth measuring: the client left, or it wanted no reply. */
  public void request(Command command, Outcome outcome) {
    requests.add(cell(command, outcome), 1);
  }

  /** A client connected. */
  public void connectionOpened() {
    connections.add(OPEN, 1);
    began(ConnectionOutcome.ACCEPTED);
  }

  /** A client's connection closed. */
  public void connectionClosed() {
    connections.add(OPEN, -1);
  }

  /** A client was refused, for that reason. */
  public void connectionRefused(ConnectionOutcome reason) {
    began(reason);
  }

  @SuppressWarnings("EnumOrdinal") // lives no longer than the process
  private void began(ConnectionOutcome outcome) {
    connections.add(outcome.ordinal(), 1);
  }

  /** Of {@code command} with {@code outcome} so far; from any thread. */
  public long requests(Command command, Outcome outcome) {
    return requests.get(cell(command, outcome));
  }

  /** Open now; from any thread. */
  public long connections() {
    return connections.get(OPEN);
  }

  /** So many connections have begun that way so far; from any thread. */
  @SuppressWarnings("EnumOrdinal")
  public long connections(ConnectionOutcome outcome) {
    return connections.get(outcome.ordinal());
  }

  /** The order of declaration decides an index for as long as the process runs, no longer. */
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
