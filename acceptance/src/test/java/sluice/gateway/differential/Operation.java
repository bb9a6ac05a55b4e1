package sluice.gateway.differential;

import java.io.ByteArrayOutputStream;
import java.util.List;

/** One request of a client, the same for both servers but for its cas unique. */
sealed interface Operation permits LineOperation, PacketOperation {
  /** Unique in its round. */
  int number();

  /** The command's name in the protocol's own terms. */
  String command();

  List<Key> keys();

  Cas cas();

  /** What it stores, or null. */
  Value value();

  Answer answer();

  /** Whether all earlier replies have come when this is sent. */
  boolean startsBatch();

  /** The same at the start of a batch. */
  Operation startingBatch();

  /** The same that is heard of in this way. */
  Operation answering(Answer other);

  /** Whether its reply ends with a fence, or is one. */
  default boolean isFence() {
    return answer() == Answer.FENCED || command().equals("mn") || command().equals("NOOP");
  }

  /** Appends the request with this cas unique, where it has one. */
  void write(ByteArrayOutputStream out, long cas);

  /** Its own fence, where it is {@link Answer#FENCED}, or that of a batch. */
  static Operation fence(Dialect dialect, int number) {
    return dialect == Dialect.BINARY ? PacketOperation.noop(number) : LineOperation.noop(number);
  }
}
