package sluice.gateway.client.binary;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.bridge.ReplyWriter;
import sluice.codecs.memcached.bridge.Request;
import sluice.gateway.client.ClientConnection;
import sluice.gateway.client.Pieces;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.Dispatcher;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.exchange.KeyRewrite;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.session.Worker;
import sluice.names.Command;
import sluice.names.Dialect;

/** Packets with a key in canonical form ({@link Backend}). */
final class BinaryBridged {
  /** Makes a request in canonical form of a packet. */
  interface Reader {
    /** Reads the head at an index, which is whole. Borrows in. */
    void read(ByteBuf in, int at, Request request);
  }

  private final BinaryClient client;
  private final Worker worker;
  private final BinaryPacket packet;
  private final BinaryRouting routing;
  private final Dispatcher dispatcher;
  private final Reader reader;
  private final ReplyWriter replies;

  BinaryBridged(
      BinaryClient client,
      Worker worker,
      Dispatcher dispatcher,
      BinaryRouting routing,
      Reader reader,
      ReplyWriter replies) {
    this.client = client;
    this.reader = reader;
    this.replies = replies;
    this.worker = worker;
    this.routing = routing;
    packet = routing.packet();
    this.dispatcher = dispatcher;
  }

  /** The packet in canonical form, as the servers of backend are to see it; to be given back. */
  private RequestContext read(Command command, Backend backend, KeyRewrite rewrite) {
    RequestContext context = dispatcher.take(client, command, Dialect.BINARY, replies);
    reader.read(packet.buffer(), packet.at(), context.request());
    context.rename(rewrite);
    backend.adapt(context);
    return context.hiding(packet.hides());
  }

  /**
   * A packet whose head is [from, headEnd) of buffer and well-formed; its value follows in in as
   * far as it has arrived. Waits, or is done with it. Borrows both.
   *
   * @param whole whether the value is all there
   */
  void packet(
      Command command,
      Backend backend,
      KeyRewrite rewrite,
      ByteBuf buffer,
      int from,
      int headEnd,
      int value,
      boolean whole) {
    RequestContext context = read(command, backend, rewrite);
    try {
      if (whole) {
        whole(context, command, backend, buffer, headEnd, value);
      } else if (value <= ClientConnection.GATHER_LIMIT || backend.gathers(context)) {
        client.gather(buffer, from, headEnd, value);
      } else {
        stream(context, command, backend, buffer, headEnd, value);
      }
    } finally {
      dispatcher.give(context);
    }
  }

  private void whole(
      RequestContext context,
      Command command,
      Backend backend,
      ByteBuf buffer,
      int headEnd,
      int value) {
    switch (backend.prepare(context)) {
      case READY -> {
        if (value > 0) {
          context.value().add(worker.loop().slice(buffer, headEnd, value));
        }
        ByteBuf refused = backend.send(context);
        client.packetDone(buffer, headEnd + value);
        if (refused != null) {
          client.answer(command, Outcome.REJECTED, refused);
        }
      }
      case ANSWERED -> {
        client.packetDone(buffer, headEnd + value);
        client.answer(command, context.outcome(), context.takeAnswer());
      }
      case FAILED -> {
        client.packetDone(buffer, headEnd + value);
        client.fail(routing.exchange(command), context.failure());
      }
      case WAITS -> {}
    }
  }

  private void stream(
      RequestContext context,
      Command command,
      Backend backend,
      ByteBuf buffer,
      int headEnd,
      int value) {
    if (!client.isAlone()) {
      return;
    }
    ByteBuf refused = backend.stream(context, false);
    client.packetDone(buffer, headEnd);
    if (refused != null) {
      client.swallow(value, command, Outcome.REJECTED, refused, false);
    }
  }

  /** A packet that the routing's view shows, and whose value has been gathered. Borrows pieces. */
  void gathered(Command command, Backend backend, KeyRewrite rewrite, Pieces pieces) {
    RequestContext context = read(command, backend, rewrite);
    try {
      switch (backend.prepare(context)) {
        case READY -> {
          pieces.moveTo(context.value(), 0);
          ByteBuf refused = backend.send(context);
          client.gatheredDone();
          if (refused != null) {
            client.answer(command, Outcome.REJECTED, refused);
          }
        }
        case FAILED -> {
          client.gatheredDone();
          client.fail(routing.exchange(command), context.failure());
        }
        default -> {} // it waits: no change is answered without a server
      }
    } finally {
      dispatcher.give(context);
    }
  }

  /**
   * Deletes the item that a packet would have replaced, whose value is too large.
   *
   * @return false if the packet has to be tried again
   */
  boolean delete(Command command, Backend backend, KeyRewrite rewrite) {
    RequestContext context = read(command, backend, rewrite);
    try {
      return dispatcher.delete(context, backend);
    } finally {
      dispatcher.give(context);
    }
  }
}
