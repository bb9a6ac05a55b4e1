package sluice.gateway.dispatch.policy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;
import io.vertx.core.Promise;
import io.vertx.core.net.NetSocket;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import sluice.gateway.server.EmbeddedDialer;

/**
 * A memcached server that a test speaks for: the test reads what it is asked, and says what it
 * answers. Probes, which ask every new connection what the server is, it answers by itself, and
 * checks whether it is still there.
 */
public final class SocketlessServer {
  /** The length of its probe, which a new connection must take to be of use. */
  public static final int PROBE_LENGTH = 9;

  private static final String PROBE = "version\r\n";
  private static final int ANY = Integer.MAX_VALUE;

  private static final Pattern OPAQUE = Pattern.compile(" O[0-9]+(?=\r)");

  private final String host;
  private final List<EmbeddedChannel> connections = new ArrayList<>();
  private final Map<EmbeddedChannel, StringBuilder> unread = new HashMap<>();
  private final StringBuilder asked = new StringBuilder();
  private String version = "1.6.45";
  private final Set<EmbeddedChannel> probed = new HashSet<>();
  private boolean leavesChecks;
  private boolean refuses;
  private boolean ignores;
  private int room = ANY; // bytes that its sockets take from now on

  SocketlessServer(String host) {
    this.host = host;
  }

  /** The reply to a get of a key that has this value. */
  public static String found(String key, String value) {
    return "VALUE " + key + " 0 " + value.length() + "\r\n" + value + "\r\nEND\r\n";
  }

  // --- the test's side ------------------------------------------------------------------------

  /** What it was asked since the last call, a char a byte. */
  public String asked() {
    runTasks();
    String all = asked.toString();
    asked.setLength(0);
    return all;
  }

  /**
   * It answers, over the connection that was made last. The gateway gets it as soon as it reads.
   */
  public void answers(String text) {
    EmbeddedChannel connection = connection();
    assertThat(connection.isOpen()).as("connection to %s", host).isTrue();
    if (connection.config().isAutoRead()) {
      connection.writeInbound(Unpooled.copiedBuffer(text, ISO_8859_1));
    } else {
      unread.computeIfAbsent(connection, each -> new StringBuilder()).append(text);
    }
  }

  /** It answers over its oldest connection: what was asked there may have timed out meanwhile. */
  public void answersLate(String text) {
    assertThat(connections()).as("connections to %s", host).isGreaterThan(1);
    connections.get(0).writeInbound(Unpooled.copiedBuffer(text, ISO_8859_1));
  }

  /**
   * Sets whether the socket of the connection that was made last is ready for bytes; requests wait
   * while it is not.
   */
  public void accepts(boolean now) {
    connection().unsafe().outboundBuffer().setUserDefinedWritability(1, now);
  }

  /** From now on its sockets take so many more bytes together. */
  public void takesOnly(int bytes) {
    room = bytes;
    flush();
  }

  /** Its sockets take everything again. */
  public void takesAll() {
    takesOnly(ANY);
  }

  private void flush() {
    for (EmbeddedChannel connection : List.copyOf(connections)) {
      connection.flush();
    }
  }

  /** The opaque that the gateway gave a meta request, which the reply must repeat. */
  public static String opaque(String asked) {
    Matcher opaque = OPAQUE.matcher(asked);
    assertThat(opaque.find()).as(asked).isTrue();
    return opaque.group();
  }

  /** What it says on connections that are made from now on. */
  public void hasVersion(String reported) {
    version = reported;
  }

  /** From now on the test answers checks whether the server is still there. */
  public void leavesChecks() {
    leavesChecks = true;
  }

  /** It closes its connections, and takes others. */
  public void closesConnections() {
    for (EmbeddedChannel connection : List.copyOf(connections)) {
      connection.close();
    }
  }

  /** It takes no connections from now on, and those that are there are closed. */
  public void goesDown() {
    refuses = true;
    closesConnections();
  }

  /** It neither takes nor refuses connections from now on; those that are there are closed. */
  public void ignoresConnections() {
    ignores = true;
    closesConnections();
  }

  /** It takes connections again. */
  public void comesBack() {
    refuses = false;
    ignores = false;
  }

  /** Open connections. */
  public int connections() {
    return (int) connections.stream().filter(EmbeddedChannel::isOpen).count();
  }

  private EmbeddedChannel connection() {
    assertThat(connections).as("connections to %s", host).isNotEmpty();
    return connections.get(connections.size() - 1);
  }

  // --- the network's side -----------------------------------------------------------------------

  void connect(Promise<NetSocket> promise) {
    if (ignores) {
      return;
    }
    if (refuses) {
      promise.fail(new ConnectException("Connection refused"));
      return;
    }
    EmbeddedChannel channel = new Socket();
    channel.pipeline().addLast("handler", new ChannelInboundHandlerAdapter());
    connections.add(channel);
    promise.complete(EmbeddedDialer.socket(channel));
  }

  /** Socket that takes as many bytes as its server has room for. */
  private final class Socket extends EmbeddedChannel {
    @Override
    protected void doWrite(ChannelOutboundBuffer in) throws Exception {
      if (room == ANY) {
        super.doWrite(in);
        return;
      }
      while (room > 0 && in.current() instanceof ByteBuf bytes) {
        int length = Math.min(room, bytes.readableBytes());
        handleOutboundMessage(bytes.retainedSlice(bytes.readerIndex(), length));
        room -= length;
        in.removeBytes(length);
      }
    }
  }

  boolean runTasks() {
    boolean ran = false;
    for (EmbeddedChannel connection : List.copyOf(connections)) {
      ran |= connection.hasPendingTasks();
      connection.runPendingTasks();
      ran |= read(connection);
      ran |= deliver(connection);
    }
    connections.removeIf(connection -> !connection.isOpen() && !connection.hasPendingTasks());
    return ran;
  }

  /** Delivers what came while the gateway did not read. */
  private boolean deliver(EmbeddedChannel connection) {
    boolean due = connection.config().isAutoRead() && unread.containsKey(connection);
    if (due) {
      connection.writeInbound(Unpooled.copiedBuffer(unread.remove(connection), ISO_8859_1));
    }
    return due;
  }

  /** Reads what the gateway has written; its probe is answered at once. */
  private boolean read(EmbeddedChannel connection) {
    boolean any = false;
    for (ByteBuf out = connection.readOutbound(); out != null; out = connection.readOutbound()) {
      String text = out.toString(ISO_8859_1);
      out.release();
      any = true;
      if (text.equals(PROBE) && (probed.add(connection) || !leavesChecks)) {
        String answer = "VERSION " + version + "\r\n";
        connection.writeInbound(Unpooled.copiedBuffer(answer, ISO_8859_1));
      } else {
        asked.append(text);
      }
    }
    return any;
  }

  void finish() {
    for (EmbeddedChannel connection : List.copyOf(connections)) {
      connection.finishAndReleaseAll();
    }
  }
}
