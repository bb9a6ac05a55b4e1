package sluice.gateway.server.protocol;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.Bytes;
import sluice.gateway.request.ServerRequest;
import sluice.names.Command;

/**
 * Writer of gets for one value each on one connection: adjacent ones of a loop iteration are sent
 * as one line. The server answers all of them with one reply, which the decoder splits.
 *
 * <p>Only memcached itself is known to answer in the requested order.
 */
public final class JoinedReads {
  /**
   * The longest line with several keys, in bytes: every version of memcached reads it from one
   * buffer.
   */
  public static final int LONGEST_LINE = 1024;

  private static final byte[] GET = "get".getBytes(US_ASCII);
  private static final byte[] GETS = "gets".getBytes(US_ASCII);

  private boolean memcached;
  private @Nullable ServerRequest lastAsked; // last read in the open line; null if none is open
  private @Nullable Command command; // of that line

  /** Sets whether the server is memcached itself. */
  public void isMemcached(boolean memcached) {
    this.memcached = memcached;
  }

  /** Whether the server answers such a line in the requested order. */
  public boolean areUnderstood() {
    return memcached;
  }

  /**
   * Whether a read can join the open line: only if nothing else was sent since. Borrows open.
   *
   * @param last the last request on the connection, or null
   */
  public boolean fits(
      ServerRequest request, int keyLength, ByteBuf open, @Nullable ServerRequest last) {
    return command == request.command()
        && open.writableBytes() >= keyLength + 3 // a space, and the line's end
        && last == lastAsked;
  }

  /** Begins a line with a read, for the key [from, to) of in. Borrows line and in. */
  public void begin(ByteBuf line, ServerRequest request, ByteBuf in, int from, int to) {
    byte[] verb = verb(request);
    command = request.command();
    append(line.writeBytes(verb), request, verb, in, from, to);
  }

  /**
   * Adds a read that {@link #fits} to a line, for the key [from, to) of in. Borrows line and in.
   */
  @SuppressWarnings("NullAway") // an open line has a last read
  public void join(ByteBuf line, ServerRequest request, ByteBuf in, int from, int to) {
    lastAsked.sent().joins(request.sent());
    append(line, request, verb(request), in, from, to);
  }

  private void append(
      ByteBuf line, ServerRequest request, byte[] verb, ByteBuf in, int from, int to) {
    request.sent().rememberRead(verb, in, from, to);
    Bytes.append(in, from, to - from, line.writeByte(' '));
    lastAsked = request;
  }

  private static byte[] verb(ServerRequest request) {
    return request.command() == Command.GET ? GET : GETS;
  }

  /** Ends the open line. Borrows line. */
  public void end(ByteBuf line) {
    line.writeShort('\r' << 8 | '\n');
    lastAsked = null;
  }
}
