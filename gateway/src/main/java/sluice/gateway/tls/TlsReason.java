package sluice.gateway.tls;

import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.util.HexFormat;
import javax.net.ssl.SSLException;

/** Reason for a TLS failure in a few words. */
final class TlsReason {
  private static final String ALERT = "Received fatal alert: ";
  private static final String NO_RECORD = "not an SSL/TLS record: ";

  /** What Java says of an alert in plain bytes where TLS 1.3 has ciphertext. */
  private static final String NO_CIPHERTEXT = "Insufficient buffer remaining for AEAD";

  private static final String NO_CERTIFICATE = "Empty client certificate chain";
  // magic number in front of every version's message
  private static final String INITIATE = "ca552dfa";
  private static final int SHOWN = 16;
  private static final int MOST_CHARACTERS = 1_000;

  private TlsReason() {}

  /** The reason, in characters that a log may have: the other side chooses some of them. */
  static String of(Throwable failure) {
    return printable(reason(failure));
  }

  private static String printable(String text) {
    StringBuilder printable = new StringBuilder();
    text.codePoints()
        .limit(MOST_CHARACTERS)
        .forEach(each -> printable.appendCodePoint(isPrintable(each) ? each : '?'));
    return printable.toString();
  }

  private static boolean isPrintable(int character) {
    return switch (Character.getType(character)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.PRIVATE_USE,
          Character.SURROGATE,
          Character.UNASSIGNED ->
          false;
      default -> true;
    };
  }

  private static String reason(Throwable failure) {
    String message = String.valueOf(failure.getMessage());
    if (failure instanceof NotSslRecordException) {
      return message.startsWith(NO_RECORD)
          ? "found " + found(message.substring(NO_RECORD.length())) + ", expected a TLS record"
          : "a record is damaged";
    }
    if (failure instanceof SslHandshakeTimeoutException) {
      return "its " + message;
    }
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof IOException && !(cause instanceof SSLException)) {
        return "the peer closed the connection during the handshake";
      }
      if (cause instanceof CertificateException) {
        return String.valueOf(cause.getMessage()); // written by CertificateCheck
      }
    }
    int alert = message.indexOf(ALERT); // newer versions of Java also put the alert's name in front
    if (alert >= 0) {
      return "the peer refused with the alert " + message.substring(alert + ALERT.length());
    }
    if (message.contains(NO_CIPHERTEXT)) {
      return "the peer sent an alert before it encrypted: it probably refuses the certificate";
    }
    return message.contains(NO_CERTIFICATE) ? "no certificate was presented" : message;
  }

  /** A description of the bytes received instead, as text if they are printable. */
  private static String found(String hex) {
    if (hex.startsWith(INITIATE)) {
      return "an internode handshake without TLS";
    }
    byte[] first =
        HexFormat.of().parseHex(hex.substring(0, Math.min(hex.length() & ~1, 2 * SHOWN)));
    String text = new String(first, StandardCharsets.ISO_8859_1);
    return text.chars().allMatch(c -> (c >= ' ' && c < 0x7F) || c == '\r' || c == '\n')
        ? "\"" + text.replace("\r", "\\r").replace("\n", "\\n") + "\""
        : HexFormat.ofDelimiter(" ").formatHex(first);
  }
}
