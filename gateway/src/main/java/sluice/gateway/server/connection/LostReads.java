package sluice.gateway.server.connection;

import sluice.gateway.request.RingQueue;
import sluice.gateway.request.ServerRequest;

/** Reads of one server that are retried if their connection is lost. */
public interface LostReads {
  /** Whether reads are remembered for retries. */
  boolean areRemembered();

  /** The requests in queue are about to be lost; some may be retried. */
  void forgetOvertaken(RingQueue<ServerRequest> queue);

  /**
   * Takes a request whose connection was lost before its reply began; returns false if it fails.
   */
  boolean take(ServerRequest request);

  /** Counts requests that were sent. */
  void sent(int requests);
}
