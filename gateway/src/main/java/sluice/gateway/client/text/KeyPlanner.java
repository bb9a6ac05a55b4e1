package sluice.gateway.client.text;

import io.netty.buffer.ByteBuf;
import sluice.gateway.client.text.multiget.MultiGetPlan;
import sluice.gateway.client.text.request.TextKey;
import sluice.gateway.client.text.request.TextRequest;
import sluice.gateway.dispatch.Admission;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.Connector;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.server.Server;
import sluice.names.Dialect;

/** Planner of reads of many keys: determines the server, or other source, of each key. */
final class KeyPlanner {
  /** Result of planning one key. */
  enum Planned {
    ADDED,
    /** Another request reads the same key. */
    WAITS,
    /** The line is invalid in the servers' dialect. */
    WRONG
  }

  private final TextBridged bridged;

  KeyPlanner(TextBridged bridged) {
    this.bridged = bridged;
  }

  /**
   * Plans the request for the key of the last rule.
   *
   * @param connector provides the connections of requests for one key
   */
  Planned planOne(MultiGetPlan plan, TextRequest request, int token, Connector connector) {
    Backend backend = TextRouting.backendOfOne(request);
    Pool pool = backend.pool();
    TextKey key = request.key;
    if (backend.plain(Dialect.TEXT) == null) {
      if (connector == request.client() && bridged.errorIn(request, token) != null) {
        return Planned.WRONG; // otherwise it was valid when the line was first examined
      }
      plan.takes(key.serverLength());
      return planApart(plan, request, token, backend, connector);
    }
    plan.takes(key.serverLength());
    Server server = pool.embedded() != null ? null : TextRouting.serverOf(pool, request);
    plan.add(pool, server, key.rewrite(), server != null && server.status().isAskedApart());
    return Planned.ADDED;
  }

  /** Plans a request of its own for a key, in canonical form. */
  private Planned planApart(
      MultiGetPlan plan, TextRequest request, int token, Backend backend, Connector connector) {
    RequestContext context = bridged.oneOfMany(request, token, backend, connector);
    Admission admission = backend.prepare(context);
    if (admission == Admission.WAITS) {
      bridged.give(context);
      return Planned.WAITS;
    }
    if (admission == Admission.ANSWERED) {
      plan.add(backend.pool(), answer(context));
      bridged.give(context);
      return Planned.ADDED;
    }
    plan.add(backend, context);
    return Planned.ADDED;
  }

  /** The answer to a read of one key among several; the caller owns the result. */
  @SuppressWarnings("NullAway") // such a read is never silent
  private static ByteBuf answer(RequestContext context) {
    return context.takeAnswer();
  }

  /**
   * Plans requests for the line's keys, which all pass, from the first on, up to the most requested
   * at once.
   *
   * @param connector provides the connections of requests for one key
   * @return number of keys; -1 if it must wait
   */
  int plan(MultiGetPlan plan, TextRequest request, Connector connector) {
    plan.begin(request);
    int firstKey = request.firstKey();
    int token = firstKey;
    boolean waits = false;
    for (; token < request.line.count() && !plan.isFull() && !waits; token++) {
      TextRouting.findOne(request, token);
      waits = planOne(plan, request, token, connector) == Planned.WAITS;
    }
    request.client().changes(null, 0); // the change is noted for the whole request
    return waits ? -1 : token - firstKey;
  }
}
