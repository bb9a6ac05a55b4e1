package sluice.gateway.client;

import sluice.gateway.client.input.ClientInput;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.session.LoopClient;
import sluice.gateway.session.LoopState;

/**
 * Wait of one client for memory: while it is full, or is short and the client has a share in that,
 * the client is not read, and the bytes that were read are not processed.
 */
final class MemoryWait {
  /**
   * While memory is short, a client may be read as long as it has no more than these bytes
   * buffered.
   */
  static final int LEAST_SHARE = 16 * 1024;

  /**
   * While memory is short, the most bytes that are kept of requests sent before the client closed.
   */
  private static final int MOST_CLOSED_INPUT = 256 * 1024;

  private final ClientControl control;
  private final LoopClient client;
  private final LoopState loopState;
  private final MemoryShare memory;
  private final ClientInput input;
  private final DialectReader reader;
  private final GatheredValue gathered;
  private final GatheredLine line;
  private final ExclusiveRequest exclusiveRequest;

  private boolean inItsTurn; // among those that have waited for memory

  /** The wait of client, which does not wait yet. */
  MemoryWait(
      ClientControl control,
      LoopClient client,
      LoopState loopState,
      ClientParts parts,
      DialectReader reader) {
    this.control = control;
    this.client = client;
    this.loopState = loopState;
    this.reader = reader;
    memory = loopState.loop().memory();
    input = parts.input();
    gathered = parts.gathered();
    line = parts.line();
    exclusiveRequest = parts.exclusiveRequest();
  }

  /** Pauses reading and processing until there is memory. */
  void begin() {
    if (!control.isPausedFor(ClientControl.MEMORY | ClientControl.VALUE_MEMORY)) {
      control.pauseFor(ClientControl.MEMORY);
      loopState.awaitMemory(client);
    }
  }

  /** Begins if memory is full, and the client's requests would take more of it. */
  void beginIfFull() {
    if (mustBegin()) {
      begin();
    }
  }

  private boolean mustBegin() {
    return (memory.isFull() || memory.areObjectsFull())
        && exclusiveRequest.remaining() == 0
        && !gathered.slices().isReserved()
        && !line.isReserved();
  }

  /**
   * As {@link #beginIfFull}, for requests that have waited for something else. Hundreds of clients
   * may have waited for the same. Requests that take much memory themselves need not wait, unless
   * the heap of requests is full, of which they would take more.
   */
  void beginBeforeRequests() {
    if (!inItsTurn
        && input.held() > 0
        && (input.held() <= LEAST_SHARE || memory.areObjectsFull())
        && !reader.hasUnsent()
        && control.takesReplies()
        && mustBegin()) {
      begin();
    }
  }

  /**
   * Begins if memory is short and the client has a share in that. Other clients need not wait until
   * those that have one were resumed.
   */
  void beginIfSharesShortage() {
    if (memory.isTight() && control.isOpen() && hasShare()) {
      begin();
    }
  }

  private boolean hasShare() {
    return control.pendingBytes() + control.heldBytes() > LEAST_SHARE
        && !gathered.slices().isReserved()
        && !line.isReserved()
        && !exclusiveRequest.gathers();
  }

  /**
   * Whether memory is short, and too many bytes of a paused client are kept for more to be added.
   * It is only read at the end of its input then.
   */
  boolean isInputTooLong() {
    return control.isPausedForAny() && input.held() > MOST_CLOSED_INPUT && memory.isTight();
  }

  /** There may be memory: the client is resumed, and may have to wait again. */
  void resume() {
    inItsTurn = true;
    control.goOnFrom(ClientControl.MEMORY);
    inItsTurn = false;
  }

  /**
   * The bytes that the client has sent take memory until they are processed, and no more are added:
   * it need not wait for memory.
   */
  void end() {
    if (control.isPausedFor(ClientControl.MEMORY)) {
      loopState.stopAwaitingMemory(client);
      control.resumeFrom(ClientControl.MEMORY);
    }
  }
}
