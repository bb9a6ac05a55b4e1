package sluice.gateway.client.binary;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.bridge.ReplyWriter;
import sluice.codecs.memcached.bridge.Request;
import sluice.gateway.client.ClientConnection;
import sluice.gateway.client.Pieces;
import sluice.gateway.dispatch.Bridge;
import sluice.gateway.dispatch.NearReads;
import sluice.gateway.dispatch.Target;
import sluice.gateway.exchange.KeyRewrite;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.session.Worker;
import sluice.names.Command;
import sluice.names.Dialect;

/** Packets with a key that take the neutral form ({@link Bridge}). */
final class BinaryBridged {
  /** Makes a neutral request of a packet. */
  interface Reader {
    /** Reads the head at an index, which is whole. Borrows in. */
    void read(ByteBuf in, int at, Request request);
  }

  private final BinaryClient client;
  private final Worker worker;
  private final BinaryPacket packet;
  private final BinaryRouting routing;
  private final Bridge bridge;
  private final Request request;
  private final Reader reader;
  private final ReplyWriter replies;

  BinaryBridged(
      BinaryClient client,
      Worker worker,
      Bridge bridge,
      BinaryRouting routing,
      Reader reader,
      ReplyWriter replies) {
    this.client = client;
    this.reader = reader;
    this.replies = replies;
    this.worker = worker;
    this.routing = routing;
    packet = routing.packet();
    this.bridge = bridge;
    request = bridge.request();
  }

  private void read(Target target, KeyRewrite rewrite) {
    reader.read(packet.buffer(), packet.at(), request);
    bridge.prepare(target, rewrite);
  }

  /**
   * A packet whose head is [from, headEnd) of buffer and well-formed; its value follows in in as
   * far as it has arrived. Waits, or is done with it. Borrows both.
   *
   * @param whole whether the value is all there
   */
  void packet(
      Command command,
      Target target,
      KeyRewrite rewrite,
      ByteBuf buffer,
      int from,
      int headEnd,
      int value,
      boolean whole) {
    read(target, rewrite);
    if (whole) {
      whole(command, target, buffer, headEnd, value);
    } else if (value <= ClientConnection.GATHER_LIMIT || bridge.sender().gathers(target)) {
      client.gather(buffer, from, headEnd, value);
    } else {
      stream(command, target, buffer, headEnd, value);
    }
  }

  private void whole(Command command, Target target, ByteBuf buffer, int headEnd, int value) {
    if (target.near() != null) {
      NearReads.Look look = bridge.near().look(client, command, replies, target, packet.hides());
      if (look == NearReads.Look.ANSWERED) {
        client.packetDone(buffer, headEnd + value);
      }
      if (look != NearReads.Look.PASSES) {
        return;
      }
    }
    if (!bridge.connect(client, target, Dialect.BINARY)) {
      routing.failUnlessWaiting(command, buffer, headEnd + value);
      return;
    }
    if (value > 0) {
      bridge.value().add(worker.loop().slice(buffer, headEnd, value));
    }
    ByteBuf refused = bridge.send(client, command, Dialect.BINARY, replies, target, packet.hides());
    client.packetDone(buffer, headEnd + value);
    if (refused != null) {
      client.answer(command, Outcome.REJECTED, refused);
    }
  }

  private void stream(Command command, Target target, ByteBuf buffer, int headEnd, int value) {
    if (!client.isAlone()) {
      return;
    }
    ByteBuf refused =
        bridge.stream(client, command, Dialect.BINARY, replies, target, packet.hides(), false);
    client.packetDone(buffer, headEnd);
    if (refused != null) {
      client.swallow(value, command, Outcome.REJECTED, refused, false);
    }
  }

  /** A packet that the routing's view shows, and whose value has been gathered. Borrows pieces. */
  void gathered(Command command, Target target, KeyRewrite rewrite, Pieces pieces) {
    read(target, rewrite);
    if (!bridge.connect(client, target, Dialect.BINARY)) {
      if (client.failure() != null) {
        String reason = client.failure();
        client.gatheredDone();
        client.fail(routing.exchange(command), reason);
      }
      return;
    }
    pieces.moveTo(bridge.value(), 0);
    ByteBuf refused = bridge.send(client, command, Dialect.BINARY, replies, target, packet.hides());
    client.gatheredDone();
    if (refused != null) {
      client.answer(command, Outcome.REJECTED, refused);
    }
  }

  /**
   * Deletes the item that a packet would have replaced, whose value is too large.
   *
   * @return false if the packet has to be tried again
   */
  boolean delete(Target target, KeyRewrite rewrite) {
    read(target, rewrite);
    return bridge.delete(client, Dialect.BINARY, target);
  }
}
