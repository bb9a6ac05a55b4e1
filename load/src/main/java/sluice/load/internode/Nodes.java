package sluice.load.internode;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.codecs.compress.Workspace;
import sluice.codecs.internode.Framing;
import sluice.load.traffic.LoadRun;

/**
 * Pairs of nodes, all in this process and on one event loop: handshakes in both directions, then a
 * {@link Conversation}.
 */
public final class Nodes implements AutoCloseable {
  /** The number of addresses available. */
  public static final int MOST_PAIRS = 250;

  /** The largest payload of a request, in bytes. */
  public static final int MAX_PAYLOAD = NodeSender.MAX_PAYLOAD;

  private static final int HANDSHAKE_SECONDS = 10;

  private final LoadRun run;
  private final List<Conversation> conversations = new ArrayList<>();
  private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

  /**
   * Addresses on which nodes listen, and by which they reach each other.
   *
   * @param writers where the sending nodes listen
   * @param replicas where the answering nodes listen
   * @param toWriters leads to the writers: a proxy's listener, or the same address
   * @param toReplicas leads to the replicas
   */
  public record Places(
      InetSocketAddress writers,
      InetSocketAddress replicas,
      InetSocketAddress toWriters,
      InetSocketAddress toReplicas) {}

  /**
   * Shape of the conversations.
   *
   * @param framing CRC or LZ4
   * @param pairs up to {@value #MOST_PAIRS}
   * @param window of {@link Conversation.Plan}
   * @param minPayload of a request, in bytes
   * @param maxPayload of a request, in bytes
   */
  public record Talk(Framing framing, int pairs, int window, int minPayload, int maxPayload) {}

  /** Listener for the answers of one conversation, called on the event loop. */
  @FunctionalInterface
  interface Answers {
    void answered(Conversation conversation, long id);
  }

  /** Listener for the answers of all pairs, called on the event loop. */
  @FunctionalInterface
  public interface Told {
    /**
     * Called when a request is answered. Ids of a pair count up from 1, and are answered in order.
     */
    void answered(int pair, long id);
  }

  private Nodes(LoadRun run) {
    this.run = run;
  }

  /**
   * Listens, and opens both connections of every pair. A failure, then or later, fails the run.
   *
   * @param workspace borrowed, until the result is closed
   */
  public static Nodes open(
      EventLoopGroup group, Workspace workspace, LoadRun run, Places places, Talk talk)
      throws InterruptedException {
    Nodes nodes = new Nodes(run);
    CountDownLatch handshakes = new CountDownLatch(2 * talk.pairs());
    Map<InetSocketAddress, NodeReceiver.Receiver> receivers = new HashMap<>();
    Conversation.Plan plan =
        new Conversation.Plan(talk.framing(), talk.window(), talk.minPayload(), talk.maxPayload());
    for (int i = 0; i < talk.pairs(); i++) {
      Conversation one = new Conversation(run, i, plan, workspace, handshakes::countDown);
      nodes.conversations.add(one);
      receivers.put(one.writer(), one.atReplica());
      receivers.put(one.replica(), one.atWriter());
    }
    nodes.listen(group, places.writers(), receivers, talk.framing(), workspace);
    nodes.listen(group, places.replicas(), receivers, talk.framing(), workspace);
    for (Conversation one : nodes.conversations) {
      nodes.connect(group, places.toReplicas(), one.requests());
      nodes.connect(group, places.toWriters(), one.responses());
    }
    if (!handshakes.await(HANDSHAKE_SECONDS, TimeUnit.SECONDS)) {
      run.fail(handshakes.getCount() + " handshakes were not answered");
    }
    return nodes;
  }

  private void listen(
      EventLoopGroup group,
      InetSocketAddress address,
      Map<InetSocketAddress, NodeReceiver.Receiver> receivers,
      Framing framing,
      Workspace workspace)
      throws InterruptedException {
    channels.add(
        new ServerBootstrap()
            .group(group)
            .channel(EpollServerSocketChannel.class)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    channels.add(channel);
                    channel
                        .pipeline()
                        .addLast(new NodeReceiver(receivers::get, framing, workspace, run::fail));
                  }
                })
            .bind(address)
            .sync()
            .channel());
  }

  private void connect(EventLoopGroup group, InetSocketAddress to, NodeSender sender)
      throws InterruptedException {
    Channel channel =
        new Bootstrap()
            .group(group)
            .channel(EpollSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true)
            .handler(sender)
            .connect(to)
            .sync()
            .channel();
    channels.add(channel);
  }

  /** Drives every conversation in a closed loop until the run is over; on the event loop. */
  public void drive() {
    conversations.forEach(Conversation::drive);
  }

  /** Number of pairs. */
  public int pairs() {
    return conversations.size();
  }

  /** Sets the listener for answers; before the first request. */
  public void tell(Told told) {
    for (int i = 0; i < conversations.size(); i++) {
      int pair = i;
      conversations.get(i).answers((conversation, id) -> told.answered(pair, id));
    }
  }

  /**
   * Adds a request; on the event loop.
   *
   * @return its id
   */
  public long ask(int pair) {
    return conversations.get(pair).ask(1);
  }

  /** Sends the added requests; on the event loop. */
  public void flush(int pair) {
    conversations.get(pair).flush();
  }

  /**
   * Description of messages missing from any pair, once all should have arrived; null if there are
   * none.
   */
  public @Nullable String missing() {
    for (Conversation conversation : conversations) {
      String missing = conversation.missing();
      if (missing != null) {
        return "nodes " + conversation.writer().getHostString() + ": " + missing;
      }
    }
    return null;
  }

  /** Closes every connection, which no longer counts as a failure of the run. */
  @Override
  public void close() {
    channels.close().syncUninterruptibly();
  }
}
