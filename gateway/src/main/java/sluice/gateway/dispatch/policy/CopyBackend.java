package sluice.gateway.dispatch.policy;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.memcached.bridge.Request;
import sluice.gateway.dispatch.Admission;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.ClientSession;
import sluice.gateway.dispatch.MemberConnections;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.dispatch.PoolBackend;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.dispatch.RequestSender;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.Suppression;
import sluice.gateway.server.Server;
import sluice.gateway.server.connection.ServerConnection;
import sluice.names.Dialect;

/**
 * Backend that sends each request to several pools: to replicas, or to a pool and its shadow. It
 * first finds all connections, and then sends all copies together.
 */
final class CopyBackend implements Backend, Copies.Owner {
  private static final int ALL = -1;

  private final CopyPolicy policy;

  CopyBackend(CopyPolicy policy) {
    this.policy = policy;
  }

  @Override
  public Pool pool() {
    return policy.members()[0].pool();
  }

  @Override
  public @Nullable Pool plain(Dialect client) {
    return null;
  }

  @Override
  public Backend forOneOfManyKeys(Dialect client, boolean changes, ByteBuf key, int from, int to) {
    if (policy.isShadow()) {
      return policy.members()[0];
    }
    if (changes) {
      return this;
    }
    for (PoolBackend member : policy.members()) {
      if (!member.pool().isDown(client, key, from, to)) {
        return member;
      }
    }
    return policy.members()[0];
  }

  /** Does nothing: each member adapts its own copy. */
  @Override
  public void adapt(RequestContext context) {}

  /** Always true: the value is sent to several servers. */
  @Override
  public boolean gathers(RequestContext context) {
    return true;
  }

  @Override
  public @Nullable ByteBuf stream(RequestContext context, boolean lined) {
    throw new IllegalStateException("a value for several pools was not gathered");
  }

  @Override
  public Admission prepare(RequestContext context) {
    PoolBackend[] members = policy.members();
    MemberConnections found = context.members().several();
    int only = asksOne(context.request()) ? nearest(context) : ALL;
    for (int i = 0; i < members.length; i++) {
      if (only != ALL && only != i) {
        continue;
      }
      Server server = members[i].server(context.request(), context.dialect());
      if (policy.isShadow() && i > 0) {
        found.connections[i] = context.client().readyConnectionTo(server);
      } else {
        found.connections[i] = context.connectionTo(server);
        found.failures[i] = found.connections[i] == null ? context.failureToConnect() : null;
        if (found.connections[i] == null && found.failures[i] == null) {
          return Admission.WAITS;
        }
      }
    }
    return Admission.READY;
  }

  private boolean asksOne(Request request) {
    return policy.nearest() && request.changesNothing();
  }

  /** The member whose server takes requests and has recently answered fastest. */
  private int nearest(RequestContext context) {
    int best = 0;
    long least = Long.MAX_VALUE;
    for (int i = 0; i < policy.members().length; i++) {
      Server server = policy.members()[i].server(context.request(), context.dialect());
      if (!server.isDown() && server.recentNanos() < least) {
        least = server.recentNanos();
        best = i;
      }
    }
    return best;
  }

  @Override
  public @Nullable ByteBuf send(RequestContext context) {
    Request request = context.request();
    RequestSender sender = context.sender();
    if ((request.comparesCas || request.knowsValue()) && !policy.isShadow()) {
      context.value().clear();
      return sender.refuse(context, "a cas, which differs between pools");
    }
    MemberConnections found = context.members();
    Copies copies = null;
    for (int i = 0; i < policy.members().length; i++) {
      if (i > 0) {
        context.staysHere(); // a shadow's replies are not cached
      }
      ServerConnection connection = found.connections[i];
      if (connection == null && found.failures[i] == null) {
        continue; // did not get the request
      }
      if (connection == null) {
        copies = copies == null ? begin(context) : copies;
        copies.failed(i, found.failures[i]);
        continue;
      }
      RequestContext copy = copyOf(context);
      PoolBackend member = policy.members()[i];
      member.adapt(copy);
      ByteBuf head = member.head(copy, connection);
      if (head == null && copies == null) {
        ByteBuf refused = sender.refused(copy);
        context.refuse(copy.refusal());
        context.contexts().give(copy);
        context.value().clear();
        return refused;
      }
      copies = copies == null ? begin(context) : copies;
      if (head == null) {
        copies.failed(i, "the dialect cannot express it for pool " + member.pool().name());
      } else {
        member.sendAs(copies.subrequest(i), copy, connection, head);
      }
      context.contexts().give(copy);
    }
    context.value().clear();
    allSent(copies);
    return null;
  }

  @SuppressWarnings("NullAway") // prepare finds a connection or a failure of one member at least
  private static void allSent(@Nullable Copies copies) {
    copies.sent();
  }

  /** A copy of the request with its value; its single flight moves to the copy. */
  private static RequestContext copyOf(RequestContext context) {
    RequestContext copy = context.contexts().take().of(context);
    copy.request().set(context.request());
    SliceList value = context.value();
    for (int i = 0; i < value.count(); i++) {
      copy.value().add(value.get(i).retainedSlice());
    }
    return copy;
  }

  private Copies begin(RequestContext context) {
    boolean askedAgain = context.dialect() == Dialect.META && asksOne(context.request());
    Request again = askedAgain ? context.request().copy() : null;
    return new Copies(context, this, policy, context.pending(), again);
  }

  @Override
  public EarlierMembers.@Nullable Wait sendAgain(
      RequestContext.Recycler contexts,
      ClientSession client,
      int before,
      Request again,
      Copies copies) {
    PoolBackend[] members = policy.members();
    ServerConnection[] connections = new ServerConnection[before];
    String[] failures = new String[before];
    for (int i = 0; i < before; i++) {
      Server server = members[i].server(again, Dialect.META);
      connections[i] = client.readyConnectionTo(server);
      if (connections[i] == null) {
        failures[i] = server.unavailable();
        if (failures[i] == null) {
          return new EarlierMembers.Wait(server);
        }
      } else if (client.overtakes(copies.whole(), connections[i])) {
        return new EarlierMembers.Wait(null); // the member may have the item as it was before
      }
    }
    for (int i = 0; i < before; i++) {
      if (connections[i] == null) {
        copies.failed(i, failures[i]);
        continue;
      }
      RequestContext copy = contexts.take();
      copy.begin(
          client,
          copies.whole().command(),
          Dialect.META,
          RequestSender.replies(Dialect.META),
          Suppression.NOTHING);
      copy.request().set(again);
      members[i].adapt(copy);
      ByteBuf head = members[i].head(copy, connections[i]);
      if (head == null) {
        contexts.give(copy);
        copies.failed(i, "the dialect cannot express it for pool " + members[i].pool().name());
        continue;
      }
      PendingReply subrequest = copies.subrequest(i);
      subrequest.restart(copy.sender().loop().now());
      subrequest.bridge(copy.takeBridged());
      contexts.give(copy);
      connections[i].expect(subrequest);
      connections[i].write(head);
    }
    copies.sent();
    return null;
  }
}
