package sluice.gateway.dispatch;

import sluice.codecs.buffer.SliceList;
import sluice.codecs.memcached.bridge.Awaited;
import sluice.codecs.memcached.bridge.ReplyWriter;
import sluice.codecs.memcached.bridge.Request;
import sluice.gateway.exchange.Bridged;
import sluice.gateway.near.Flight;

/** Request in canonical form, as what writes it to a server sees it. Belongs to one event loop. */
public interface OutgoingRequest {
  /** The request, as its server is to be asked. */
  Request request();

  /** The request's value, which is sent, or released. */
  SliceList value();

  /** What writes replies to its client. */
  ReplyWriter replies();

  /** What others wait for, and the request becomes; null if nobody does. */
  Flight flight();

  /** The request was sent: its reply ends the single flight. */
  void departed();

  /** Nothing is sent. */
  void doesNotDepart();

  /** Sets the reason why it is not sent: an error line without its line end. */
  void refuse(String line);

  /** The reason why it was not sent; null if it was. */
  String refusal();

  /** Keeps what its reply is read with, until that is taken. Consumes bridged. */
  void keep(Bridged bridged);

  /** What is remembered of the request to read its reply with. Borrowed. */
  Awaited awaited();

  /** What its reply is read with; null if it has no head. The caller owns the result. */
  Bridged takeBridged();
}
