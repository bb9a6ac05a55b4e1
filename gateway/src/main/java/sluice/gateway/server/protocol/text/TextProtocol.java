package sluice.gateway.server.protocol.text;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
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

/** Text protocol of memcached, classic and meta, which share connections. */
public final class TextProtocol implements ServerProtocol {
  /** The only instance. */
  public static final TextProtocol INSTANCE = new TextProtocol();

  private static final byte[] VERSION = "version\r\n".getBytes(US_ASCII);

  private TextProtocol() {}

  @Override
  public ServerStatus.Side side() {
    return ServerStatus.Side.TEXT;
  }

  @Override
  public Probe probe(Probed connection, ServerContext server) {
    return new TextProbe(connection, server);
  }

  @Override
  public ReplyDecoder replyDecoder(
      ReplyAssembler replies, RingQueue<ServerRequest> queue, ServerContext server) {
    return new TextReplyDecoder(replies, queue, server);
  }

  @Override
  public ByteBuf keepAlive(ServerRequest ping, int opaque, Loop loop) {
    ping.begin(Command.NOOP, ReplyKind.LINE, 0, loop.now());
    return loop.buffer(VERSION.length).writeBytes(VERSION); // which every version knows
  }

  @Override
  public JoinedReads joinedReads() {
    return new JoinedReads();
  }
}
