package sluice.gateway.server.protocol;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.bridge.Awaited;
import sluice.codecs.memcached.bridge.Reply;
import sluice.codecs.memcached.bridge.ReplyReader;
import sluice.gateway.request.Bridged;
import sluice.gateway.request.ServerRequest;

/**
 * Reply to a bridged request of another event loop: it is passed on unchanged, and read only to
 * find its end.
 */
public final class RelayedReply implements UnitReply {
  private final Reply reply = new Reply();
  private boolean awaitsNumber; // as the next unit

  @Override
  public int unit(ByteBuf in, int from, int to, ServerRequest request) {
    Bridged bridged = BridgedReply.bridgeOf(request);
    Awaited awaited = bridged.awaited();
    ReplyReader reader = BridgedReply.readerOf(bridged);
    if (awaitsNumber) {
      awaitsNumber = false;
      return reader.readNumber(in, from, to, reply) ? NO_VALUE : NO_REPLY;
    }
    if (!reader.read(in, from, to, awaited, reply)) {
      return NO_REPLY;
    }
    awaitsNumber = reply.valueLength >= 0 && awaited.operation().isArithmetic();
    return reply.valueLength < 0 || awaitsNumber ? NO_VALUE : reply.valueLength;
  }

  @Override
  public void valueEnds(ServerRequest request) {
    // it is passed on already
  }

  @Override
  public boolean isWhole() {
    return !awaitsNumber && !reply.goesOn;
  }

  @Override
  public boolean isVerbatim() {
    return true;
  }

  @Override
  public boolean dropsValue() {
    return false;
  }
}
