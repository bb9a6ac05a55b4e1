package sluice.ring;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A connection as the node that accepted it logs it ({@code InboundConnectionInitiator} of
 * Cassandra).
 *
 * @param initiator who the peer says it is, {@code address:port}
 * @param type {@code URGENT_MESSAGES}, {@code SMALL_MESSAGES} or {@code LARGE_MESSAGES}
 * @param version of the protocol that both use
 * @param framing what the initiation said that frames will be
 */
record InboundConnection(String initiator, String type, int version, Framing framing) {

  // /127.0.0.13:7000(/127.0.0.1:41022)->/127.0.0.2:7000-URGENT_MESSAGES-0a1b2c3d messaging
  // connection established, version = 12, framing = CRC, encryption = unencrypted
  // from who it says it is, from its socket, to the socket
  private static final Pattern ESTABLISHED =
      Pattern.compile(
          "/(\\S+?)\\(\\S*\\)->\\S+?-([A-Z]+_MESSAGES)-\\S+ messaging connection established, "
              + "version = (\\d+), framing = (\\w+),");

  /** What the line says, if it is about such a connection. */
  static Optional<InboundConnection> in(String line) {
    Matcher matcher = ESTABLISHED.matcher(line);
    return matcher.find()
        ? Optional.of(
            new InboundConnection(
                matcher.group(1),
                matcher.group(2),
                Integer.parseInt(matcher.group(3)),
                Framing.valueOf(matcher.group(4))))
        : Optional.empty();
  }
}
