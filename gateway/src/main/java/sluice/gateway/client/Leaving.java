package sluice.gateway.client;

import sluice.gateway.client.leaving.Departure;
import sluice.gateway.client.leaving.Lifetime;
import sluice.gateway.client.leaving.LingeringClose;
import sluice.gateway.client.leaving.UnfinishedRequest;
import sluice.gateway.listener.ListenerView;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.DropReason;
import sluice.gateway.session.LoopClient;
import sluice.gateway.session.LoopState;

/**
 * Leaving of one client: when and how its socket is closed, and whether its requests are still
 * carried out.
 *
 * <pre>
 *   the client                    its requests                      its replies
 *   sends nothing more            are carried out                   are written, then it is closed
 *   takes nothing more            are read and carried out          are dropped
 *   closes its socket             are carried out                   are dropped
 *   must leave, and is idle       there are none                    are written
 *   must leave, and never idles   complete ones are carried out     are written; its close lingers
 *   is cut                        are dropped                       are dropped
 * </pre>
 */
final class Leaving {
  /** Socket of the client, as far as its leaving is concerned. */
  interface Socket {
    /** Whether the client takes nothing more: writes are dropped. */
    boolean isDeaf();

    /** Whether an internal error ended the connection. */
    boolean isBroken();

    /** Closes the socket after the pending writes. */
    void close();

    /** Closes the socket now; pending writes are lost. */
    void abort();

    /** Drops unsent bytes, and all further writes. */
    void deafen();

    /** The client sends nothing more: pausing and resuming have no effect. */
    void inputEnded();

    /** From now on everything is read, and pausing has no effect. */
    void readUntilTheEnd();
  }

  private final ClientControl control;
  private final Socket socket;
  private final LoopClient client;
  private final LoopState loopState;
  private final Loop loop;
  private final ListenerView listenerView;
  private final BackPressure pressure;
  private final MemoryWait memoryWait;
  private final UnfinishedRequests requests;
  private final Lifetime lifetime;
  private final UnfinishedRequest unfinished;
  private final Departure departure = new Departure();
  private final LingeringClose lingering = new LingeringClose();

  /** The leaving of client, which stays for now. */
  Leaving(
      ClientControl control,
      Socket socket,
      LoopClient client,
      LoopState loopState,
      ListenerView listenerView,
      BackPressure pressure,
      MemoryWait memoryWait,
      UnfinishedRequests requests) {
    this.control = control;
    this.socket = socket;
    this.client = client;
    this.loopState = loopState;
    this.listenerView = listenerView;
    this.pressure = pressure;
    this.memoryWait = memoryWait;
    this.requests = requests;
    loop = loopState.loop();
    lifetime = new Lifetime(loop, listenerView.limits());
    unfinished = new UnfinishedRequest(loop.now());
  }

  /** The client has sent something, or was paused until now. */
  void heard() {
    lifetime.heard();
  }

  /** Whether the client's input has ended, or what it sends is dropped. */
  boolean hasSaidAll() {
    return departure.hasSaidAll();
  }

  /** Whether the client's socket is closed, and its requests are still carried out. */
  boolean isGone() {
    return departure.isGone();
  }

  /** Whether the client must leave before its next request: each sweep has come inside one. */
  boolean isDue() {
    return unfinished.isDue();
  }

  /** Whether nothing but the client's own end is waited for. */
  boolean lingers() {
    return lingering.hasBegun();
  }

  // --- what the client does -------------------------------------------------------------------

  /** The client has sent everything, and may still read: it gets all replies. */
  void inputShutDown() {
    endInput();
    if (lingering.hasBegun()) {
      socket.close();
    }
  }

  /** What the client has sent is all that is carried out. */
  void endInput() {
    if (departure.hasSaidAll()) {
      return;
    }
    departure.sayAll(loop.now());
    socket.inputEnded();
    if (socket.isDeaf()) {
      socket.abort(); // nothing is left to be read, and nothing can be written
    } else {
      client.process();
    }
  }

  /**
   * A write has failed. TLS does not tell its writer, and without output the channel is never
   * writable again.
   */
  void outputShutDown() {
    if (!endOutput()) {
      socket.abort(); // nothing is left to be read, and nothing can be written
    }
  }

  /**
   * The client takes no more replies: the bytes that it has sent are read to their end, and carried
   * out.
   *
   * @return whether there may be more of them
   */
  boolean endOutput() {
    if (departure.hasSaidAll()) {
      return false;
    }
    if (!socket.isDeaf()) {
      socket.deafen();
      awaitNoReader();
      control.processLater();
    }
    return true;
  }

  /** Neither servers nor requests wait any more until the client reads its replies. */
  private void awaitNoReader() {
    pressure.releaseServers();
    control.resumeFrom(ClientControl.OUTPUT);
    memoryWait.end();
  }

  /** Its socket is closed. */
  void closed() {
    if (departure.dropping() == null
        && !socket.isBroken()
        && requests.oweServers()
        && mayFinish()) {
      requests.keepInput();
      departure.go(loop.now());
      socket.inputEnded();
      awaitNoReader();
      requests.endWaits();
      client.process();
    } else {
      discard();
    }
  }

  /** Whether there is memory for its unprocessed bytes until they are processed. */
  private boolean mayFinish() {
    if (!requests.haveMemory()) {
      departure.drop(DropReason.MEMORY);
      return false;
    }
    return true;
  }

  // --- the progress of its requests -------------------------------------------------------------

  /** The unprocessed bytes were counted: there are more; negative: fewer. */
  void inputCounted(long more) {
    if (departure.isGone()) {
      requests.keptMore(more);
    }
  }

  /** All bytes that could be processed are. */
  void processed() {
    if (unfinished.isDue() && requests.areRead() && requests.areUncut() && control.isOpen()) {
      betweenRequests();
    }
    if (departure.hasSaidAll() && !control.isPausedFor(ClientControl.ENDING) && control.lives()) {
      leaveStream();
      if (control.lives() && requests.areRead()) {
        readAll();
      }
    }
  }

  /** Once a reply without an end has begun, what was sent behind its request is discarded. */
  private void leaveStream() {
    if (requests.areStreamed()) {
      leave();
    }
  }

  /**
   * All complete requests are on their way; the rest is an incomplete request, which is dropped.
   */
  private void readAll() {
    if (requests.areInsideValue()) {
      leave(); // inside a value, and everything before it is answered
    } else {
      requests.end();
    }
  }

  /** A request of the client was answered. */
  void answered() {
    departure.progress(loop.now());
  }

  // --- the end ----------------------------------------------------------------------------------

  /** Everything is answered, and no more requests follow: closes. */
  void leave() {
    if (lingering.isWanted() && requests.areInsideValue()) {
      requests.endValue();
    }
    if (socket.isDeaf()) {
      socket.abort();
    } else if (!control.isOpen() || requests.onlyListen() || !lingering.begin(control.channel())) {
      socket.close();
    }
    if (departure.isGone()) {
      discard();
    }
  }

  /** Closes inside a reply, and writes nothing more. */
  void breakOff() {
    socket.close();
    socket.deafen();
    if (!control.isOpen() && control.lives()) {
      requests.endAbandoned();
    }
  }

  /** Closes now, and drops requests that were not carried out. */
  void cut(DropReason reason) {
    departure.drop(reason);
    socket.abort();
    if (departure.isGone()) {
      discard();
    }
  }

  /** Drops its unprocessed requests. */
  private void discard() {
    if (departure.isGone()) {
      requests.dropKept();
    }
    departure.end();
    if (departure.dropping() != null) {
      loop.metrics().requestsDropped(departure.dropping(), requests.count());
    }
    loopState.remove(client);
    listenerView.leave();
    requests.discard();
  }

  // --- time -----------------------------------------------------------------------------------

  /** Called a few times a second: cuts a client that leaves too slowly, or failed after its end. */
  void cutIfOverdue() {
    long takenAt = requests.onlyListen() ? departure.progressAt() : pressure.takenAt();
    if (departure.isOverdue(takenAt, loop.now()) || (isGone() && socket.isBroken())) {
      cut(DropReason.TIMEOUT);
    }
  }

  /**
   * Called a few times a second: goes on with the leaving of a client, or begins it if its time is
   * over.
   *
   * @param drained elapsed share of the time in which clients leave, 0 to 1; negative: they may
   *     stay
   */
  void sweep(double drained) {
    if (requests.areAwaited()) {
      lifetime.heard();
    }
    if (control.isPausedFor(ClientControl.OUTPUT)
        && loop.now() - pressure.takenAt() <= UnfinishedRequest.LIMIT_NANOS) {
      unfinished.takesReplies(loop.now());
    }
    if (lingering.hasBegun()) {
      linger();
    } else if (departure.hasSaidAll() && requests.onlyListen()) {
      leaveStream(); // unless its server has not answered yet
    } else if (isSilent()) {
      socket.close();
    } else if (mustLeave(drained)) {
      if (requests.areAnswered() && !requests.haveBegun()) {
        // what comes until the last bytes have left is not carried out
        control.pauseFor(ClientControl.ENDING);
        socket.close();
      } else if (!requests.areAnswered() && requests.areUncut()) {
        stopListening();
      } else if (unfinished.takesNone(loop.now()) && isInsideRequestTooLong()) {
        cut(DropReason.STALLED);
      } else if (!departure.hasSaidAll()) {
        unfinished.mustLeave(isInsideRequest(), loop.now());
      } else {
        unfinished.end();
      }
    }
  }

  private boolean isInsideRequestTooLong() {
    return requests.valueStandsStillFor(UnfinishedRequest.LIMIT_NANOS)
        || (unfinished.isOverdue(loop.now()) && isInsideRequest());
  }

  /**
   * Whether it is inside one line, or one block that is discarded, and is read, or would be if it
   * took its replies.
   */
  private boolean isInsideRequest() {
    return requests.areRead()
        && requests.areAnswered()
        && !requests.areSendingValue()
        && !control.isPausedFor(~ClientControl.OUTPUT);
  }

  /**
   * A client that {@linkplain #isDue must leave} is between two requests. Those that it has sent
   * completely are carried out.
   */
  void betweenRequests() {
    unfinished.end();
    stopListening();
  }

  /** A close that lingers goes on, once the last reply is flushed: time has passed, or it was. */
  void linger() {
    if (lingering.hasBegun()
        && control.isOpen()
        && !control.awaitsFlush()
        && lingering.isOver(control.channel(), control.pendingBytes(), loop.now())) {
      socket.close();
    }
  }

  /**
   * A client that always has a request in flight, and so never is between two, must leave: its
   * complete requests are carried out and answered. What it sends later is read and dropped.
   */
  private void stopListening() {
    if (!departure.hasSaidAll() && requests.areUncut()) {
      lingering.want();
      socket.readUntilTheEnd();
      endInput();
    }
  }

  private boolean mustLeave(double drained) {
    return lifetime.ends(
        listenerView.isRetired() ? 1 : drained,
        Math.max(loopState.overtimeShare(), listenerView.overtimeShare()));
  }

  /** Whether the client has sent nothing for too long, while nothing else is waited for. */
  private boolean isSilent() {
    return !departure.hasSaidAll()
        && !requests.arePaused()
        && lifetime.isSilent(listenerView.limits());
  }
}
