package sluice.gateway.dispatch.policy;

import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.bridge.Request;
import sluice.gateway.dispatch.ClientSession;
import sluice.gateway.loop.Loop;
import sluice.gateway.server.Server;
import sluice.gateway.server.ServerWaiter;
import sluice.gateway.server.ServerWaits;

/**
 * Members before the only one that got a read, which get it later if one of them must decide which
 * client writes the item. Belongs to one event loop.
 */
final class EarlierMembers implements ServerWaiter {
  /** Copied request. */
  interface Owner {
    /** Whether its client has its answer, or is gone. */
    boolean isAnswered();

    /**
     * Sends request to the members before one.
     *
     * @return null, or what must be waited for; then nothing was sent
     */
    @Nullable Wait sendAgain(int before, Request request);

    /** The request is not sent to them, for a reason. */
    void cannotSendAgain(String reason);
  }

  /**
   * What a request waits for.
   *
   * @param server null if it waits until the replies to all of its client's earlier requests have
   *     been written
   */
  record Wait(@Nullable Server server) {}

  /** Approximate bytes of heap that a request takes besides its longest head. */
  private static final int BYTES = 768;

  private final Owner owner;
  private final ClientSession client;
  private final Loop loop;
  private @Nullable Request request; // null: it was sent
  private int before;
  private boolean waits;
  private boolean waitsForTurn;
  private final ServerWaits serverWaits = new ServerWaits();

  /**
   * Members that may get the request later.
   *
   * @param request sent to them then; not borrowed
   */
  EarlierMembers(Owner owner, ClientSession client, Loop loop, Request request) {
    this.owner = owner;
    this.client = client;
    this.loop = loop;
    this.request = request;
  }

  /** The heap that the request takes until it is sent, in bytes; 0 if there is none. */
  static int bytes(@Nullable Request request) {
    return request == null ? 0 : BYTES + request.longestHead();
  }

  /** Whether the request can still be sent to them. */
  boolean areUnasked() {
    return request != null;
  }

  /** Sends the request to the members before one. */
  void ask(int member) {
    before = member;
    client.later(this::goOn);
  }

  private void goOn() {
    if (owner.isAnswered() || waits) {
      return;
    }
    loop.tick();
    Request asks = request;
    request = null;
    @SuppressWarnings("NullAway") // nothing is scheduled once it was sent
    Wait awaited = owner.sendAgain(before, asks);
    if (awaited == null) {
      return;
    }
    request = asks;
    Server server = awaited.server();
    if (server == null) {
      serverWaits.clear();
      waitsForTurn = true;
    } else {
      waits = true;
      serverWaits.begin(server, loop.now());
      server.await(this);
    }
  }

  /** The replies to all earlier requests of the client have been written. */
  void turn() {
    if (waitsForTurn) {
      waitsForTurn = false;
      client.later(this::goOn);
    }
  }

  @Override
  public void serverChanged() {
    waits = false;
    if (!owner.isAnswered()) {
      client.run(this::goOn);
    }
  }

  @Override
  public void serverTooLate(String reason) {
    waits = false;
    if (!owner.isAnswered()) {
      request = null;
      owner.cannotSendAgain(reason);
    }
  }

  @Override
  public long waitingSince() {
    return serverWaits.since();
  }
}
