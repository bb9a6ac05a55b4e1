package sluice.gateway.dispatch;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.names.Dialect;

/**
 * Backend of requests: a pool, or a policy around other backends. One for each rule and event loop,
 * built by one factory.
 *
 * <pre>
 *   select ── which backend takes this key
 *      │
 *   plain ── a pool? ── yes ── the request goes there unchanged
 *      │ no
 *   adapt ── prepare ── send
 *                │
 *                └── WAITS: selected and prepared again, when the client is told to go on
 * </pre>
 *
 * <p>Requests take the canonical form wherever a policy changes, copies or answers them.
 */
public interface Backend {
  /** The pool whose version decides how a line is read. */
  Pool pool();

  /** The pool that requests of a client's dialect go to unchanged; null if they do not. */
  @Nullable Pool plain(Dialect client);

  /**
   * The backend for a request whose key as the client wrote it is [from, to): this one, unless it
   * chooses among others. Borrows key.
   *
   * @param renamed a buffer for the rewritten key; borrowed
   * @param draw a number from 0 to 1, by chance, that stays the same for a request whose backend is
   *     selected again
   */
  default Backend select(
      Dialect client, ByteBuf key, int from, int to, ByteBuf renamed, double draw) {
    return this;
  }

  /**
   * The backend for one of several keys of a read: this one, unless one of its members suffices.
   * The server key is [from, to). Borrows key.
   *
   * @param changes whether the read changes its item
   */
  default Backend forOneOfManyKeys(Dialect client, boolean changes, ByteBuf key, int from, int to) {
    return this;
  }

  /**
   * Called for a request that was read and has its server key: changes it, or requests more from
   * the server than the client does.
   */
  void adapt(RequestContext request);

  /**
   * Whether the request's value, whose length is known, must be complete before the request is
   * sent.
   */
  boolean gathers(RequestContext request);

  /** Finds the connections and everything else needed to send the request. */
  Admission prepare(RequestContext request);

  /**
   * Sends the request and its value, immediately after a successful {@link #prepare}.
   *
   * @return null, or the answer for the client if nothing was sent; the caller owns the result
   */
  @Nullable ByteBuf send(RequestContext request);

  /**
   * Begins to send a request whose value follows later and is not {@linkplain #gathers gathered}.
   * Its client has no other request.
   *
   * @param lined whether the client ends its value with a line end
   * @return as for {@link #send}
   */
  @Nullable ByteBuf stream(RequestContext request, boolean lined);
}
