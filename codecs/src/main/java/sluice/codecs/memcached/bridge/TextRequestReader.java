package sluice.codecs.memcached.bridge;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.McmcNumber;
import sluice.codecs.buffer.StrtolNumber;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.text.KeyedLine;
import sluice.codecs.memcached.text.TextLine;
import sluice.names.Command;

/**
 * Reader of the lines of the classic text protocol (memcached's protocol.txt, "Commands"). It
 * refuses what a server would refuse, in the server's words. Stateless.
 */
public final class TextRequestReader {
  public static final String BAD_FORMAT = "CLIENT_ERROR bad command line format";
  public static final String BAD_EXPTIME = "CLIENT_ERROR invalid exptime argument";
  private static final String TOO_FEW = "ERROR";

  private TextRequestReader() {}

  /**
   * Reads a line with one key; {@code StorageLine} must have accepted that of a storage command.
   * The caller sets the server key. Borrows the line's buffer.
   *
   * @param token index of the line's token that is the key
   * @param version whose way of reading the line is followed
   * @return the error line to answer with, without line end; or null
   */
  public static @Nullable String read(
      TextLine line, Command command, int token, ServerVersion version, Request request) {
    if (line.count() <= token) {
      return version.readsLinesAsProxy() ? BAD_FORMAT : TOO_FEW;
    }
    String error =
        switch (command) {
          case GET -> read(request, Request.VALUE | Request.FLAGS);
          case GETS -> read(request, Request.VALUE | Request.FLAGS | Request.CAS);
          case SET -> store(line, request, Operation.SET);
          case ADD -> store(line, request, Operation.ADD);
          case REPLACE -> store(line, request, Operation.REPLACE);
          case APPEND -> store(line, request, Operation.APPEND);
          case PREPEND -> store(line, request, Operation.PREPEND);
          case CAS -> cas(line, request);
          case GAT, GATS, DELETE, INCR, DECR, TOUCH -> keyed(line, command, version, request);
          default -> throw new IllegalArgumentException(command.label() + " has no key");
        };
    request.clientKey.set(line.buffer(), line.start(token), line.end(token));
    return error;
  }

  private static @Nullable String keyed(
      TextLine line, Command command, ServerVersion version, Request request) {
    KeyedLine keyed = request.keyed.read(line, command, version);
    switch (command) {
      case GAT -> read(request, Request.VALUE | Request.FLAGS);
      case GATS -> read(request, Request.VALUE | Request.FLAGS | Request.CAS);
      case DELETE -> request.clear(Operation.DELETE);
      case TOUCH -> request.clear(Operation.TOUCH);
      default -> {
        request.clear(command == Command.INCR ? Operation.INCREMENT : Operation.DECREMENT);
        request.wants = Request.VALUE;
        request.arithmetic.delta = keyed.number();
      }
    }
    if (command == Command.GAT || command == Command.GATS || command == Command.TOUCH) {
      request.timeToLive.set(Exptime.ofText(keyed.number()));
    }
    return keyed.error();
  }

  /**
   * Reads a line of flush_all, stats or version. Borrows the line's buffer.
   *
   * @param proxy whether the line is read as from 1.6.40 on
   * @return the error line to answer with, without line end; or null
   */
  public static @Nullable String readKeyless(
      TextLine line, Command command, boolean proxy, Request request) {
    switch (command) {
      case VERSION -> request.clear(Operation.VERSION);
      case STATS -> {
        request.clear(Operation.STATS);
        if (line.count() > 1) {
          request.key.set(line.buffer(), line.start(1), line.end(line.count() - 1));
          request.clientKey.set(request.key);
          request.returnsKey = true;
        }
      }
      default -> {
        request.clear(Operation.FLUSH);
        if (line.count() > 1 && !line.is(1, "noreply")) {
          if (!readExptime(line, 1, proxy, request)) {
            return BAD_EXPTIME;
          }
          request.timeToLive.isGiven = request.timeToLive.exptime > 0; // any other value means now
        }
      }
    }
    return null;
  }

  private static @Nullable String read(Request request, int wants) {
    request.clear(Operation.GET);
    request.wants = wants;
    request.returnsKey = true;
    return null;
  }

  private static @Nullable String store(TextLine line, Request request, Operation operation) {
    request.clear(operation);
    ByteBuf in = line.buffer();
    // wraps, as in memcached
    request.flags = (int) StrtolNumber.unsigned(in, line.start(2), line.end(2));
    readExptime(line, 3, false, request);
    request.valueLength = valueLength(in, line.start(4), line.end(4));
    return null;
  }

  private static @Nullable String cas(TextLine line, Request request) {
    store(line, request, Operation.SET);
    request.cas = StrtolNumber.unsigned(line.buffer(), line.start(5), line.end(5));
    request.comparesCas = true;
    return null;
  }

  /**
   * Reads an exptime; returns false if it is invalid.
   *
   * @param strict whether it must fit into 32 bits; otherwise it wraps, as in memcached
   */
  private static boolean readExptime(TextLine line, int token, boolean strict, Request request) {
    ByteBuf in = line.buffer();
    int from = line.start(token);
    int to = line.end(token);
    if (strict ? !McmcNumber.isInt(in, from, to) : !StrtolNumber.isSigned(in, from, to)) {
      return false;
    }
    long seconds = strict ? McmcNumber.intValue(in, from, to) : StrtolNumber.signed(in, from, to);
    request.timeToLive.set(Exptime.ofText(seconds));
    return true;
  }

  /**
   * The length of a data block, as {@code StorageLine} has accepted it for some version: it wraps,
   * as in memcached before 1.6.40, and a lone minus is 0, as in those from 1.6.40 on. Borrows
   * buffer.
   */
  static int valueLength(ByteBuf in, int from, int to) {
    return StrtolNumber.isSigned(in, from, to) ? (int) StrtolNumber.signed(in, from, to) : 0;
  }
}
