package sluice.gateway.internode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import sluice.codecs.internode.Framing;
import sluice.config.Loader;
import sluice.config.model.AddressesConfig;
import sluice.config.model.Configuration;
import sluice.gateway.listener.ConnectionHeap;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.ManualTime;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.metrics.InternodeMetrics;
import sluice.gateway.metrics.LinkOutcome;
import sluice.gateway.metrics.LinkType;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.route.VerbRoute;
import sluice.gateway.server.health.ServerStatus;
import sluice.names.Verb;

/** A link without sockets: it writes down what its parts ask of it, in order. */
final class ScriptedLink implements LinkOpening.Owner, LinkFrames.Owner, AutoCloseable {
  private static final String SERVER = "127.0.0.2:7000";

  /** What was asked for, a word or a line each. */
  final List<String> events = new ArrayList<>();

  LinkAddresses streamAddresses; // of the stream that has begun
  @Nullable Framing framing; // to the server of the next listeners; null: the initiator's
  BooleanSupplier retired = () -> false; // whether listeners that are made next were removed

  boolean fails; // whether what is written to the server next fails
  ConnectionHeap heap = new ConnectionHeap(Long.MAX_VALUE); // of the next listeners' links
  long takesMillis; // that what is written to the server takes

  final ByteBuf toServer = Unpooled.buffer();
  final ByteBuf toInitiator = Unpooled.buffer();
  final Promise<NetSocket> connecting = Promise.promise();
  private final EmbeddedChannel tasks = new EmbeddedChannel(); // for its event loop alone
  private final ManualTime time = new ManualTime(tasks);
  private final MemoryShare memory;
  private final GatewayMetrics allMetrics = new GatewayMetrics();
  private final LoopMetrics metrics = allMetrics.newLoop();
  private final Loop loop;
  private boolean open = true;

  ScriptedLink() {
    this(64 << 20);
  }

  /** One whose process may hold so many bytes. */
  ScriptedLink(int memoryBytes) {
    memory = MemoryShare.of(1, memoryBytes)[0];
    loop = time.loop(new UnpooledByteBufAllocator(false), memory, metrics);
  }

  Loop loop() {
    return loop;
  }

  /** Carries out what its event loop has to do. */
  void runTasks() {
    tasks.runPendingTasks();
  }

  /** Lets time pass; it stands still otherwise. */
  void pass(long millis) {
    time.pass(TimeUnit.MILLISECONDS.toNanos(millis));
    loop.tick();
  }

  InternodeMetrics metrics() {
    return metrics.internode("ring");
  }

  /** How many links began so. */
  long began(LinkOutcome outcome) {
    String series = "sluice_internode_handshakes_total{listener=\"ring\",outcome=\"%s\"} ";
    String begin = series.formatted(outcome.label());
    return allMetrics
        .scrape()
        .lines()
        .filter(line -> line.startsWith(begin))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(begin.length())))
        .sum();
  }

  LinkLoop links() {
    return new LinkLoop(loop, null, 0);
  }

  /** A listener that rejects these verbs and has these further keys. */
  LinkListenerView listenerView(String keys, String addresses, Verb... rejected) {
    Configuration configuration =
        Loader.parse(
                "test.yaml",
                """
                listeners: {ring: {bind: 127.0.0.1:0, protocol: internode, route: ring%s}}
                routes: {ring: [{pool: node%s}]}
                pools: {node: {protocol: internode, servers: ["%s"]}}
                """
                    .formatted(keys, addresses, SERVER))
            .configuration();
    AddressesConfig replaced = configuration.routes().get("ring").rules().get(0).addresses();
    List<VerbRoute.Rejection> rejections =
        rejected.length == 0
            ? List.of()
            : List.of(new VerbRoute.Rejection(Set.of(rejected), "not from here"));
    return new LinkListenerView(
        configuration.listeners().get("ring"),
        new VerbRoute("ring", rejections, "node"),
        upstream(SERVER, framing),
        metrics(),
        new AtomicInteger(),
        heap,
        () -> Frames.node(12),
        retired,
        LinkAddresses.of(replaced));
  }

  LinkListenerView listenerView(Verb... rejected) {
    return listenerView("", "", rejected);
  }

  static Upstream upstream(String server) {
    return upstream(server, null);
  }

  static Upstream upstream(String server, @Nullable Framing framing) {
    int colon = server.indexOf(':');
    int port = Integer.parseInt(server.substring(colon + 1));
    SocketAddress address = SocketAddress.inetSocketAddress(port, server.substring(0, colon));
    return new Upstream(new ServerStatus("node", server), new Reach(address, null), 1_000, framing);
  }

  /** A direct buffer, which whoever gets it consumes. */
  ByteBuf read(byte[] bytes) {
    return loop.buffer(bytes.length).writeBytes(bytes);
  }

  byte[] sentToServer() {
    return ByteBufUtil.getBytes(toServer);
  }

  byte[] sentToInitiator() {
    return ByteBufUtil.getBytes(toInitiator);
  }

  void takeFromInitiator(ByteBuf bytes) {
    if (fails) {
      fails = false;
      bytes.release();
      throw new IllegalStateException("of the test");
    }
    time.pass(TimeUnit.MILLISECONDS.toNanos(takesMillis));
    toServer.writeBytes(bytes);
    bytes.release();
  }

  void takeFromServer(ByteBuf bytes) {
    toInitiator.writeBytes(bytes);
    bytes.release();
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public Future<NetSocket> connect(LinkType type, Upstream upstream) {
    events.add("connect " + type);
    return connecting.future();
  }

  @Override
  public void connected(NetSocket socket) {
    events.add("connected");
  }

  @Override
  public void writeToServer(ByteBuf bytes) {
    events.add("to server");
    takeFromInitiator(bytes);
  }

  @Override
  public void writeToInitiator(ByteBuf bytes) {
    events.add("to initiator");
    takeFromServer(bytes);
  }

  @Override
  public void passMessages() {
    events.add("messages");
  }

  @Override
  public void passStream(LinkAddresses addresses) {
    events.add("stream");
    streamAddresses = addresses;
  }

  @Override
  public void passBytes() {
    events.add("bytes");
  }

  @Override
  public void passUnknown() {
    events.add("unknown");
  }

  @Override
  public void account() {}

  @Override
  public void endTurn() {
    events.add("end turn");
  }

  @Override
  public void logUnknown(String what) {
    events.add("passes " + what);
  }

  @Override
  public void log(String what) {
    events.add("log: " + what);
  }

  @Override
  public void fail(String reason) {
    events.add("fail: " + reason);
    open = false;
  }

  @Override
  public void close() {
    if (open) {
      events.add("close");
      open = false;
    }
  }
}
