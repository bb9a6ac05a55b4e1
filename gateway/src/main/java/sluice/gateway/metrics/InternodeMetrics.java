package sluice.gateway.metrics;

import java.util.List;
import sluice.codecs.internode.Framing;
import sluice.names.Verb;

/**
 * What one event loop counts for one internode listener. Got once from {@link
 * LoopMetrics#internode} and kept; what counts is called by that loop's thread only and allocates
 * nothing.
 */
public final class InternodeMetrics {
  /** From initiators, or to servers. */
  enum Way {
    IN,
    OUT
  }

  /** What became of a message. */
  private enum Fate {
    /** Read, and written. */
    PASSED,
    /** Read, and taken out by a rule. */
    REJECTED,
    /** The gateway's own: only written. */
    INJECTED;

    static final int COUNT = values().length;
  }

  static final List<Verb> VERBS = List.of(Verb.values());
  static final List<Framing> FRAMINGS = List.of(Framing.values());
  private static final int MESSAGE_CELLS = VERBS.size() * Fate.COUNT;

  private static final int BYTES_READ = 0;
  private static final int BYTES_WRITTEN = 1;
  private static final int DROPPED_FRAMES = 2;
  private static final int PROTOCOL_ERRORS = 3;
  private static final int CONNECTIONS = 4;
  private static final int ANSWERED = 5;
  private static final int UNANSWERED = 6;
  private static final int UNPARSED = 7;
  private static final int NOT_READ = 8;
  private static final int UNREAD_STREAMS = 9;
  private static final int FRAMES = 10;
  private static final int LINKS = FRAMES + 2 * Framing.values().length;
  private static final int OUTCOMES = LINKS + LinkType.COUNT;
  private static final int OTHER_CELLS = OUTCOMES + LinkOutcome.COUNT;

  private final SingleWriterCounters messages = new SingleWriterCounters(MESSAGE_CELLS);
  private final SingleWriterCounters messageBytes = new SingleWriterCounters(MESSAGE_CELLS);
  private final SingleWriterCounters others = new SingleWriterCounters(OTHER_CELLS);
  private final TimeHistogram ownTime = new TimeHistogram();

  InternodeMetrics() {}

  /** A message of so many bytes was read, and goes on. */
  public void passed(Verb verb, long bytes) {
    count(verb, Fate.PASSED, bytes);
  }

  /** A message of so many bytes was read, and a rule took it out. */
  public void rejected(Verb verb, long bytes) {
    count(verb, Fate.REJECTED, bytes);
  }

  /** A message of the gateway's own was written to a server. */
  public void injected(Verb verb, long bytes) {
    count(verb, Fate.INJECTED, bytes);
  }

  /** Whoever sent a message that a rule took out was told. */
  public void answered() {
    others.add(ANSWERED, 1);
  }

  /** Whoever sent a message that a rule took out wanted to be told, and could not. */
  public void unanswered() {
    others.add(UNANSWERED, 1);
  }

  /** Payloads or params that ought to have addresses did not parse, and stayed as they were. */
  public void addressesUnparsed(long parts) {
    others.add(UNPARSED, parts);
  }

  /** Payloads of verbs that are not read, and may have addresses, stayed as they were. */
  public void addressesNotRead(long payloads) {
    others.add(NOT_READ, payloads);
  }

  /** The addresses of a stream stay as they are, from its beginning or from some message on. */
  public void streamUnread() {
    others.add(UNREAD_STREAMS, 1);
  }

  private void count(Verb verb, Fate fate, long bytes) {
    int cell = cell(verb, fate);
    messages.add(cell, 1);
    messageBytes.add(cell, bytes);
  }

  /** Frames with so many bytes were read. */
  public void framesRead(Framing framing, long frames, long bytes) {
    others.add(frameCell(framing, Way.IN), frames);
    others.add(BYTES_READ, bytes);
  }

  /** Frames with so many bytes were written. */
  public void framesWritten(Framing framing, long frames, long bytes) {
    others.add(frameCell(framing, Way.OUT), frames);
    others.add(BYTES_WRITTEN, bytes);
  }

  /** Corrupt frames were left out. */
  public void framesDropped(long frames) {
    others.add(DROPPED_FRAMES, frames);
  }

  /** A link was closed because of what it carried. */
  public void protocolError() {
    others.add(PROTOCOL_ERRORS, 1);
  }

  /**
   * What frames were read for in one turn of the event loop has left.
   *
   * @param nanos from their being read to their having been given to the server's socket
   */
  public void ownTime(long nanos) {
    ownTime.record(nanos);
  }

  /** A link began, of a type, or is of another type now: {@link #linkClosed} that first. */
  public void linkOpened(LinkType type) {
    others.add(linkCell(type), 1);
    others.add(CONNECTIONS, 1);
  }

  /** A link of a type ended. */
  public void linkClosed(LinkType type) {
    others.add(linkCell(type), -1);
    others.add(CONNECTIONS, -1);
  }

  /** How a link began. */
  public void began(LinkOutcome outcome) {
    others.add(outcomeCell(outcome), 1);
  }

  /** Open now; from any thread. */
  public long links(LinkType type) {
    return others.get(linkCell(type));
  }

  // The order of declaration decides an index for as long as the process runs, no longer.

  @SuppressWarnings("EnumOrdinal")
  private static int cell(Verb verb, Fate fate) {
    return verb.ordinal() * Fate.COUNT + fate.ordinal();
  }

  @SuppressWarnings("EnumOrdinal")
  private static int frameCell(Framing framing, Way way) {
    return FRAMES + framing.ordinal() * 2 + way.ordinal();
  }

  @SuppressWarnings("EnumOrdinal")
  private static int linkCell(LinkType type) {
    return LINKS + type.ordinal();
  }

  @SuppressWarnings("EnumOrdinal")
  private static int outcomeCell(LinkOutcome outcome) {
    return OUTCOMES + outcome.ordinal();
  }

  /** Of one listener, the counts of all loops together. */
  static final class Sums {
    private final long[] messages = new long[MESSAGE_CELLS];
    private final long[] messageBytes = new long[MESSAGE_CELLS];
    private final long[] others = new long[OTHER_CELLS];
    private final TimeSums ownTime = new TimeSums();

    /** Adds what one loop counted; from any thread. */
    void add(InternodeMetrics one) {
      one.messages.addTo(messages);
      one.messageBytes.addTo(messageBytes);
      one.others.addTo(others);
      ownTime.add(one.ownTime);
    }

    long messages(Verb verb, Way way) {
      return sum(messages, verb, way);
    }

    long messageBytes(Verb verb, Way way) {
      return sum(messageBytes, verb, way);
    }

    private static long sum(long[] cells, Verb verb, Way way) {
      Fate other = way == Way.IN ? Fate.REJECTED : Fate.INJECTED;
      return cells[cell(verb, Fate.PASSED)] + cells[cell(verb, other)];
    }

    long rejected(Verb verb) {
      return messages[cell(verb, Fate.REJECTED)];
    }

    long frames(Framing framing, Way way) {
      return others[frameCell(framing, way)];
    }

    long bytes(Way way) {
      return others[way == Way.IN ? BYTES_READ : BYTES_WRITTEN];
    }

    long droppedFrames() {
      return others[DROPPED_FRAMES];
    }

    long protocolErrors() {
      return others[PROTOCOL_ERRORS];
    }

    long answered() {
      return others[ANSWERED];
    }

    long unanswered() {
      return others[UNANSWERED];
    }

    long addressesUnparsed() {
      return others[UNPARSED];
    }

    long addressesNotRead() {
      return others[NOT_READ];
    }

    long unreadStreams() {
      return others[UNREAD_STREAMS];
    }

    long connections() {
      return others[CONNECTIONS];
    }

    long links(LinkType type) {
      return others[linkCell(type)];
    }

    long outcomes(LinkOutcome outcome) {
      return others[outcomeCell(outcome)];
    }

    TimeSums ownTime() {
      return ownTime;
    }
  }
}
