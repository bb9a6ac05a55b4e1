package sluice.gateway.listen;

import java.util.List;
import sluice.gateway.client.binary.BinaryReader;
import sluice.gateway.client.binary.BinaryRequestPool;
import sluice.gateway.client.binary.BinaryRequests;
import sluice.gateway.client.binary.IgniteRequests;
import sluice.gateway.client.text.TextPools;
import sluice.gateway.client.text.TextRequests;
import sluice.gateway.dispatch.Dispatcher;
import sluice.gateway.loop.Loop;
import sluice.gateway.request.RequestPool;
import sluice.gateway.server.Server;
import sluice.gateway.session.LoopState;

/** Clients of one event loop, and the objects that they share. Used on that loop. */
public final class ClientLoop {
  private final LoopState loopState;
  private final Dispatcher dispatcher;
  private final TextPools text;
  private final TextRequests textRequests;
  private final BinaryRequestPool binary;
  private final BinaryReader.Handler binaryRequests;
  private final BinaryReader.Handler igniteRequests;

  /**
   * The clients of one loop.
   *
   * @param servers the loop's, which their owner changes on this loop
   */
  public ClientLoop(Loop loop, RequestPool requestPool, List<Server> servers) {
    this(loop, requestPool, servers, LoopState.LEAST_STANDSTILL_NANOS);
  }

  /** The same, with a minimum for how long a request may make no progress. */
  ClientLoop(Loop loop, RequestPool requestPool, List<Server> servers, long leastStandstillNanos) {
    loopState = new LoopState(loop, requestPool, servers, leastStandstillNanos);
    dispatcher = new Dispatcher(loopState);
    text = new TextPools(loopState, dispatcher);
    textRequests = new TextRequests(loopState, dispatcher, text);
    binary = new BinaryRequestPool(loop, dispatcher);
    binaryRequests = new BinaryRequests(loopState, dispatcher);
    igniteRequests = new IgniteRequests(loopState, dispatcher);
  }

  public LoopState loopState() {
    return loopState;
  }

  /** Dispatcher of requests in canonical form. */
  Dispatcher dispatcher() {
    return dispatcher;
  }

  /** The pools of objects that text clients use. */
  TextPools text() {
    return text;
  }

  /** The handler of all text clients' requests. */
  TextRequests textRequests() {
    return textRequests;
  }

  /** The binary requests that are not being handled. */
  BinaryRequestPool binary() {
    return binary;
  }

  /** The handler of the packets of all clients that speak Ignite's dialect, or of all others. */
  BinaryReader.Handler binaryRequests(boolean ignite) {
    return ignite ? igniteRequests : binaryRequests;
  }

  /** Called every few milliseconds on the loop. */
  public void sweep() {
    loopState.sweep();
    text.trim();
  }

  /** As {@link LoopState#awaitsServers}. */
  public boolean awaitsServers() {
    return loopState.awaitsServers();
  }

  /**
   * From now on idle clients are closed, spread over a time so that they do not all reconnect at
   * once.
   */
  public void drain(long leavingNanos) {
    loopState.drain(leavingNanos);
  }

  /** Whether it drains, and nothing is left to be done; from any thread. */
  public boolean isDrained() {
    return loopState.isDrained();
  }

  /** Closes the remaining clients. */
  public void close() {
    loopState.close();
    text.close();
    binary.close();
    dispatcher.close();
  }
}
