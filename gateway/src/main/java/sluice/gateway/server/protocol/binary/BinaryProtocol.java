package sluice.gateway.server.protocol.binary;

import io.netty.buffer.ByteBuf;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;
import sluice.gateway.loop.Loop;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.RingQueue;
import sluice.gateway.request.ServerRequest;
import sluice.gateway.server.health.ServerStatus;
import sluice.gateway.server.protocol.JoinedReads;
import sluice.gateway.server.protocol.Probe;
import sluice.gateway.server.protocol.Probed;
import sluice.gateway.server.protocol.ReplyAssembler;
import sluice.gateway.server.protocol.ReplyDecoder;
import sluice.gateway.server.protocol.ServerContext;
import sluice.gateway.server.protocol.ServerProtocol;
import sluice.names.Command;

/** Binary protocol of memcached, which Ignite's nodes speak, too. */
public final class BinaryProtocol implements ServerProtocol {
  /** The protocol of servers that may also be sent lines. */
  public static final BinaryProtocol INSTANCE = new BinaryProtocol(ServerVersion::reported);

  /**
   * The protocol of Ignite's nodes. They are never sent a line, so their version decides only the
   * words of refusals: as the newest memcached's.
   */
  public static final BinaryProtocol IGNITE = new BinaryProtocol(ServerVersion::parse);

  private final Function<String, ServerVersion> versions;

  private BinaryProtocol(Function<String, ServerVersion> versions) {
    this.versions = versions;
  }

  @Override
  public ServerStatus.Side side() {
    return ServerStatus.Side.BINARY;
  }

  @Override
  public Probe probe(Probed connection, ServerContext server) {
    return new BinaryProbe(connection, server, versions);
  }

  @Override
  public ReplyDecoder replyDecoder(
      ReplyAssembler replies, RingQueue<ServerRequest> queue, ServerContext server) {
    return new BinaryReplyDecoder(replies, server);
  }

  @Override
  public ByteBuf keepAlive(ServerRequest ping, int opaque, Loop loop) {
    ping.begin(Command.NOOP, ReplyKind.PACKET, Opcode.NOOP, loop.now());
    ping.opaque(opaque);
    ByteBuf noop = loop.buffer(BinaryHeader.LENGTH);
    noop.writeByte(BinaryHeader.REQUEST_MAGIC).writeByte(Opcode.NOOP).writeZero(22);
    BinaryHeader.setOpaque(noop, 0, opaque);
    return noop;
  }

  @Override
  public @Nullable JoinedReads joinedReads() {
    return null; // its quiet requests make them unnecessary
  }
}
