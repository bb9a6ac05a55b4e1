package sluice.gateway.metrics;

import java.util.List;
import sluice.codecs.internode.Framing;
import sluice.names.Verb;

/**
 * Counters of one event loop for one internode listener. A caller gets them once from {@link
 * LoopMetrics#internode} and keeps them. Only that loop's thread counts, which allocates nothing.
 */
public final class InternodeMetrics {
  /** Direction: from initiators, or to servers. */
  enum Way {
    IN,
    OUT
  }

  /** Result for a message. */
  private enum Fate {
    /** Read and forwarded. */
    PASSED,
    /** Read, and removed by a rule. */
    REJECTED,
    /** The gateway's own message: only written. */
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
  private final TimeHistogram gatewayLatency = new TimeHistogram();

  InternodeMetrics() {}

  /** Counts a message of that length that is forwarded. */
  public void passed(Verb verb, long bytes) {
    count(verb, Fate.PASSED, bytes);
  }

  /** Counts a message of that length that a rule removed. */
  public void rejected(Verb verb, long bytes) {
    count(verb, Fate.REJECTED, bytes);
  }

  /** Counts a message of the gateway's own, written to a server. */
  public void injected(Verb verb, long bytes) {
    count(verb, Fate.INJECTED, bytes);
  }

  /** Counts a removed message whose sender got an answer. */
  public void answered() {
    others.add(ANSWERED, 1);
  }

  /** Counts a removed message whose sender wanted an answer and could not get one. */
  public void unanswered() {
    others.add(UNANSWERED, 1);
  }

  /**
   * Counts payloads or params that should contain addresses but did not parse, and stayed
   * unchanged.
   */
  public void addressesUnparsed(long parts) {
    others.add(UNPARSED, parts);
  }

  /**
   * Counts payloads that may contain addresses, of verbs that are not read; they stayed unchanged.
   */
  public void addressesNotRead(long payloads) {
    others.add(NOT_READ, payloads);
  }

  /** Counts a stream whose addresses stay unchanged, from its beginning or from some message on. */
  public void streamUnread() {
    others.add(UNREAD_STREAMS, 1);
  }

  private void count(Verb verb, Fate fate, long bytes) {
    int cell = cell(verb, fate);
    messages.add(cell, 1);
    messageBytes.add(cell, bytes);
  }

  /** Counts frames that were read, and their bytes. */
  public void framesRead(Framing framing, long frames, long bytes) {
    others.add(frameCell(framing, Way.IN), frames);
    others.add(BYTES_READ, bytes);
  }

  /** Counts frames that were written, and their bytes. */
  public void framesWritten(Framing framing, long frames, long bytes) {
    others.add(frameCell(framing, Way.OUT), frames);
    others.add(BYTES_WRITTEN, bytes);
  }

  /** Counts corrupt frames that were dropped. */
  public void framesDropped(long frames) {
    others.add(DROPPED_FRAMES, frames);
  }

  /** Counts a link that was closed because of invalid bytes. */
  public void protocolError() {
    others.add(PROTOCOL_ERRORS, 1);
  }

  /**
   * Records the time that the frames of one loop iteration spent in the gateway.
   *
   * @param nanos from reading the frames to handing them to the server's socket
   */
  public void gatewayLatency(long nanos) {
    gatewayLatency.record(nanos);
  }

  /**
   * Counts a link that begins with a type or changes to it; if it changes to it, {@link
   * #linkClosed} comes first.
   */
  public void linkOpened(LinkType type) {
    others.add(linkCell(type), 1);
    others.add(CONNECTIONS, 1);
  }

  /** Counts the end of a link of a type. */
  public void linkClosed(LinkType type) {
    others.add(linkCell(type), -1);
    others.add(CONNECTIONS, -1);
  }

  /** Counts how a link began. */
  public void began(LinkOutcome outcome) {
    others.add(outcomeCell(outcome), 1);
  }

  /** Links that are open now; from any thread. */
  public long links(LinkType type) {
    return others.get(linkCell(type));
  }

  // Only the running process uses the ordinals.

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

  /** Counters of one listener, summed over all loops. */
  static final class Sums {
    private final long[] messages = new long[MESSAGE_CELLS];
    private final long[] messageBytes = new long[MESSAGE_CELLS];
    private final long[] others = new long[OTHER_CELLS];
    private final TimeSums gatewayLatency = new TimeSums();

    /** Adds one loop's counters; from any thread. */
    void add(InternodeMetrics one) {
      one.messages.addTo(messages);
      one.messageBytes.addTo(messageBytes);
      one.others.addTo(others);
      gatewayLatency.add(one.gatewayLatency);
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

    TimeSums gatewayLatency() {
      return gatewayLatency;
    }
  }
}
