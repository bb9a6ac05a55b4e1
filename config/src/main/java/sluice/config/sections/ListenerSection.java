package sluice.config.sections;

import static sluice.config.model.PoolProtocol.IGNITE;
import static sluice.config.model.PoolProtocol.INTERNODE;
import static sluice.config.model.PoolProtocol.MEMCACHED;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import sluice.config.files.AuthFiles;
import sluice.config.files.TlsFiles;
import sluice.config.model.Address;
import sluice.config.model.GuardedCommand;
import sluice.config.model.ListenerConfig;
import sluice.config.model.ListenerProtocol;
import sluice.config.model.PeerName;
import sluice.config.model.PoolProtocol;
import sluice.config.problems.Problems;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Quantities;
import sluice.config.schema.Scalars;
import sluice.config.schema.Type;
import sluice.names.Dialect;

/** Description of a listener: its keys, the checks between them, and their record. */
public final class ListenerSection {
  public static final Key<Address> BIND =
      Key.optional(
              "bind", Scalars.bindAddress(), "Address to listen on; port 0 means any free port.")
          .or("127.0.0.1:11211");
  public static final Key<ListenerProtocol> PROTOCOL =
      Key.optional("protocol", Scalars.choice(ListenerProtocol.class), "Protocol of the clients.")
          .or("memcached");
  public static final Key<List<Checked<Dialect>>> DIALECTS =
      Key.optional(
              "dialects",
              new Type.Items<>("dialect", Scalars.choice(Dialect.class), false),
              "Dialects that it accepts, detected per connection.")
          .or("[text, meta, binary]")
          .only(MEMCACHED);
  public static final Key<String> ROUTE =
      Key.required("route", Scalars.nameOf("routes"), "Route for its requests.");
  public static final Key<Fields> LIMITS =
      Key.optional("limits", LimitsSection.LAYOUT.type(), "Limits of its connections.");
  public static final Key<List<Checked<GuardedCommand>>> ALLOW =
      Key.optional(
              "allow",
              new Type.Items<>("command", Scalars.choice(GuardedCommand.class), true),
              "Administrative commands that clients may use.")
          .or("[flush_all, verbosity]")
          .only(MEMCACHED, IGNITE);
  public static final Key<Fields> TLS =
      Key.optional("tls", ListenerTlsSection.LAYOUT.type(), "TLS for clients; off by default.");
  public static final Key<Fields> AUTH =
      Key.optional(
              "auth",
              ListenerAuthSection.LAYOUT.type(),
              "Users that clients must log in as, before anything else; by default, clients need no"
                  + " login.")
          .only(MEMCACHED);
  private static final Key<Fields> PROXY_PROTOCOL =
      Key.optional(
          "proxyProtocol",
          ProxyProtocolSection.LAYOUT.type(),
          "Proxies in front of the listener that send the client's address in a PROXY header; none"
              + " by default.");
  public static final Key<Address.Tcp> NODE =
      Key.optional(
              "node",
              Scalars.nodeAddress(),
              "Internode: address by which other nodes know the node behind the listener; by"
                  + " default, the address in `bind`.")
          .only(INTERNODE);
  public static final Key<List<Checked<PeerName>>> PEERS =
      Key.optional(
              "peers",
              new Type.Items<>("node", Scalars.peer(), true),
              "Internode: further nodes that the gateway may connect to, to answer their rejected"
                  + " requests. A node without a port has the port of `node`.")
          .only(INTERNODE);
  public static final Key<Boolean> STRICT =
      Key.optional(
              "strict",
              Quantities.bool(),
              "Internode: whether to refuse links that rules cannot inspect (versions below 12 or"
                  + " above 14, and TLS passthrough). Off by default.")
          .only(INTERNODE);

  /** Its keys, and the record's value for each. */
  public static final Layout<ListenerConfig> LAYOUT =
      Layout.of(ListenerConfig.class)
          .key(BIND, ListenerConfig::bind)
          .key(PROTOCOL, ListenerConfig::protocol)
          .list(DIALECTS, listener -> Optional.of(listener.dialects()))
          .key(ROUTE, ListenerConfig::route)
          .section(LIMITS, LimitsSection.LAYOUT, listener -> Optional.of(listener.limits()))
          .list(ALLOW, listener -> Optional.of(listener.allow()))
          .section(TLS, ListenerTlsSection.LAYOUT, ListenerConfig::tls)
          .section(AUTH, ListenerAuthSection.LAYOUT, ListenerConfig::auth)
          .section(PROXY_PROTOCOL, ProxyProtocolSection.LAYOUT, ListenerConfig::proxyProtocol)
          .optional(NODE, ListenerConfig::node)
          .list(PEERS, listener -> Optional.of(listener.peers()).filter(p -> !p.isEmpty()))
          .key(STRICT, ListenerConfig::strict)
          .showing(ListenerSection::hasMeaning);

  private ListenerSection() {}

  private static boolean hasMeaning(ListenerConfig listener, Key<?> key) {
    boolean shakesHands =
        listener.protocol() == ListenerProtocol.INTERNODE
            || listener.tls().isPresent()
            || listener.proxyProtocol().isPresent();
    return key.isOf(protocol(listener.protocol()))
        && (key != LimitsSection.HANDSHAKE || shakesHands);
  }

  /** Refuses invalid combinations inside a listener, independent of the rest of the file. */
  public static void check(Fields listener, Problems problems) {
    Checked.requireOnce(listener.items(DIALECTS), problems);
    Checked.requireOnce(listener.items(ALLOW), problems);
    Checked<Long> handshake = listener.section(LIMITS).get(LimitsSection.HANDSHAKE);
    boolean shakesHands =
        isInternode(listener) || listener.isWritten(TLS) || listener.isWritten(PROXY_PROTOCOL);
    if (handshake.written() && !shakesHands) {
      handshake.refuse(problems, "nothing here: only internode, TLS and proxyProtocol have it");
    }
    ProxyProtocolSection.check(listener.get(PROXY_PROTOCOL), listener.get(BIND), problems);
  }

  /** Whether its clients are nodes; also true if its protocol was refused. */
  public static boolean isInternode(Fields listener) {
    return listener.optional(PROTOCOL).stream().allMatch(ListenerProtocol.INTERNODE::equals);
  }

  /** The protocol of the pools that a listener's route leads to, the embedded store aside. */
  public static PoolProtocol protocol(ListenerProtocol protocol) {
    return switch (protocol) {
      case MEMCACHED -> MEMCACHED;
      case IGNITE -> IGNITE;
      case INTERNODE -> INTERNODE;
    };
  }

  /** The record of a valid section. */
  public static ListenerConfig bind(
      String name, Fields listener, TlsFiles tlsFiles, AuthFiles authFiles) {
    ListenerProtocol protocol = listener.value(PROTOCOL);
    return new ListenerConfig(
        name,
        listener.value(BIND),
        protocol,
        Set.copyOf(listener.values(DIALECTS)),
        listener.value(ROUTE),
        LimitsSection.bind(listener.section(LIMITS), protocol == ListenerProtocol.INTERNODE),
        Set.copyOf(listener.values(ALLOW)),
        listener.optional(NODE),
        listener.values(PEERS),
        listener.optional(STRICT).orElse(false),
        listener.written(TLS).map(tls -> ListenerTlsSection.bind(tls, tlsFiles)),
        authFiles.listener(listener.section(AUTH).get(ListenerAuthSection.USERS)),
        listener.written(PROXY_PROTOCOL).map(ProxyProtocolSection::bind));
  }
}
