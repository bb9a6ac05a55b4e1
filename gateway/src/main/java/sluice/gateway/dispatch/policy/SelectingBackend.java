package sluice.gateway.dispatch.policy;

import io.netty.buffer.ByteBuf;
import sluice.gateway.dispatch.Admission;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.dispatch.RequestContext;
import sluice.names.Dialect;

/**
 * A backend that does nothing but choose among others by a request's key. No request is sent to it:
 * what it stands for is the backend of its first pool.
 */
abstract class SelectingBackend implements Backend {
  /** The backend that takes keys which nothing is known of. */
  abstract Backend first();

  @Override
  public abstract Backend select(Dialect client, ByteBuf key, int from, int to, ByteBuf renamed);

  @Override
  public final Pool pool() {
    return first().pool();
  }

  @Override
  public final Pool plain(Dialect client) {
    return first().plain(client);
  }

  @Override
  public final void adapt(RequestContext request) {
    first().adapt(request);
  }

  @Override
  public final boolean gathers(RequestContext request) {
    return first().gathers(request);
  }

  @Override
  public final Admission prepare(RequestContext request) {
    return first().prepare(request);
  }

  @Override
  public final ByteBuf send(RequestContext request) {
    return first().send(request);
  }

  @Override
  public final ByteBuf stream(RequestContext request, boolean lined) {
    return first().stream(request, lined);
  }
}
