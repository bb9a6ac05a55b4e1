package sluice.gateway.client;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import sluice.gateway.listener.ListenerView;
import sluice.gateway.loop.Loop;
import sluice.gateway.net.Sockets;
import sluice.gateway.request.ReplyReceiver;
import sluice.gateway.request.ReplyReceiver.Resumable;
import sluice.gateway.session.LoopClient;
import sluice.gateway.session.StalledClients;
import sluice.gateway.time.Clocks;

/**
 * Back-pressure of one client on the servers that answer it: they are paused while the client does
 * not take its replies. It distinguishes progress, however slow, from a stall.
 */
final class BackPressure {
  private static final int TIGHT_OUT_BUFFER = 64 * 1024;

  private final ClientControl control;
  private final LoopClient client;
  private final StalledClients stalled;
  private final ListenerView listenerView;
  private final Loop loop;
  private final BooleanSupplier assembling;
  private final long outBuffer;
  private final List<Resumable> full = new ArrayList<>(2);

  private long heldValues; // for requests, too, or for expected replies
  private long assembled; // bytes of replies being assembled, for which memory is reserved
  private long stalledSince;
  private int stallLooks; // since then
  private boolean tookAll; // a server owes it the next reply, and it has taken all before that
  private long taken; // bytes taken by the socket at the last observation
  private long untaken; // then
  private long takenAt; // when it was observed that bytes had been taken
  // observations since then: the event loop itself may have been blocked for a while
  private int looks;

  /**
   * The back-pressure of client.
   *
   * @param assembling whether the reply that is next in order sends further requests. Their replies
   *     are behind others, which must be read first
   */
  BackPressure(
      ClientControl control,
      LoopClient client,
      StalledClients stalled,
      ListenerView listenerView,
      Loop loop,
      BooleanSupplier assembling) {
    this.control = control;
    this.client = client;
    this.stalled = stalled;
    this.listenerView = listenerView;
    this.loop = loop;
    this.assembling = assembling;
    this.outBuffer = listenerView.limits().outBufferBytes();
    this.takenAt = loop.now();
  }

  /**
   * Accounts for bytes of a request's value that is gathered or being sent, or of a reply's that
   * has not come yet; negative: fewer.
   */
  void holdValue(long delta) {
    heldValues += delta;
    control.hold(delta);
  }

  /** Accounts for bytes of replies being assembled; negative: fewer. */
  void holdAssembled(long delta) {
    assembled += delta;
  }

  /** Whether many bytes wait for the client, also those whose turn has not come. */
  boolean holdsMuch() {
    return isMuch(false);
  }

  /** Whether too many bytes wait for the client to read more for it. */
  boolean isFull(boolean next) {
    return isMuch(next || assembling.getAsBoolean() || (tookAll && loop.memory().isRelaxed()));
  }

  /** Whether too many bytes were written that the client has not taken. */
  boolean isBehind() {
    return control.pendingBytes() > outBuffer;
  }

  /** Whether too many bytes wait; onlyWritten leaves out those that are not written yet. */
  private boolean isMuch(boolean onlyWritten) {
    long pending = control.pendingBytes();
    long all =
        pending + Math.max(0, control.heldBytes() - control.heldInput() - heldValues - assembled);
    long waiting = onlyWritten ? pending : all;
    // A chunked value is held until it is complete, also when it is next in order.
    return waiting > outBuffer || (all > TIGHT_OUT_BUFFER && loop.memory().isTight());
  }

  /**
   * A server is paused because of the client; false if it is known already. A client that takes no
   * more replies holds up no server while there is memory for them.
   */
  boolean add(Resumable server) {
    if (full.contains(server) || (!control.takesReplies() && loop.memory().isRelaxed())) {
      return false;
    }
    if (full.isEmpty()) {
      stalledSince = loop.now();
      stallLooks = 0;
      stalled.add(client);
    }
    full.add(server);
    return true;
  }

  /** Whether server is paused because of the client. */
  boolean holdsUp(Resumable server) {
    return full.contains(server);
  }

  /** Resumes the servers that need not wait for the client any more. */
  void resumeServers() {
    if (full.isEmpty()) {
      return;
    }
    for (Resumable server : List.copyOf(full)) {
      boolean goesOn = !control.takesReplies() || !isFull(server.bringsNextOf(receiver()));
      if (goesOn && full.remove(server)) {
        server.resumed();
      }
    }
    if (full.isEmpty()) {
      stalled.remove(client);
    }
  }

  private ReplyReceiver receiver() {
    return control.requester();
  }

  /** Resumes all servers, even if bytes still wait for the client. */
  void releaseServers() {
    List<Resumable> servers = List.copyOf(full);
    full.clear();
    servers.forEach(Resumable::resumed);
  }

  // --- progress and stalls --------------------------------------------------------------------

  /** When it was last observed that the client took bytes, or none waited for it. */
  long takenAt() {
    return takenAt;
  }

  /** Whether the client has taken bytes since the last {@link #sweep}. */
  boolean tookBytes() {
    return control.takenBytes() != taken;
  }

  /** Counts its buffered bytes and checks whether the client takes any of them. */
  void sweep() {
    control.account();
    long takenNow = control.takenBytes();
    long pending = control.pendingBytes();
    looks++;
    if (pending == 0 || untaken == 0 || takenNow != taken) {
      takenAt = loop.now();
      looks = 0;
    }
    tookAll &= pending == 0 && takenNow == taken;
    taken = takenNow;
    untaken = pending;
  }

  /** How long the client may take no bytes while others wait. */
  long stallNanos() {
    return listenerView.limits().stallMillis() * 1_000_000L;
  }

  /**
   * Whether servers were paused for too long because of this client. If it has nothing to take,
   * they are read on instead: the reply that it needs next may be late, or behind others on one of
   * them.
   *
   * @param halvings how often its time to take bytes is halved
   */
  boolean isStalled(int halvings) {
    if (full.isEmpty()) {
      return false;
    }
    stallLooks++;
    long now = loop.now();
    // Progress, however slow, is no stall, as long as there is memory: what waits behind it can be
    // buffered.
    boolean progresses = untaken > 0 && loop.memory().isRelaxed();
    long since = progresses ? Clocks.later(stalledSince, takenAt) : stalledSince;
    if (stallLooks > ClientControl.LOOKS && now - since > stallNanos()) {
      tookAll = untaken == 0 && loop.memory().isRelaxed();
      return !tookAll && (!progresses || !isTaking(stallNanos()));
    }
    return halvings > 0
        && looks >= ClientControl.LOOKS
        && now - Clocks.later(stalledSince, takenAt) > stallNanos() >> halvings
        && !(progresses && isTaking(stallNanos() >> halvings));
  }

  /** Asks the kernel whether the client reads, if the socket has not taken bytes recently. */
  private boolean isTaking(long nanos) {
    if (!control.takesReplies() || !Sockets.isTaking(control.channel(), nanos / 1_000_000)) {
      return false;
    }
    takenAt = loop.now();
    looks = 0;
    return true;
  }

  /** Whether many bytes have waited for the client for too long, and it takes none of them. */
  boolean buffersTooLong() {
    return looks >= ClientControl.LOOKS
        && untaken > TIGHT_OUT_BUFFER
        && loop.now() - takenAt > stallNanos();
  }
}
