package sluice.gateway.listen;

import java.util.List;
import sluice.gateway.client.text.MultiGets;
import sluice.gateway.dispatch.Dispatcher;
import sluice.gateway.exchange.ExchangePool;
import sluice.gateway.loop.Loop;
import sluice.gateway.server.Server;
import sluice.gateway.session.Worker;

/** The clients of one event loop, and what they share. Used on that loop. */
public final class ClientLoop {
  private final Worker worker;
  private final Dispatcher dispatcher;
  private final MultiGets multiGets;

  /**
   * The clients of one loop.
   *
   * @param servers the loop's, which their owner changes on this loop
   */
  public ClientLoop(Loop loop, ExchangePool exchanges, List<Server> servers) {
    this(loop, exchanges, servers, Worker.LEAST_PATIENCE_NANOS);
  }

  /** As the other, with a time of its own that requests may stand still for. */
  ClientLoop(Loop loop, ExchangePool exchanges, List<Server> servers, long leastPatienceNanos) {
    worker = new Worker(loop, exchanges, servers, leastPatienceNanos);
    dispatcher = new Dispatcher(worker);
    multiGets = new MultiGets(worker, dispatcher);
  }

  Worker worker() {
    return worker;
  }

  /** What sends requests in canonical form. */
  Dispatcher dispatcher() {
    return dispatcher;
  }

  /** The reads of many keys that are not under way. */
  MultiGets multiGets() {
    return multiGets;
  }

  /** Called every few milliseconds on the loop. */
  public void sweep() {
    worker.sweep();
    multiGets.trim();
  }

  /**
   * From now on clients are closed when nothing of theirs is in flight: spread over a time, so that
   * they do not all reconnect at once.
   */
  public void drain(long leavingNanos) {
    worker.drain(leavingNanos);
  }

  /** Whether no client is left. */
  public boolean isEmpty() {
    return worker.isEmpty();
  }

  /** Closes what is left. */
  public void close() {
    worker.close();
    dispatcher.close();
  }
}
