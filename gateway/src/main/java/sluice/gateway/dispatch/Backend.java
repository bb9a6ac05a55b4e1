package sluice.gateway.dispatch;

import io.netty.buffer.ByteBuf;
import sluice.names.Dialect;

/**
 * The destination of requests: a pool, or a policy around other backends. One for each rule and
 * event loop, built by one factory.
 *
 * <pre>
 *   select ── which backend takes this key
 *      │
 *   plain ── a pool? ── yes ── the request goes there as its client wrote it
 *      │ no
 *   adapt ── prepare ── send
 *                │
 *                └── WAITS: selected and prepared again, when the client is told to go on
 * </pre>
 *
 * <p>Requests take the canonical form wherever a policy changes, copies or answers them.
 */
public interface Backend {
  /** The pool that decides how a line is read. */
  Pool pool();

  /** The pool that requests of a client's dialect go to as they are; null if they do not. */
  Pool plain(Dialect client);

  /**
   * The backend for a request whose key, as its client names it, is [from, to): this one, unless it
   * chooses among others. Borrows key.
   *
   * @param renamed a buffer for what the key becomes; borrowed
   */
  default Backend select(Dialect client, ByteBuf key, int from, int to, ByteBuf renamed) {
    return this;
  }

  /**
   * The backend for one of several keys of a read, as its client names it: this one, unless one of
   * its members is enough. Borrows key.
   *
   * @param changes whether the read changes its item
   */
  default Backend forOneOfManyKeys(Dialect client, boolean changes, ByteBuf key, int from, int to) {
    return this;
  }

  /**
   * The request is read, its key is the servers': changes it, or asks more than its client does.
   */
  void adapt(RequestContext request);

  /** Whether the request's value, whose length is known, must be whole before it is sent. */
  boolean gathers(RequestContext request);

  /** Finds what is needed to send the request. */
  Admission prepare(RequestContext request);

  /**
   * Sends the request and its value, for which {@link #prepare} has just found all that is needed.
   *
   * @return null, or the answer for the client if nothing was sent; the caller owns the result
   */
  ByteBuf send(RequestContext request);

  /**
   * Begins to send a request whose value has yet to come and is not {@linkplain #gathers gathered}.
   * Its client has no other request.
   *
   * @param lined whether the client ends its value with a line end
   * @return as for {@link #send}
   */
  ByteBuf stream(RequestContext request, boolean lined);
}
