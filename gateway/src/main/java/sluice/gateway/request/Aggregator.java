package sluice.gateway.request;

import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.memcached.bridge.Reply;

/**
 * Aggregator of a request that several servers answer: its subrequests are pending replies
 * themselves, whose replies it combines. Owned by the client's connection.
 */
public interface Aggregator {
  /** The reply that it provides, which may itself be a subrequest's; null if it is answered. */
  @Nullable PendingReply whole();

  /**
   * A value of subrequest's reply was read to its end: that of the subrequest's key {@code key}.
   * Its bytes follow those of earlier values, and are buffered when {@link #arrived} or {@link
   * #subrequestCompleted} is called.
   */
  default void value(PendingReply subrequest, int key, int bytes) {}

  /** The bytes of subrequest's reply read so far are buffered. */
  default void arrived(PendingReply subrequest) {}

  /** Subrequest was refused with an error line, without its line end; its completion follows. */
  default void errorLine(PendingReply subrequest, String line) {}

  /**
   * Whether values and error lines of its subrequests are reported. Otherwise, subrequests buffer
   * their replies completely, including errors, and only {@link #subrequestCompleted} is called.
   */
  default boolean isToldOfValues() {
    return true;
  }

  /** Subrequest is complete; failure is the reason why it has no reply, or null. */
  void subrequestCompleted(PendingReply subrequest, @Nullable String failure);

  /** Whether nothing can be combined until more of this subrequest's reply has arrived. */
  boolean awaits(PendingReply subrequest);

  /**
   * The request whose reply it provides has left its server's queue, and is split into this
   * aggregator's subrequests.
   */
  default void begin() {}

  /** The reply that this provides is next in order: postponed requests begin. */
  default void turn() {}

  /** Whether the reply that subrequest belongs to is next in order. */
  default boolean isTurnOf(PendingReply subrequest) {
    return false;
  }

  /**
   * Whether its reply is next in order and it has sent further requests: replies that wait behind
   * it must not prevent reading their answers.
   */
  default boolean isAssembling() {
    return false;
  }

  /** Whether some of its requests have not been answered. */
  default boolean isAsking() {
    return true;
  }

  /**
   * Number that changes whenever its subrequests make progress. An aggregator that sends requests
   * one after another counts them, because it may take longer than all time limits of one request.
   */
  default long progress() {
    return 0;
  }

  /** No reply is needed any more: releases and forgets all subrequests. */
  void cancel();

  /** Examination of values from servers, which may refer to other values that are read next. */
  interface Continuation {
    /**
     * Examines the complete value of a reply.
     *
     * @param pending whose reply it is, and whose client still waits
     * @param reply the value's reply; its flags may be changed
     * @param value borrowed; it is empty if the result is not null
     * @return the aggregator that provides the reply instead, after {@link Aggregator#begin}; the
     *     caller owns it until then, and may cancel it. Null if the value itself is the reply
     */
    @Nullable Aggregator of(PendingReply pending, Reply reply, SliceList value);
  }
}
