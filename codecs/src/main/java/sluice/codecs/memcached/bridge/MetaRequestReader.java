package sluice.codecs.memcached.bridge;

import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.text.MetaErrors;
import sluice.codecs.memcached.text.MetaFlag;
import sluice.codecs.memcached.text.TextLine;
import sluice.names.Command;

/**
 * Reader of the lines of the meta commands mg, ms, md and ma (memcached's protocol.txt, "Meta
 * Commands"). It refuses what a server would refuse, in the server's words. Flags that exist only
 * in meta are kept for a meta server. Stateless.
 */
public final class MetaRequestReader {
  private static final String INVALID_OR_DUPLICATE = "CLIENT_ERROR invalid or duplicate flag";
  private static final String TOO_MANY = "CLIENT_ERROR options flags are too long";
  private static final String TOO_MANY_BEFORE_PROXY = "CLIENT_ERROR options flags too long";

  private MetaRequestReader() {}

  /**
   * Reads a line with a key; {@code StorageLine} must have accepted that of an ms. The caller sets
   * the server key. Borrows the line's buffer.
   *
   * @param version of the server
   * @return the error line to answer with, without line end; or null
   */
  public static @Nullable String read(
      TextLine line, Command command, ServerVersion version, Request request) {
    boolean proxy = version.readsLinesAsProxy();
    int first = command == Command.MS ? 3 : 2;
    if (line.count() < first) {
      return proxy ? TextRequestReader.BAD_FORMAT : "ERROR";
    }
    if (proxy && !MetaFlag.mayBegin(line, first)) {
      return TextRequestReader.BAD_FORMAT;
    }
    if (line.count() > MetaTokens.MOST) {
      return tooMany(command, proxy);
    }
    request.clear(operation(command));
    request.meta.line = line;
    request.clientKey.set(line.buffer(), line.start(1), line.end(1));
    if (command == Command.MS) {
      request.valueLength =
          TextRequestReader.valueLength(line.buffer(), line.start(2), line.end(2));
    }
    MetaErrors errors = request.meta.errors;
    errors.begin(version);
    for (int token = first; token < line.count(); token++) {
      MetaFlag flag = errors.next(line, token);
      if (flag == null) {
        break;
      }
      String error = errors.ofArgument(line, token, flag);
      errors.add(flag, error == null ? read(line, token, flag, command, request) : error);
    }
    if (errors.error() != null) {
      return hasOneError(command, proxy) ? INVALID_OR_DUPLICATE : errors.error();
    }
    finish(command, request);
    return errors.later();
  }

  /** Whether servers report the same error for every fault in a flag. */
  private static boolean hasOneError(Command command, boolean proxy) {
    return command == Command.MA || (command == Command.MD && !proxy);
  }

  private static String tooMany(Command command, boolean proxy) {
    if (!proxy) {
      return command == Command.MG ? TOO_MANY : TOO_MANY_BEFORE_PROXY;
    }
    return command == Command.MA ? INVALID_OR_DUPLICATE : TOO_MANY;
  }

  /** A server's reply to a key that is too long; without line end. */
  public static String longKey(Command command, ServerVersion version) {
    return command == Command.MA && version.readsLinesAsProxy()
        ? INVALID_OR_DUPLICATE
        : TextRequestReader.BAD_FORMAT;
  }

  private static Operation operation(Command command) {
    return switch (command) {
      case MG -> Operation.GET;
      case MS -> Operation.SET;
      case MD -> Operation.DELETE;
      case MA -> Operation.INCREMENT;
      default -> throw new IllegalArgumentException(command.label() + " has no canonical form");
    };
  }

  private static void finish(Command command, Request request) {
    if (command == Command.MG && request.timeToLive.isGiven && !request.wants(Request.VALUE)) {
      request.operation = Operation.TOUCH;
    }
    if (request.operation == Operation.ADD) {
      request.comparesCas = false; // as in memcached, whose mode E ignores it
    }
  }

  private static @Nullable String read(
      TextLine line, int token, MetaFlag flag, Command command, Request request) {
    switch (flag) {
      case BASE64 -> request.isBase64 = true;
      case RETURN_KEY -> {
        request.returnsKey = true;
        request.meta.repeat(flag);
      }
      case OPAQUE -> {
        request.meta.opaque = token;
        request.meta.repeat(flag);
      }
      case RETURN_CAS -> want(request, Request.CAS, flag, command != Command.MD);
      case RETURN_FLAGS -> want(request, Request.FLAGS, flag, command == Command.MG);
      case HIT_BEFORE -> want(request, Request.HIT_BEFORE, flag, command == Command.MG);
      case LAST_ACCESS -> want(request, Request.LAST_ACCESS, flag, command == Command.MG);
      case TIME_LEFT -> {
        want(request, Request.TTL, flag, command == Command.MG || command == Command.MA);
        request.meta.timeLeft = token;
      }
      case SIZE ->
          want(request, Request.SIZE, flag, command == Command.MG || command == Command.MS);
      case VALUE -> {
        if (command == Command.MG || command == Command.MA) {
          request.wants |= Request.VALUE;
        }
      }
      case QUIET -> {
        // The caller that requests the reply knows what it suppresses.
      }
      case PROXY_PATH, PROXY_LABEL -> request.meta.keep(token);
      case MODE -> {
        return mode(line, token, command, request);
      }
      default -> argument(line, token, flag, command, request);
    }
    return null;
  }

  private static void want(Request request, int field, MetaFlag flag, boolean known) {
    if (known) {
      request.wants |= field;
      request.meta.repeat(flag);
    }
  }

  private static @Nullable String mode(TextLine line, int token, Command command, Request request) {
    int length = line.length(token) - 1;
    if (length != 1 && !request.meta.errors.version().readsLinesAsProxy()) {
      return MetaErrors.BAD_MODE_LENGTH;
    }
    byte mode = length > 0 ? line.buffer().getByte(line.start(token) + 1) : 0;
    if (command == Command.MS) {
      request.operation = storage(mode);
    }
    return command == Command.MA ? arithmetic(request, mode) : null;
  }

  /** Reads an argument that is valid. */
  private static void argument(
      TextLine line, int token, MetaFlag flag, Command command, Request request) {
    switch (flag) {
      case TIME_TO_LIVE, VIVIFY, RECACHE ->
          seconds(request, token, flag, command, request.meta.errors.seconds(line, token));
      case SET_FLAGS -> {
        request.flags = (int) MetaErrors.unsigned(line, token);
        if (command == Command.MD) {
          request.meta.keep(token); // of the item that x leaves without a value
        }
      }
      case COMPARE_CAS, SET_CAS, INITIAL, DELTA ->
          unsigned(request, token, flag, command, MetaErrors.unsigned(line, token));
      default -> { // I, u, x
        boolean meant =
            switch (flag) {
              case NO_UPDATE -> command == Command.MG;
              case REMOVE_VALUE -> command == Command.MD;
              default -> command == Command.MS || command == Command.MD;
            };
        if (meant) {
          request.meta.keepNeeded(token, flag);
        }
      }
    }
  }

  private static void seconds(
      Request request, int token, MetaFlag flag, Command command, long seconds) {
    long exptime = Exptime.ofText(seconds);
    if (flag == MetaFlag.TIME_TO_LIVE && command == Command.MD) {
      request.meta.keep(token); // has a meaning only with I and x
      request.left.set(exptime, token);
    } else if (flag == MetaFlag.TIME_TO_LIVE) {
      request.timeToLive.set(exptime, token);
    } else if (flag == MetaFlag.VIVIFY && command == Command.MA) {
      request.arithmetic.created.set(exptime, token);
    } else if (flag == MetaFlag.RECACHE) {
      if (command == Command.MG) {
        request.meta.keepNeeded(token, flag);
      }
    } else if (command != Command.MD) {
      request.meta.keepNeeded(token, flag);
      request.left.set(exptime, token);
    }
  }

  private static void unsigned(
      Request request, int token, MetaFlag flag, Command command, long value) {
    switch (flag) {
      case COMPARE_CAS -> {
        if (command == Command.MG) {
          request.meta.keepNeeded(token, flag);
        } else {
          request.cas = value;
          request.comparesCas = true;
        }
      }
      case SET_CAS -> request.meta.keepNeeded(token, flag);
      case INITIAL -> request.arithmetic.initial = value;
      default -> request.arithmetic.delta = value;
    }
  }

  private static Operation storage(byte mode) {
    return switch (mode) {
      case 'E' -> Operation.ADD;
      case 'A' -> Operation.APPEND;
      case 'P' -> Operation.PREPEND;
      case 'R' -> Operation.REPLACE;
      default -> Operation.SET;
    };
  }

  private static @Nullable String arithmetic(Request request, byte mode) {
    switch (mode) {
      case 'I', '+' -> request.operation = Operation.INCREMENT;
      case 'D', '-' -> request.operation = Operation.DECREMENT;
      default -> {
        return MetaErrors.BAD_MODE_OF_MA;
      }
    }
    return null;
  }
}
