package sluice.gateway.top;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Description of a port that does not speak HTTP. Blocks. */
final class OtherPort {
  private static final int PATIENCE_MILLIS = 2_000;
  private static final int LONGEST = 64;
  private static final Pattern VERSION = Pattern.compile("VERSION ([!-~]+)\r\n.*", Pattern.DOTALL);
  private static final byte[] QUESTION = "version\r\n".getBytes(US_ASCII);

  private OtherPort() {}

  /**
   * What is there, if it is memcached: the port that is confused with the admin port most often.
   */
  static Optional<String> memcached(String address) {
    int colon = address.lastIndexOf(':');
    String host = address.substring(0, colon).replaceAll("[\\[\\]]", "");
    int port = Integer.parseInt(address.substring(colon + 1));
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(host, port), PATIENCE_MILLIS);
      socket.setSoTimeout(PATIENCE_MILLIS);
      socket.getOutputStream().write(QUESTION);
      byte[] answer = new byte[LONGEST];
      int length = Math.max(0, socket.getInputStream().read(answer));
      Matcher version = VERSION.matcher(new String(answer, 0, length, US_ASCII));
      return version.matches()
          ? Optional.of("a memcached port (version " + version.group(1) + ")")
          : Optional.empty();
    } catch (IOException noAnswer) {
      return Optional.empty();
    }
  }
}
