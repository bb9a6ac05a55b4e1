package sluice.gateway.server.connection;

import sluice.gateway.exchange.ReplyReceiver;
import sluice.gateway.exchange.RingQueue;
import sluice.gateway.exchange.ServerRequest;
import sluice.gateway.loop.Loop;

/**
 * The slow clients of one server connection: those that do not take their replies fast enough. They
 * decide whether the connection is read.
 *
 * <pre>
 *   a client has limits.outBuffer waiting          not read
 *   another client has waited for a reply behind
 *   for a part of the timeout, and memory is left  read on: the slow client's replies are buffered
 *   nobody else waits, or memory runs short        not read
 * </pre>
 *
 * <p>What is buffered meanwhile is bounded: the connection takes no new requests, a client has only
 * so many under way, and reading stops again at three quarters of {@code process.memory}.
 */
final class SlowClients {
  /** Other clients wait for this part of the timeout. */
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
   * The slow clients of connection, on which queue waits.
   *
   * @param stopReading stops reading the connection; may be called twice in a row
   * @param readAgain reads it again; may be called twice in a row
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

  /** One more client does not take its replies. */
  void add() {
    clients++;
    if (!readingOn || !isMemoryLeft()) {
      stop();
    }
  }

  /** One of the clients takes its replies again, or is gone. */
  void remove() {
    clients--;
    readAgain();
  }

  /** Whether other event loops have yet to read what they were given. */
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

  /** Reading stops if it has gone on for others, and memory runs short. Called for each reply. */
  void checkMemory() {
    if (readingOn && !isMemoryLeft()) {
      stop();
    }
  }

  /**
   * Reading goes on for the others, or stops again; called every few milliseconds.
   *
   * @param isInsideReply whether the first reply has begun: nobody waits for its request
   * @param timeout of requests, in nanoseconds
   */
  void sweep(boolean isInsideReply, long timeout) {
    if (clients == 0 && !behind) {
      return;
    }
    long since = loop.now() - (readingOn ? 0 : timeout / PART_OF_TIMEOUT);
    boolean goesOn = isMemoryLeft() && doOthersWait(isInsideReply ? 1 : 0, since);
    if (goesOn && !readingOn) {
      readingOn = true;
      readAgain.run();
    } else if (!goesOn && readingOn) {
      stop();
    }
  }

  private boolean isMemoryLeft() {
    return loop.memory().isRelaxed();
  }

  private boolean doOthersWait(int from, long since) {
    for (int i = from; i < queue.size(); i++) {
      ServerRequest request = queue.get(i);
      if (request.started() - since > 0) {
        return false; // those behind it are younger
      }
      ReplyReceiver receiver = request.receiver();
      if (receiver != null && !receiver.holdsUp(connection)) {
        return true;
      }
    }
    return false;
  }
}
