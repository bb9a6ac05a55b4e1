package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import sluice.perf.simulation.system.SimulatedPeer;

/**
 * Client as {@link CheckedClient}, of the binary protocol. The gateway may bridge it to text
 * servers.
 */
final class BinaryClient {
  private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final int HEADER = 24;
  private static final int KEYS = 5;
  private static final int GET = 0x00;
  private static final int SET = 0x01;
  private static final int ADD = 0x02;
  private static final int DELETE = 0x04;
  private static final int NOOP = 0x0a;
  private static final int GETQ = 0x09;
  private static final int GETK = 0x0c;
  private static final int GETKQ = 0x0d;
  private static final int SETQ = 0x11;
  private static final int DELETEQ = 0x14;
  private static final int[] LOUD = {GET, GET, GETK, SET, SET, ADD, DELETE, NOOP};
  private static final int[] QUIET = {GETQ, GETQ, GETKQ, GETKQ, GETK, SETQ, SETQ, DELETEQ, SET};
  private static final int NO_ERROR = 0;
  private static final int NOT_FOUND = 1;
  private static final int EXISTS = 2;
  private static final int FIRST_FAILURE = 0x81; // of a server, or of the gateway

  /** A request whose reply is to come. */
  private record Sent(int opcode, @Nullable CheckedKey key, int opaque, @Nullable String before) {
    boolean isQuiet() {
      return opcode == GETQ || opcode == GETKQ || opcode == SETQ || opcode == DELETEQ;
    }

    boolean reads() {
      return opcode == GET || opcode == GETK || opcode == GETQ || opcode == GETKQ;
    }
  }

  private final class Connection extends SimulatedPeer {
    private final ArrayDeque<Sent> pending = new ArrayDeque<>();
    private byte[] arrived = new byte[0];
    private long batch;

    Connection() {
      super(world.simulator());
    }

    @Override
    protected void begins() {
      sendBatch();
    }

    private void sendBatch() {
      if (isOver()) {
        return;
      }
      if (world.isEnding()) {
        finish();
        return;
      }
      int count = random.nextInt(3) == 0 ? random.nextInt(1, 12) : 1;
      boolean quiet = random.nextInt(3) == 0;
      for (int i = 0; i < count; i++) {
        send(request(quiet ? QUIET : LOUD));
      }
      if (quiet) {
        send(noop()); // what has no reply is over when this has one
      }
      world.countRequests(count);
      long sent = ++batch;
      simulator().after(LIMIT_NANOS, () -> mustHaveAnswered(sent));
    }

    private void mustHaveAnswered(long sent) {
      if (!isOver() && batch == sent && !pending.isEmpty()) {
        if (!world.isExcused()) {
          simulator().finding(name + ": no reply within 30 s to " + pending.getFirst());
        }
        lost();
      }
    }

    private byte[] noop() {
      int opaque = (int) random.nextLong();
      pending.add(new Sent(NOOP, null, opaque, null));
      return packet(NOOP, "", "", opaque);
    }

    private byte[] request(int[] opcodes) {
      int opcode = opcodes[random.nextInt(opcodes.length)];
      if (opcode == NOOP) {
        return noop();
      }
      int opaque = (int) random.nextLong();
      CheckedKey key = key();
      String before = key.value();
      pending.add(new Sent(opcode, key, opaque, before));
      String value = "";
      if (opcode == SET || opcode == SETQ || opcode == ADD) {
        value = key.next(random.nextInt(20) == 0 ? 5_000 : random.nextInt(10, 200));
        if (opcode != ADD || before == null) {
          key.writes(value);
        }
      } else if (opcode == DELETE || opcode == DELETEQ) {
        key.writes(null);
      }
      return packet(opcode, key.name(), value, opaque);
    }

    private static byte[] packet(int opcode, String key, String value, int opaque) {
      int extras = opcode == SET || opcode == SETQ || opcode == ADD ? 8 : 0;
      ByteBuffer packet = ByteBuffer.allocate(HEADER + extras + key.length() + value.length());
      packet
          .put((byte) 0x80)
          .put((byte) opcode)
          .putShort((short) key.length())
          .put((byte) extras)
          .put((byte) 0)
          .putShort((short) 0)
          .putInt(extras + key.length() + value.length())
          .putInt(opaque)
          .putLong(0)
          .put(new byte[extras])
          .put(key.getBytes(ISO_8859_1))
          .put(value.getBytes(ISO_8859_1));
      return packet.array();
    }

    @Override
    protected void receives(byte[] bytes) {
      byte[] all = new byte[arrived.length + bytes.length];
      System.arraycopy(arrived, 0, all, 0, arrived.length);
      System.arraycopy(bytes, 0, all, arrived.length, bytes.length);
      int at = 0;
      while (all.length - at >= HEADER) {
        ByteBuffer packet = ByteBuffer.wrap(all, at, all.length - at);
        int body = packet.getInt(at + 8);
        if (all.length - at < HEADER + body) {
          break;
        }
        String wrong = judge(all, at, packet, body);
        if (wrong != null) {
          String header = HexFormat.of().formatHex(all, at, at + HEADER);
          simulator().finding(name + ": " + wrong + ", packet " + header);
          lost();
          return;
        }
        at += HEADER + body;
      }
      arrived = java.util.Arrays.copyOfRange(all, at, all.length);
      if (pending.isEmpty()) {
        if (random.nextInt(40) == 0) {
          finish();
          connectLater();
        } else {
          simulator().after(random.nextLong(pauseNanos), this::sendBatch);
        }
      }
    }

    // A quiet get says nothing of a miss, other quiet requests nothing of a success.
    private static @Nullable String judgeSilence(Sent sent) {
      CheckedKey key = sent.key();
      if (key == null || sent.opcode() == SETQ) {
        return null;
      }
      if (sent.opcode() == DELETEQ) {
        return sent.before() == null && key.isCertain() ? "no reply to " + sent : null;
      }
      return key.judge(sent.before(), null);
    }

    private @Nullable String judge(byte[] all, int at, ByteBuffer packet, int body) {
      Sent sent = pending.poll();
      while (sent != null && sent.isQuiet() && sent.opaque() != packet.getInt(at + 12)) {
        String wrong = judgeSilence(sent);
        if (wrong != null) {
          return wrong;
        }
        sent = pending.poll();
      }
      if (sent == null) {
        return "a reply without a request";
      }
      int status = packet.getShort(at + 6);
      if (packet.get(at) != (byte) 0x81
          || packet.get(at + 1) != sent.opcode()
          || packet.getInt(at + 12) != sent.opaque()) {
        return "found another request's reply, expected one to " + sent;
      }
      CheckedKey key = sent.key();
      if (key == null) {
        return status == NO_ERROR ? null : "a noop failed";
      }
      boolean reads = sent.reads();
      if (status >= FIRST_FAILURE) {
        if (!reads) {
          key.uncertain();
        }
        String error = new String(all, at + HEADER, body, ISO_8859_1);
        boolean behindOthers = world.isFlooded() && error.endsWith(" timed out");
        return world.isExcused() || behindOthers
            ? null
            : "an error without a fault: " + error + " to " + sent;
      }
      if (reads) {
        if (status != NO_ERROR && status != NOT_FOUND) {
          return "found status "
              + status
              + " as the reply to a get: "
              + new String(all, at + HEADER, body, ISO_8859_1);
        }
        int skipped = packet.get(at + 4) + packet.getShort(at + 2);
        String found =
            status == NOT_FOUND
                ? null
                : new String(all, at + HEADER + skipped, body - skipped, ISO_8859_1);
        return key.judge(sent.before(), found);
      }
      int expected =
          switch (sent.opcode()) {
            case ADD -> sent.before() == null ? NO_ERROR : EXISTS;
            case DELETE, DELETEQ -> sent.before() == null ? NOT_FOUND : NO_ERROR;
            default -> NO_ERROR;
          };
      return status == expected || !key.isCertain()
          ? null
          : "found status " + status + ", expected " + expected + " to " + sent;
    }

    @Override
    protected void peerEnds() {
      if (!world.isExcused()) {
        simulator().finding(name + ": the gateway has closed a connection");
      }
      lost();
    }

    @Override
    protected void breaks(IOException why) {
      if (!world.isExcused()) {
        simulator().finding(name + ": " + why.getMessage());
      }
      lost();
    }

    private void lost() {
      abort();
      for (Sent sent : pending) {
        if (sent.key() != null) {
          sent.key().uncertain();
        }
      }
      pending.clear();
      connectLater();
    }

    @Override
    protected long thinks() {
      return random.nextInt(5_000, 60_000);
    }
  }

  private final World world;
  private final String name;
  private final int number;
  private final String host;
  private final Scenario.Rule[] rules;
  private final InetSocketAddress gateway;
  private final RandomGenerator random;
  private final List<CheckedKey> keys = new ArrayList<>();
  private final long pauseNanos;
  private int keyNumber;

  BinaryClient(World world, Scenario scenario, int number) {
    this.world = world;
    this.name = "binary client " + number;
    this.number = number;
    this.host = "10.1.3." + number;
    this.rules = scenario.rules();
    this.random = world.simulator().stream();
    gateway = world.gateways().get(random.nextInt(world.gateways().size()));
    pauseNanos = random.nextLong(300_000_000, 6_000_000_000L);
    for (int i = 0; i < KEYS; i++) {
      keys.add(fresh());
    }
  }

  private CheckedKey fresh() {
    Scenario.Rule rule = rules[random.nextInt(rules.length)];
    return new CheckedKey(world, rule, "10" + number + ":k" + ++keyNumber);
  }

  private CheckedKey key() {
    int at = random.nextInt(keys.size());
    if (!keys.get(at).isCertain()) {
      keys.set(at, fresh());
    }
    return keys.get(at);
  }

  void start() {
    connectLater();
  }

  private void connectLater() {
    world.simulator().after(random.nextLong(50_000_000), this::connect);
  }

  private void connect() {
    if (!world.isEnding()) {
      Connection connection = new Connection();
      connection.connects(world.network().connect(host, gateway, connection));
    }
  }
}
