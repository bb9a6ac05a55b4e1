package sluice.gateway.server;

import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.protocol.ServerContext;
import sluice.gateway.server.protocol.ServerProtocol;

/**
 * Use of a server: whether the configuration that has it is in use. Before that, its connections
 * neither change whether the server counts as up, nor its health. It may be refused still.
 */
final class Use {
  private final ServerContext context;
  private final ServerProtocol protocol;
  private final Slots slots;
  private boolean awaited;

  Use(ServerContext context, ServerProtocol protocol, Slots slots) {
    this.context = context;
    this.protocol = protocol;
    this.slots = slots;
  }

  boolean isAwaited() {
    return awaited;
  }

  /** See {@link Server#awaitUse}. */
  void await() {
    awaited = true;
    context.reports().affectHealth(false);
  }

  /** See {@link Server#use}. */
  void begin() {
    if (!awaited) {
      return;
    }
    awaited = false;
    context.reports().affectHealth(true);
    ServerConnection early = slots.answering(); // of another loop, or a listener just opened
    if (early != null && early.hasSocket()) {
      context.status().up(protocol.side());
    }
  }
}
