package sluice.gateway.client;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import sluice.gateway.client.input.ArrivalWatch;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.PendingReply.Requester;
import sluice.gateway.server.Server;

/**
 * Control of a client connection by its parts: its socket, and the reasons for pausing it. Belongs
 * to one event loop.
 */
interface ClientControl {
  // --- reasons not to read, one bit each ------------------------------------------------------

  /** Too many requests in flight, or with servers that have not answered requests of others. */
  int WINDOW = 1;

  /** The client does not read its replies. */
  int OUTPUT = 1 << 1;

  /** A server connection is being made, or does not take more. */
  int SERVER = 1 << 2;

  /** All earlier requests must be answered first. */
  int BARRIER = 1 << 3;

  /** The process has buffered too much. */
  int MEMORY = 1 << 4;

  /** No more requests are taken; the connection closes when all are answered. */
  int ENDING = 1 << 5;

  /** An exclusive connection has been requested. */
  int EXCLUSIVE = 1 << 6;

  /** Another request reads the same key. */
  int NEAR = 1 << 7;

  /** Its share of this loop iteration is used up; the event loop's other clients come first. */
  int TURN = 1 << 8;

  /** There is no memory for a value or a long line that must be gathered. */
  int VALUE_MEMORY = 1 << 9;

  /** Number of observations of a stall before a client is closed. */
  int LOOKS = ArrivalWatch.LOOKS;

  /** Pauses the client for one more reason. */
  void pauseFor(int reason);

  /** Removes a reason; bytes read before are not processed yet. */
  void resumeFrom(int reason);

  /** Removes a reason: the client is resumed, and the paused time does not count as silence. */
  void goOnFrom(int reason);

  /** Memory for a value or a line is reserved: the client is read until that is there. */
  void memoryReserved();

  /** Whether the client is paused, for any reason. */
  boolean isPausedForAny();

  /** Whether the client is paused for this reason. */
  boolean isPausedFor(int reason);

  /** Processes the bytes that were read. An error in it ends the client's connection. */
  void process();

  /** Processes in a later task, because the caller may be in the middle of processing. */
  void processLater();

  /** Runs task now. An error in it ends the client's connection. */
  void run(Runnable task);

  /** Runs task in a later loop iteration. An error in it ends the client's connection. */
  void later(Runnable task);

  /**
   * Runs task once the event loop has handled its other sockets. An error in it ends the client's
   * connection.
   */
  void afterOthers(Runnable task);

  /**
   * Pauses the client until server takes more of a value, or has failed.
   *
   * @param progresses whether it has taken bytes since the last call
   */
  void waitFor(Server server, boolean progresses);

  // --- the socket ---------------------------------------------------------------------------

  /** The requester of the client's replies. */
  Requester requester();

  Channel channel();

  /** Whether the socket is open. */
  boolean isOpen();

  /** Whether its requests are carried out: its socket is open, or was closed after them. */
  boolean lives();

  /** Whether a client is left to read a reply. */
  boolean wantsReplies();

  /** Records that a request was only read, because no client is left to read its reply. */
  void costsLess();

  /** Records that the current request may have taken long: other clients come before the next. */
  void endsTurn();

  /** The current request reads that many keys: the more, the sooner other clients have a turn. */
  void costsKeys(int keys);

  /** The current request has copied that many bytes: the more, the sooner others have a turn. */
  void costsBytes(int copied);

  /** Pauses reading and processing until there is memory. */
  void pauseForMemory();

  /** The error reply to a request that failed for this reason; the caller owns the result. */
  ByteBuf failureReply(PendingReply reply, String reason);

  /** Whether the client may still take replies. */
  boolean takesReplies();

  /** Writes bytes of a reply. Consumes bytes. */
  void write(ByteBuf bytes);

  /** Writes the bytes [from, from + length) of source. Borrows source. */
  void write(ByteBuf source, int from, int length);

  /** The same, copied behind the bytes written before. Borrows source. */
  void writeCopy(ByteBuf source, int from, int length);

  /** Bytes written that the socket has not taken. */
  long pendingBytes();

  /** Whether bytes were written since the last flush: not all of them may count as pending. */
  boolean awaitsFlush();

  /** Bytes that the socket has taken. */
  long takenBytes();

  /** Bytes held for the client, besides pending writes. */
  long heldBytes();

  /** Bytes of requests among those held. */
  long heldInput();

  /** Accounts for bytes held for the client; negative: fewer. */
  void hold(long delta);

  /** Updates the count of buffered bytes. */
  void account();

  /** Everything is answered, and no more requests follow: closes. */
  void leave();

  /** Closes inside a reply, and writes nothing more. */
  void breakOff();

  /** The reply is answered, and not used afterwards. */
  void answered(PendingReply reply);
}
