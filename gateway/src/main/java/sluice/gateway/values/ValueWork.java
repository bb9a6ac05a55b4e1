package sluice.gateway.values;

import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.memcached.bridge.Awaited;
import sluice.codecs.memcached.bridge.Failure;
import sluice.codecs.memcached.bridge.Reply;
import sluice.codecs.memcached.bridge.Request;

/**
 * Processing of a pool's values on their way to its servers and back. Belongs to one event loop.
 * Requests to a pool that has one take the canonical form even if both sides speak one dialect.
 */
public interface ValueWork {
  /**
   * Called before anything else is done with a request. It may request more from the server than
   * the client does ({@link Request#likes}), to be able to process the reply.
   */
  void prepare(Request request);

  /**
   * Whether the request's value must be complete before the request is sent. Its length is known.
   * If the result is true, it is at most the listener's item size.
   */
  boolean gathers(Request request);

  /**
   * Processes a request's complete value. Changes to flags and length go to the server: {@link
   * Request#valueLength} must be the value's.
   *
   * @param value borrowed; its slices may be replaced
   * @return null, or the failure to answer with; then nothing is sent
   */
  @Nullable Failure outbound(Request request, SliceList value);

  /**
   * Whether the reply's value, whose length and flags are known, must be complete first. The
   * gateway holds it until then, of any length: a value too long to be held must pass.
   */
  boolean gathers(Reply reply, Awaited awaited);

  /**
   * Processes a reply's complete value. Changes to flags and sizes go to the client: {@link
   * Reply#value} sets its length.
   *
   * @param value borrowed; its slices may be replaced
   * @return null, or the failure to answer with, in place of the value
   */
  @Nullable Failure inbound(Reply reply, Awaited awaited, SliceList value);

  /**
   * As {@link #inbound}, for a reply whose client gets the flags and the length of the value, and
   * no part of it. The value may stay as it is stored.
   */
  default @Nullable Failure describe(Reply reply, Awaited awaited, SliceList value) {
    return inbound(reply, awaited, value);
  }

  /** Removes from a reply's flags what marks a stored form, if the value is not read. */
  default void unmark(Reply reply) {}

  /**
   * The part of the processing that keeps every byte of a value, for a reader that stores the value
   * again. Null if there is none.
   */
  default @Nullable ValueWork withoutRewriting() {
    return this;
  }

  /**
   * Called before a reply without a value is written, because its fields describe the stored form.
   */
  void answered(Reply reply, Awaited awaited);

  /** Called when a reply whose value {@link #inbound} has processed ended without an error. */
  default void whole() {}

  /**
   * Called when no reply is expected any more, with or without one having come; possibly more than
   * once.
   */
  default void dropped() {}
}
