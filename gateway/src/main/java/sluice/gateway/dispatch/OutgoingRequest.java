package sluice.gateway.dispatch;

import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.memcached.bridge.Awaited;
import sluice.codecs.memcached.bridge.Failure;
import sluice.codecs.memcached.bridge.ReplyWriter;
import sluice.codecs.memcached.bridge.Request;
import sluice.gateway.near.SingleFlight;
import sluice.gateway.request.Bridged;

/**
 * Request in canonical form, for the code that writes it to a server. Belongs to one event loop.
 */
public interface OutgoingRequest {
  /** The request in its form for the server. */
  Request request();

  /** The request's value, which is sent, or released. */
  SliceList value();

  /** The writer of replies to its client. */
  ReplyWriter replies();

  /** The single flight that the request becomes; null if no others wait for it. */
  @Nullable SingleFlight singleFlight();

  /** The request was sent: its reply ends the single flight. */
  void departed();

  /** Nothing was sent. */
  void doesNotDepart();

  /** Sets the reason why it is not sent. */
  void refuse(Failure why);

  /** The reason why it was not sent, once {@link #refuse} was called. */
  Failure refusal();

  /** Keeps the reader of its reply, until that is taken. Consumes bridged. */
  void keep(Bridged bridged);

  /** The remembered fields of the request, needed to read its reply. Borrowed. */
  Awaited awaited();

  /** The reader of its reply, which was {@linkplain #keep kept}. The caller owns the result. */
  Bridged takeBridged();
}
