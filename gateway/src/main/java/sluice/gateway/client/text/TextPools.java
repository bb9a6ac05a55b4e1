package sluice.gateway.client.text;

import sluice.gateway.client.text.multiget.MultiGets;
import sluice.gateway.client.text.request.TextRequestPool;
import sluice.gateway.dispatch.Dispatcher;
import sluice.gateway.session.LoopState;

/** Pools of objects for the text clients of one event loop. */
public final class TextPools {
  private final TextRequestPool requests;
  private final MultiGets multiGets;

  /** The pools of loopState's event loop. */
  public TextPools(LoopState loopState, Dispatcher dispatcher) {
    requests = new TextRequestPool(loopState.loop(), dispatcher);
    multiGets = new MultiGets(loopState, dispatcher);
  }

  /** The pool of requests. */
  TextRequestPool requests() {
    return requests;
  }

  /** Pool of idle objects for reads of many keys. */
  MultiGets multiGets() {
    return multiGets;
  }

  /** Drops objects that were unused for a while. */
  public void trim() {
    multiGets.trim();
  }

  /** Ends the pool with the loop: contexts released later are not kept. */
  public void close() {
    requests.close();
  }
}
