package sluice.gateway.dispatch;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.names.Dialect;

/**
 * Base of the policies around one backend, to which a policy delegates what it does not change. A
 * policy that only chooses among backends overrides {@link #select}, and no request is sent to it.
 */
public abstract class DelegatingBackend implements Backend {
  /** The backend that this one is around. */
  protected final Backend next;

  /** A backend around next. */
  protected DelegatingBackend(Backend next) {
    this.next = next;
  }

  @Override
  public final Pool pool() {
    return next.pool();
  }

  @Override
  public @Nullable Pool plain(Dialect client) {
    return next.plain(client);
  }

  @Override
  public void adapt(RequestContext request) {
    next.adapt(request);
  }

  @Override
  public boolean gathers(RequestContext request) {
    return next.gathers(request);
  }

  @Override
  public Admission prepare(RequestContext request) {
    return next.prepare(request);
  }

  @Override
  public @Nullable ByteBuf send(RequestContext request) {
    return next.send(request);
  }

  @Override
  public @Nullable ByteBuf stream(RequestContext request, boolean lined) {
    return next.stream(request, lined);
  }
}
