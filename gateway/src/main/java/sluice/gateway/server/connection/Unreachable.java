package sluice.gateway.server.connection;

import java.io.FileNotFoundException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.util.Locale;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import sluice.gateway.tls.TlsException;

/**
 * Stable error texts for clients of an unreachable server: they contain no address, and no text of
 * a library. Logs contain the rest.
 */
public final class Unreachable {
  static final String TLS = "TLS handshake failed";
  private static final String UNKNOWN = "connection failed";

  /** Parts of messages about socket failures, for any transport, and the error text for each. */
  private static final String[][] WORDS = {
    {"refused", "connection refused"},
    {"timed out", "connection timed out"},
    {"timeout", "connection timed out"},
    {"reset", "connection reset"},
    {"no route to host", "no route to host"},
    {"host is unreachable", "no route to host"},
    {"unreachable", "network unreachable"},
    {"no such file", "no such socket"},
    {"permission denied", "permission denied"},
    {"too many open files", "too many open files"},
    {"cannot assign requested address", "no free local port"},
    {"closed", "connection closed"},
  };

  /** The system call at the beginning of a message of Netty's native transports. */
  private static final Pattern CALL =
      Pattern.compile("^\\w+\\(\\.\\.\\)(?: failed)?(?: with error\\(-?\\d+\\))?: ");

  /** Java's sign before an address that has no host name. */
  private static final Pattern ADDRESS = Pattern.compile(": /(?=[0-9\\[])");

  private Unreachable() {}

  /** The error text for clients. */
  public static String words(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      String found = ofOne(cause);
      if (found != null) {
        return found;
      }
    }
    return UNKNOWN;
  }

  private static @Nullable String ofOne(Throwable failure) {
    if (failure instanceof TlsException) {
      return TLS;
    }
    if (failure instanceof UnknownHostException) {
      return "name not resolved";
    }
    if (failure instanceof NoRouteToHostException) {
      return "no route to host";
    }
    if (failure instanceof FileNotFoundException) {
      return "no such socket";
    }
    if (failure instanceof TimeoutException) {
      return "connection timed out";
    }
    if (failure instanceof ClosedChannelException) {
      return "connection closed";
    }
    String message = String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT);
    for (String[] each : WORDS) {
      if (message.contains(each[0])) {
        return each[1];
      }
    }
    return null;
  }

  /** Everything known about the failure, for logs, without the name of the system call. */
  public static String detail(Throwable failure) {
    String message = failure.getMessage();
    if (failure instanceof FileNotFoundException) {
      return "the socket file does not exist"; // epoll's and io_uring's have no message
    }
    return message == null
        ? failure.getClass().getSimpleName()
        : ADDRESS.matcher(CALL.matcher(message).replaceFirst("")).replaceAll(": ");
  }
}
