package sluice.gateway.server.connection;

import sluice.gateway.exchange.RingQueue;
import sluice.gateway.exchange.ServerRequest;

/** Reads of one server that are asked again when their connection is lost. */
public interface LostReads {
  /** Whether reads are remembered, to be asked again. */
  boolean areRemembered();

  /** The requests in queue are about to be lost, of which some may be asked again. */
  void forgetOvertaken(RingQueue<ServerRequest> queue);

  /** Takes request, whose connection was lost before its reply began; false if it fails. */
  boolean take(ServerRequest request);

  /** So many requests have left. */
  void sent(int requests);
}
