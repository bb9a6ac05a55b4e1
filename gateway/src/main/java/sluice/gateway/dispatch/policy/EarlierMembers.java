package sluice.gateway.dispatch.policy;

import sluice.codecs.memcached.bridge.Request;
import sluice.gateway.dispatch.ClientSession;
import sluice.gateway.loop.Loop;
import sluice.gateway.server.Server;
import sluice.gateway.server.ServerWaiter;

/**
 * The members before the one that alone was asked for an item, which are asked after it if one of
 * them has to say who writes the item. Belongs to one event loop.
 */
final class EarlierMembers implements ServerWaiter {
  /** The request that was copied. */
  interface Owner {
    /** Whether its client has its answer, or is gone. */
    boolean isAnswered();

    /**
     * Sends request to the members before one.
     *
     * @return null, or a server that has to be waited for; then nothing was sent
     */
    Server sendAgain(int before, Request request);

    /** They are not asked, for a reason. */
    void cannotSendAgain(String reason);
  }

  private final Owner owner;
  private final ClientSession client;
  private final Loop loop;
  private Request request; // null: it is sent
  private int before;
  private boolean waits;
  private long waitingSince;

  /**
   * Members that may have to be asked.
   *
   * @param request what they are asked then; not borrowed
   */
  EarlierMembers(Owner owner, ClientSession client, Loop loop, Request request) {
    this.owner = owner;
    this.client = client;
    this.loop = loop;
    this.request = request;
  }

  /** Whether they can be asked still. */
  boolean areUnasked() {
    return request != null;
  }

  /** Those before a member are asked. */
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
    Server awaited = owner.sendAgain(before, asks);
    if (awaited != null) {
      request = asks;
      waits = true;
      waitingSince = loop.now();
      awaited.await(this);
    }
  }

  @Override
  public void serverChanged() {
    waits = false;
    if (!owner.isAnswered()) {
      client.later(this::goOn);
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
    return waitingSince;
  }
}
