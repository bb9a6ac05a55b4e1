package sluice.gateway.client.text.multiget;

import sluice.gateway.request.Aggregator;

/** Keys of a read behind those that one {@link MultiGet} requests. */
public interface RestOfMultiGet extends Aggregator {
  /** Whether some keys have not been requested. */
  boolean hasMore();

  /** The requested keys are answered, and more follow. */
  void goesOn();

  /** All are answered, or their client is gone. */
  void end();
}
