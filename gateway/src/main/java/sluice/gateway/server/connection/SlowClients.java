package sluice.gateway.server.connection;

import sluice.gateway.loop.Loop;
import sluice.gateway.request.ReplyReceiver;
import sluice.gateway.request.RingQueue;
import sluice.gateway.request.ServerRequest;

/**
 * Slow clients of one server connection: those that do not take their replies fast enough. They
 * decide whether the connection is paused.
 *
 * <pre>
 *   a client has limits.outBuffer waiting          paused
 *   another client, or the guard of a dropped
 *   reply, has waited for a reply, or for the
 *   rest of one, for a part of the timeout, and
 *   memory is left                                 read on: the slow client's replies are buffered
 *   no other client waits, or memory is short      paused
 * </pre>
 *
 * <p>The buffered bytes are bounded: the connection accepts no new requests, a client has a limited
 * number in flight, and reading is paused again at three quarters of {@code process.memory}.
 */
final class SlowClients {
  /** Other clients wait for this fraction of the timeout. */
  private static final int PART_OF_TIMEOUT = 16;

  private final ReplyReceiver.Resumable connection;
  private final RingQueue<ServerRequest> queue;
  private final Loop loop;
  private final Runnable stopReading;
  private final Runnable readAgain;
  private int clients;
  private boolean behind;
  private boolean readingOn;

  /**
   * The slow clients of connection, whose requests are in queue.
   *
   * @param stopReading pauses the connection; may be called twice in a row
   * @param readAgain resumes it; may be called twice in a row
   */
  SlowClients(
      ReplyReceiver.Resumable connection,
      RingQueue<ServerRequest> queue,
      Loop loop,
      Runnable stopReading,
      Runnable readAgain) {
    this.connection = connection;
    this.queue = queue;
    this.loop = loop;
    this.stopReading = stopReading;
    this.readAgain = readAgain;
  }

  /** Whether a client does not take its replies. */
  boolean hasClients() {
    return clients > 0;
  }

  /** Adds a client that does not take its replies. */
  void add() {
    clients++;
    if (!readingOn || !isMemoryLeft()) {
      stop();
    }
  }

  /** Removes a client that takes its replies again, or is gone. */
  void remove() {
    clients--;
    readAgain();
  }

  /** Sets whether other event loops have unread bytes. */
  void behind(boolean now) {
    behind = now;
    if (!now) {
      readAgain();
    } else if (!readingOn || !isMemoryLeft()) {
      stop();
    }
  }

  private void stop() {
    readingOn = false;
    stopReading.run();
  }

  private void readAgain() {
    if (clients == 0 && !behind) {
      readingOn = false;
      readAgain.run();
    }
  }

  /** Pauses reading that has continued for others, if memory is short. Called for each reply. */
  void checkMemory() {
    if (readingOn && !isMemoryLeft()) {
      stop();
    }
  }

  /**
   * Resumes or pauses reading for the others; called every few milliseconds.
   *
   * @param timeout of requests, in nanoseconds
   */
  void sweep(long timeout) {
    if (clients == 0 && !behind) {
      return;
    }
    long since = loop.now() - (readingOn ? 0 : timeout / PART_OF_TIMEOUT);
    boolean goesOn = isMemoryLeft() && doOthersWait(since);
    if (goesOn && !readingOn) {
      readingOn = true;
      readAgain.run();
    } else if (!goesOn && readingOn) {
      stop();
    }
  }

  /** Whether there is memory for more replies that clients do not take yet. */
  boolean isMemoryLeft() {
    return loop.memory().isRelaxed();
  }

  private boolean doOthersWait(long since) {
    for (int i = 0; i < queue.size(); i++) {
      ServerRequest request = queue.get(i);
      if (request.started() - since > 0) {
        return false; // later ones have waited less
      }
      ReplyReceiver receiver = request.receiver();
      // A guard waits for a reply that is dropped: it may keep a client from sending more.
      if (receiver == null ? request.isGuarded() : !receiver.holdsUp(connection)) {
        return true;
      }
    }
    return false;
  }
}
