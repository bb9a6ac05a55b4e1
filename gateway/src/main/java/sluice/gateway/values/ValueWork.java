package sluice.gateway.values;

import sluice.codecs.memcached.bridge.Awaited;
import sluice.codecs.memcached.bridge.Reply;
import sluice.codecs.memcached.bridge.Request;

/**
 * What a pool does with values on their way to its servers and back. Belongs to one event loop.
 * Requests to a pool that has one take the neutral form also where both sides speak one dialect.
 */
public interface ValueWork {
  /**
   * Looks at a request before anything is done with it, and may ask more of the server than the
   * client does ({@link Request#likes}): what the reply is to be read by.
   */
  void prepare(Request request);

  /**
   * Whether the request's value must be whole before the request is sent. Its length is known; if
   * this is so, it is at most the listener's item size.
   */
  boolean gathers(Request request);

  /**
   * Works on a request's whole value. What it changes of flags and length goes to the server with
   * it: {@link Request#valueLength} must be the value's.
   *
   * @param value borrowed; its pieces may be changed for others
   * @return null, or the error line to answer with, without line end, in which case nothing is sent
   */
  String outbound(Request request, Value value);

  /**
   * Whether the reply's value, whose length and flags are known, must be whole first. It is held
   * until then, however long it is: what is too long to be held has to pass.
   */
  boolean gathers(Reply reply, Awaited awaited);

  /**
   * Works on a reply's whole value. What it changes of flags and sizes goes to the client with it:
   * {@link Reply#value} says its length.
   *
   * @param value borrowed; its pieces may be changed for others
   * @return null, or the error line to answer with, without line end, in place of the value
   */
  String inbound(Reply reply, Awaited awaited, Value value);

  /**
   * Looks at a reply that has no value, before it is written: what it says of the item is about
   * what is stored.
   */
  void answered(Reply reply, Awaited awaited);

  /** The reply whose value {@link #inbound} has worked on has ended as it should. */
  default void whole() {}

  /** Nobody waits for a reply any more, which may have come or not. May be called again. */
  default void dropped() {}
}
