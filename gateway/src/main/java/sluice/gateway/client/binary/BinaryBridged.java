package sluice.gateway.client.binary;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.bridge.ReplyWriter;
import sluice.codecs.memcached.bridge.Request;
import sluice.gateway.client.ConnectedClient;
import sluice.gateway.client.ValueSlices;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.Dispatcher;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.Outcome;
import sluice.names.Command;
import sluice.names.Dialect;

/**
 * Handler of requests with a key that take the canonical form ({@link Backend}). The canonical form
 * of a waiting request is kept in its {@link BinaryRequest}.
 */
final class BinaryBridged {
  /** Reader of packets into canonical requests. */
  interface CanonicalForm {
    /** Reads the complete head of a request into canonical. Borrows both. */
    void read(BinaryRequest request, Request canonical);
  }

  private final Loop loop;
  private final BinaryRouting routing;
  private final Dispatcher dispatcher;
  private final CanonicalForm form;
  private final ReplyWriter replies;

  BinaryBridged(
      Loop loop,
      Dispatcher dispatcher,
      BinaryRouting routing,
      CanonicalForm form,
      ReplyWriter replies) {
    this.loop = loop;
    this.dispatcher = dispatcher;
    this.routing = routing;
    this.form = form;
    this.replies = replies;
  }

  /** The request in canonical form, as for the servers of backend; owned by the request. */
  private RequestContext canonical(BinaryRequest request, Backend backend) {
    RequestContext kept = request.canonical(backend);
    if (kept != null) {
      return kept;
    }
    RequestContext old = request.takeCanonical();
    if (old != null) {
      dispatcher.give(old);
    }
    RequestContext context =
        dispatcher.take(request.client(), request.command(), Dialect.BINARY, replies);
    request.canonical(context, backend);
    form.read(request, context.request());
    context.rename(request.rewrite());
    backend.adapt(context);
    return context.suppressing(request.packet.suppression());
  }

  /** Handles a request with a valid head, for backend. Waits, or finishes it. */
  void send(BinaryRequest request, Backend backend) {
    RequestContext context = canonical(request, backend);
    if (request.hasValue()) {
      whole(request, context, backend);
    } else if (request.valueLength() <= ConnectedClient.GATHER_LIMIT || backend.gathers(context)) {
      request.owner().gather(request, request.valueLength());
    } else {
      stream(request, context, backend);
    }
  }

  private void whole(BinaryRequest request, RequestContext context, Backend backend) {
    int value = request.valueLength();
    switch (backend.prepare(context)) {
      case READY -> {
        if (value > 0) {
          context.value().add(loop.slice(request.buffer(), request.headEnd(), value));
        }
        BinaryRequest.Owner owner = request.owner();
        Command command = request.command();
        ByteBuf refused = backend.send(context);
        owner.packetDone(request, value);
        if (refused != null) {
          owner.client().answer(command, Outcome.REJECTED, refused);
        }
      }
      case ANSWERED -> routing.answer(request, context.outcome(), context.takeAnswer(), value);
      case FAILED -> routing.fail(request, context.failure(), value);
      case WAITS -> {}
    }
  }

  private void stream(BinaryRequest request, RequestContext context, Backend backend) {
    BinaryRequest.Owner owner = request.owner();
    if (!owner.client().isAloneAndSettled()) {
      return;
    }
    Command command = request.command();
    int value = request.valueLength();
    ByteBuf refused = backend.stream(context, false);
    owner.packetDone(request, 0);
    if (refused != null) {
      owner.discard(value, command, Outcome.REJECTED, refused);
    }
  }

  /** Handles a request whose value has been gathered. Borrows slices. */
  void sendGathered(BinaryRequest request, Backend backend, ValueSlices slices) {
    RequestContext context = canonical(request, backend);
    switch (backend.prepare(context)) {
      case READY -> {
        BinaryRequest.Owner owner = request.owner();
        Command command = request.command();
        slices.moveTo(context.value(), 0);
        ByteBuf refused = backend.send(context);
        owner.gatheredDone(request);
        if (refused != null) {
          owner.client().answer(command, Outcome.REJECTED, refused);
        }
      }
      case FAILED -> routing.failGathered(request, context.failure());
      default -> {} // it waits: every change needs a server
    }
  }

  /**
   * Deletes the item that a request would have replaced, because its value is too large.
   *
   * @return false if the request must be tried again
   */
  boolean delete(BinaryRequest request, Backend backend) {
    return dispatcher.delete(canonical(request, backend), backend);
  }
}
