package sluice.gateway.internode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import sluice.codecs.ProtocolException;
import sluice.codecs.internode.Accept;
import sluice.codecs.internode.ConnectionType;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.Initiate;
import sluice.codecs.internode.LegacyHandshake;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.LinkType;

/**
 * Handshake of a link: the first message of each side, collected and parsed. Only the framing and
 * addresses are changed. Both messages are small and occur once in a connection, so they are
 * copied.
 */
final class LinkHandshake {
  /**
   * The first version whose frames and message headers are known: Cassandra 4.0; the last is 6.0.
   */
  private static final int FIRST_KNOWN = Initiate.FIRST_MODERN;

  private static final int LAST_KNOWN = 14;
  private static final int MAX_INITIATE = 31;

  /**
   * The first byte of a TLS connection (RFC 8446, 5.1), with which no Initiate of any version
   * begins.
   */
  private static final int TLS_HANDSHAKE = 0x16;

  private final Initiate initiate = new Initiate();
  private final boolean passesTls;
  private ByteBuf gathered;
  private LinkType type = LinkType.HANDSHAKE;
  private boolean framed;
  private boolean answered;

  @SuppressWarnings("NullAway.Init") // set if frames follow, and read only then
  private Framing chosen;

  @SuppressWarnings("NullAway.Init") // as chosen
  private Framing sent;

  private @Nullable InetSocketAddress from;
  private int version;
  private int acceptorMaxVersion;

  /** A handshake that has not begun; passesTls tells whether nodes may encrypt instead. */
  LinkHandshake(Loop loop, boolean passesTls) {
    this.passesTls = passesTls;
    gathered = loop.buffer(MAX_INITIATE);
  }

  /**
   * Takes the initiator's message from the front of bytes, which it borrows. There is none if nodes
   * speak TLS to each other, which is relayed if neither side of the gateway uses TLS.
   *
   * @return whether it is complete
   * @throws ProtocolException if it is invalid, or its CRC32 is wrong
   */
  boolean readInitiate(ByteBuf bytes) {
    if (gathered.writerIndex() == 0
        && bytes.isReadable()
        && bytes.getByte(bytes.readerIndex()) == TLS_HANDSHAKE) {
      if (!passesTls) {
        throw new ProtocolException("found what looks like TLS, expected an Initiate");
      }
      type = LinkType.TLS;
      answered = true;
      return true;
    }
    while (bytes.isReadable()) {
      gathered.writeByte(bytes.readByte());
      if (Initiate.length(gathered, 0, gathered.writerIndex()) == gathered.writerIndex()) {
        wrapInitiate();
        return true;
      }
    }
    return false;
  }

  private void wrapInitiate() {
    initiate.wrap(gathered, 0);
    framed = !initiate.isLegacy() && !initiate.isStreaming();
    answered = !(initiate.isLegacy() && initiate.isStreaming());
    type = initiate.isStreaming() ? LinkType.STREAMING : LinkType.LEGACY;
    if (!initiate.isLegacy()) {
      from = initiate.from();
    }
    if (framed) {
      type = type(initiate.type());
      chosen = initiate.framing();
      sent = chosen;
    }
  }

  private static LinkType type(ConnectionType type) {
    return switch (type) {
      case URGENT -> LinkType.URGENT;
      case SMALL -> LinkType.SMALL;
      case LARGE -> LinkType.LARGE;
      case LEGACY -> LinkType.LEGACY;
    };
  }

  /**
   * The message for the server; the caller owns the result. It states the framing that messages
   * will have. If the initiator may speak an unknown version, the framing stays, because its frames
   * are not changed.
   *
   * @param addresses replacements; null for none
   */
  ByteBuf takeInitiate(Upstream upstream, @Nullable LinkAddresses addresses) {
    if (framed && initiate.maxVersion() <= LAST_KNOWN) {
      sent = upstream.framing(chosen);
      if (sent != chosen) {
        initiate.setFraming(sent);
      }
    }
    ByteBuf taken = take();
    if (addresses == null || from == null) {
      return taken;
    }
    ByteBuf replaced = taken.alloc().directBuffer(MAX_INITIATE);
    addresses.there().writeInitiate(initiate, taken, replaced);
    taken.release();
    return replaced;
  }

  /**
   * Takes the server's answer to framed messages from the front of bytes, which it borrows. The
   * answer of a node before 4.0 ends after its version.
   *
   * @return whether it is complete
   * @throws ProtocolException if its CRC32 is wrong
   */
  boolean readAccept(ByteBuf bytes) {
    while (bytes.isReadable()) {
      gathered.writeByte(bytes.readByte());
      if (gathered.writerIndex() == LegacyHandshake.ACCEPT_LENGTH
          && LegacyHandshake.maxVersion(gathered, 0) < Initiate.FIRST_MODERN) {
        version = LegacyHandshake.maxVersion(gathered, 0);
        type = LinkType.LEGACY;
        return true;
      }
      if (gathered.writerIndex() == Accept.LENGTH) {
        Accept.check(gathered, 0);
        version = Accept.useVersion(gathered, 0);
        acceptorMaxVersion = Accept.maxVersion(gathered, 0);
        return true;
      }
    }
    return false;
  }

  /** The answer, unchanged; the caller owns the result. */
  ByteBuf takeAnswer() {
    return take();
  }

  private ByteBuf take() {
    ByteBuf taken = gathered;
    gathered = taken.alloc().directBuffer(Accept.LENGTH);
    return taken;
  }

  void release() {
    gathered.release();
    gathered = Unpooled.EMPTY_BUFFER;
  }

  LinkType type() {
    return type;
  }

  /** Whether stream messages follow, of a version since 4.0. */
  boolean isModernStream() {
    return type == LinkType.STREAMING && from != null;
  }

  /** Whether frames follow in one direction and nothing in the other. */
  boolean isFramed() {
    return framed;
  }

  /** Whether the server sends anything before the initiator continues. */
  boolean isAnswered() {
    return answered;
  }

  /** Whether frames and messages of the negotiated version are known. */
  boolean isKnown() {
    return isKnown(version);
  }

  /**
   * A description of what follows a complete Initiate, if it cannot be inspected for any answer of
   * the server; else null.
   */
  @Nullable String unknown() {
    if (type == LinkType.TLS) {
      return "TLS";
    }
    if (initiate.isLegacy()) {
      return unknown(initiate.requestedVersion());
    }
    return initiate.isStreaming() && !isKnown(initiate.maxVersion())
        ? unknown(initiate.maxVersion())
        : null;
  }

  /** A description of what follows the server's answer, if it cannot be inspected. */
  String unknownAnswer() {
    return unknown(version);
  }

  private static String unknown(int version) {
    return "version " + Integer.toUnsignedString(version) + " of messages";
  }

  static boolean isKnown(int version) {
    return version >= FIRST_KNOWN && version <= LAST_KNOWN;
  }

  /** The framing of the initiator's messages; only if {@link #isFramed}. */
  Framing chosen() {
    return chosen;
  }

  /** The framing that the server expects; only if {@link #isFramed}. */
  Framing sent() {
    return sent;
  }

  /** The negotiated version. */
  int version() {
    return version;
  }

  /** The newest version of the server. */
  int acceptorMaxVersion() {
    return acceptorMaxVersion;
  }

  /** The address that the initiator states as its own; null if it did not. */
  @Nullable InetSocketAddress from() {
    return from;
  }

  /** The node that opened a link which carries messages. */
  @SuppressWarnings("NullAway") // before frames, an initiator states its address
  InetSocketAddress sender() {
    return from;
  }
}
