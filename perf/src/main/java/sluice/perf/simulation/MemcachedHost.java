package sluice.perf.simulation;

import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import sluice.perf.simulation.system.SimulatedNetwork;
import sluice.perf.simulation.system.SimulatedPeer;
import sluice.perf.simulation.system.SimulatedSocket;
import sluice.perf.simulation.system.Simulator;
import sluice.testkit.model.Lines;
import sluice.testkit.model.ModelWrites;

/**
 * Host with a memcached, or an Ignite node, which can crash, stall, lie, and come back as another
 * version.
 */
final class MemcachedHost implements SimulatedNetwork.Listener {
  /** Kind of program. */
  enum Kind {
    /** Model of memcached, which takes text and meta. */
    MODEL,
    /** Embedded store, which takes binary requests, too. */
    STORE,
    /** Model of an Ignite node. */
    IGNITE
  }

  private static final int MOST_UNSENT = 64 * 1024;

  /** A line that is a reply to nothing. */
  private static final byte[] NO_REPLY = "SPAM 1 2\r\n".getBytes(StandardCharsets.ISO_8859_1);

  /** A read with a time to live that has passed, or any GAT. */
  private static final Pattern REMOVING_READ =
      Pattern.compile("\\b(?:gats? |T)(?:-1|" + Journal.PAST + ")\\b|\\x80\\x1d");

  private final class Conversation extends SimulatedPeer {
    private final Program.Session connection;
    private final OpaqueWatch opaques = new OpaqueWatch();
    private boolean silent; // it answers nothing any more
    private long losesUntil; // instead of a reply, it ends until then
    private int spared; // replies that it sends before it does so

    Conversation(Program.Session connection) {
      super(MemcachedHost.this.simulator, tls ? Certificates.server() : null);
      this.connection = connection;
      pauseUntil(stalledUntil);
    }

    @Override
    protected void receives(byte[] bytes) {
      if (silent) {
        return;
      }
      String repeated = opaques.arrived(bytes);
      if (repeated != null) {
        simulator.finding(host() + ": two requests in flight have the opaque " + repeated);
      }
      LateWrite write = late;
      if (write != null && write.arrives(bytes)) {
        carryOutLate(write, bytes);
        return;
      }
      if (simulator.now() < unreliableUntil && random.nextInt(opaque ? 2 : 5) == 0) {
        misbehave(bytes);
        return;
      }
      if (simulator.now() < losesUntil && (spared-- == 0 || removes(bytes))) {
        loseReplies(bytes);
        return;
      }
      send(connection.receive(bytes));
      if (connection.isClosed()) {
        ended(this);
        finish();
      } else if (unsent() > MOST_UNSENT) {
        reading(false);
        simulator().after(1_000_000, this::readAgain);
      }
    }

    // Whether a read among these requests removes its item: then a second one finds nothing.
    private static boolean removes(byte[] requests) {
      return REMOVING_READ.matcher(new String(requests, StandardCharsets.ISO_8859_1)).find();
    }

    private void carryOutLate(LateWrite write, byte[] bytes) {
      simulator.trace("server writes late", address.hashCode(), bytes.length);
      pauseUntil(simulator.now() + write.before() + write.behind() + 1);
      simulator.after(
          write.before(),
          () -> {
            if (!isOver()) {
              byte[] replies = connection.receive(bytes);
              simulator.after(write.behind(), () -> send(replies));
            }
          });
    }

    // Carries out what has arrived, and ends.
    private void loseReplies(byte[] bytes) {
      simulator.trace("server loses replies", address.hashCode(), bytes.length);
      connection.receive(bytes);
      connection.close();
      ended(this);
      if (random.nextBoolean()) {
        abort();
      } else {
        finish();
      }
    }

    // Carries out a part of what has arrived, sends a part of the replies, and ends; or lies.
    private void misbehave(byte[] bytes) {
      simulator.trace("server misbehaves", address.hashCode(), bytes.length);
      byte[] forged =
          random.nextBoolean() ? ForgedReply.to(bytes, random.nextInt(Integer.SIZE - 1)) : null;
      if (forged != null) {
        connection.close();
        send(forged);
        silent = true;
        return;
      }
      int executed = random.nextBoolean() ? bytes.length : random.nextInt(bytes.length + 1);
      byte[] replies = connection.receive(Arrays.copyOf(bytes, executed));
      connection.close();
      switch (random.nextInt(opaque ? 12 : 6)) {
        case 0 -> abort();
        case 1 -> {
          send(Arrays.copyOf(replies, random.nextInt(replies.length + 1)));
          abort();
        }
        case 2 -> {
          send(Arrays.copyOf(replies, random.nextInt(replies.length + 1)));
          finish();
        }
        case 3 -> {
          send(replies);
          finish();
        }
        case 4 -> { // and then keeps the connection open, without another word
          send(Arrays.copyOf(replies, random.nextInt(replies.length + 1)));
          silent = true;
        }
        case 5 -> { // and then keeps the connection open, and says nothing more
          boolean first = random.nextBoolean();
          send(first ? NO_REPLY : replies);
          send(first ? replies : NO_REPLY);
          silent = true;
        }
        default -> { // the gateway knows by the opaque that the second answers none of its requests
          send(doubled(replies));
          silent = true;
        }
      }
      if (!silent) {
        ended(this);
      }
    }

    /** Binary replies, one of which comes twice: the second may be taken for the next one's. */
    private byte[] doubled(byte[] replies) {
      List<Integer> starts = new ArrayList<>();
      ByteBuffer all = ByteBuffer.wrap(replies);
      int end = 0;
      while (all.limit() - end >= BinaryReply.HEADER) {
        int body = all.getInt(end + BinaryReply.BODY_LENGTH);
        if (body < 0 || body > all.limit() - end - BinaryReply.HEADER) {
          break; // text may follow
        }
        starts.add(end);
        end += BinaryReply.HEADER + body;
      }
      if (starts.isEmpty()) {
        return replies;
      }
      starts.add(end);
      int one = random.nextInt(Math.max(1, starts.size() - 2));
      int from = starts.get(one);
      int to = starts.get(one + 1);
      ByteArrayOutputStream twice = new ByteArrayOutputStream();
      twice.write(replies, 0, to);
      twice.write(replies, from, replies.length - from);
      return twice.toByteArray();
    }

    private void readAgain() {
      if (unsent() > MOST_UNSENT) {
        simulator().after(1_000_000, this::readAgain);
      } else {
        reading(true);
      }
    }

    @Override
    protected void peerEnds() {
      ended(this);
      connection.close();
      finish();
    }

    @Override
    protected void breaks(java.io.IOException why) {
      ended(this);
      connection.close();
    }

    @Override
    protected long thinks() {
      return random.nextInt(5_000, 150_000);
    }
  }

  private final Simulator simulator;
  private final SimulatedNetwork network;
  private final RandomGenerator random;
  private final InetSocketAddress address;
  private final Kind kind;
  private final boolean tls;
  private final boolean opaque;
  private final ModelWrites writes;
  private final Set<Conversation> open = new LinkedHashSet<>();
  private @Nullable Program program; // null while it does not run
  private @Nullable LateWrite late; // the last one; null for none
  private long stalledUntil;
  private long unreliableUntil;

  /**
   * A host on which nothing runs yet.
   *
   * @param kind of its program
   * @param tls whether its clients need TLS
   * @param opaque whether it gets requests with an opaque alone: then it may send a reply twice
   * @param writes is told of the writes of a model
   */
  MemcachedHost(
      Simulator simulator,
      SimulatedNetwork network,
      String host,
      Kind kind,
      boolean tls,
      boolean opaque,
      ModelWrites writes) {
    this.simulator = simulator;
    this.network = network;
    this.kind = kind;
    this.tls = tls;
    this.opaque = opaque;
    this.writes = writes;
    this.random = simulator.stream();
    address = new InetSocketAddress(host, 11211);
    if (tls) {
      network.encrypts(address);
    }
  }

  String host() {
    return address.getHostString();
  }

  /** Starts without items. */
  void start() {
    Lines lines = random.nextBoolean() ? Lines.V1_6_18 : Lines.V1_6_45;
    simulator.trace("server starts", address.hashCode(), lines.version().hashCode());
    program =
        switch (kind) {
          case MODEL -> new ModelProgram(lines, writes);
          case STORE -> new StoreProgram();
          case IGNITE -> new IgniteProgram();
        };
    network.listen(address, this);
  }

  /** Ends at once; all connections are reset, and all items are gone. */
  void crash() {
    simulator.trace("server crashes", address.hashCode(), 0);
    stop();
    List.copyOf(open).forEach(SimulatedPeer::abort);
    open.clear();
  }

  /** Ends without a word to its connections. */
  void stop() {
    network.release(address);
    if (program != null) {
      program.close();
      program = null;
    }
  }

  boolean isUp() {
    return program != null;
  }

  /** Handles nothing for that many nanoseconds. */
  void stall(long nanos) {
    simulator.trace("server stalls", address.hashCode(), nanos);
    stalledUntil = Math.max(stalledUntil, simulator.now() + nanos);
    open.forEach(conversation -> conversation.pauseUntil(stalledUntil));
  }

  /** For that many nanoseconds, ends connections at any point of a reply, or sends a wrong one. */
  void misbehave(long nanos) {
    simulator.trace("server is unreliable", address.hashCode(), nanos);
    unreliableUntil = simulator.now() + nanos;
  }

  /**
   * For that many nanoseconds, carries out what arrives on a connection that is open now, and then
   * ends it. Others can be made at once, so that a request that is retried is carried out again.
   *
   * @param most each connection sends fewer replies before
   */
  void loseReplies(long nanos, int most) {
    simulator.trace("server will lose replies", address.hashCode(), nanos);
    for (Conversation conversation : open) {
      conversation.losesUntil = simulator.now() + nanos;
      conversation.spared = random.nextInt(most);
    }
  }

  /** Carries out a write late, if it arrives. */
  void carriesOutLate(LateWrite write) {
    late = write;
  }

  private void ended(Conversation conversation) {
    open.remove(conversation);
  }

  /** The number of connections that a host has to it. */
  long connectionsOf(String client) {
    return open.stream()
        .map(SimulatedPeer::socket)
        .filter(socket -> socket != null && !socket.isLost())
        .filter(socket -> socket.remote().getHostString().equals(client))
        .count();
  }

  /** The value of a key; null for none. */
  byte @Nullable [] value(String key) {
    return program == null ? null : program.value(key);
  }

  @Override
  public void accept(SimulatedSocket socket) {
    Program running = program;
    if (running == null) {
      socket.reset();
      return;
    }
    Conversation conversation = new Conversation(running.connect(socket.remote().getPort()));
    open.add(conversation);
    conversation.accepts(socket);
  }
}
