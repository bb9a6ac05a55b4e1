package sluice.perf.simulation;

import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Client as {@link CheckedClient}, of the binary protocol, with keys of its own and some that
 * others use, too. The gateway may bridge it to text servers.
 */
final class BinaryClient {
  private static final int KEYS = 5;
  private static final int GET = 0x00;
  private static final int SET = 0x01;
  private static final int ADD = 0x02;
  private static final int DELETE = 0x04;
  private static final int NOOP = 0x0a;
  private static final int GETQ = 0x09;
  private static final int GETK = 0x0c;
  private static final int GETKQ = 0x0d;
  private static final int APPEND = 0x0e;
  private static final int PREPEND = 0x0f;
  private static final int SETQ = 0x11;
  private static final int DELETEQ = 0x14;
  private static final int TOUCH = 0x1c;
  private static final int GAT = 0x1d;
  private static final int[] LOUD = {
    GET, GET, GETK, SET, SET, SET, ADD, DELETE, NOOP, APPEND, PREPEND, TOUCH, GAT
  };
  private static final int[] QUIET = {GETQ, GETQ, GETKQ, GETKQ, GETK, SETQ, SETQ, DELETEQ, SET};
  private static final byte[] NO_EXTRAS = {};
  private static final byte[] FOR_EVER = new byte[Integer.BYTES];
  private static final byte[] PAST =
      ByteBuffer.allocate(Integer.BYTES).putInt(Journal.PAST).array();

  private final class Connection extends CheckedConnection {
    private final ArrayDeque<PendingPacket> pending = new ArrayDeque<>();
    private final Packets packets = new Packets();
    private int batches; // of which the last was planned
    private boolean sent; // the first batch

    Connection() {
      super(world, name, gateway, null);
    }

    @Override
    void sendBatch() {
      if (isOver()) {
        return;
      }
      if (world.isEnding()) {
        finish();
        return;
      }
      sent = true;
      boolean changes = world.moments().areAwaited() && random.nextInt(4) == 0;
      int count = !changes && random.nextInt(3) == 0 ? random.nextInt(1, 12) : 1;
      boolean quiet = !changes && random.nextInt(3) == 0;
      ByteArrayOutputStream batch = new ByteArrayOutputStream();
      if (changes) {
        batch.writeBytes(change());
      }
      while (pending.size() < count) {
        batch.writeBytes(shared.isNext() ? sharedRequest(quiet) : request(quiet ? QUIET : LOUD));
      }
      if (quiet) {
        batch.writeBytes(noop()); // what has no reply is over when this has one
      }
      world.countRequests(count);
      if (changes || random.nextInt(40) == 0) {
        world.moments().sending(random);
      }
      byte[] bytes = batch.toByteArray();
      if (random.nextInt(6) == 0) {
        sendSlowly(bytes, random, pending.size() == 1);
      } else {
        send(bytes);
      }
      watch();
    }

    private void sendLater() {
      int next = ++batches;
      simulator()
          .after(
              world.pause(random, pauseNanos),
              () -> {
                if (next == batches) {
                  sendBatch();
                }
              });
    }

    // A read that removes its item, and whose reply may be lost, in place of the next batch.
    void repliesAreLost() {
      CheckedKey held = sent && !isOver() && pending.isEmpty() ? held() : null;
      if (held != null) {
        batches++;
        world.countRequests(1);
        send(taking(held, (int) random.nextLong()));
        watch();
      }
    }

    private byte[] noop() {
      int opaque = (int) random.nextLong();
      pending.add(PendingPacket.noop(opaque));
      return BinaryReply.request(NOOP, NO_EXTRAS, "", "", opaque);
    }

    private byte[] sharedRequest(boolean quiet) {
      return sharedRequest(shared.next(quiet));
    }

    private byte[] sharedRequest(SharedPackets.Sent next) {
      pending.add(PendingPacket.shared(next.packet()));
      return next.bytes();
    }

    // A change that shows if it is carried out twice.
    private byte[] change() {
      SharedPackets.Sent count = random.nextBoolean() ? shared.count() : null;
      if (count != null) {
        return sharedRequest(count);
      }
      return unusual(random.nextBoolean() ? APPEND : PREPEND, key(), (int) random.nextLong());
    }

    private byte[] request(int[] opcodes) {
      int opcode = opcodes[random.nextInt(opcodes.length)];
      if (opcode == NOOP) {
        return noop();
      }
      int opaque = (int) random.nextLong();
      boolean takes = world.moments().areRepliesLost() && random.nextBoolean();
      CheckedKey held = takes ? held() : null;
      if (held != null) {
        return taking(held, opaque);
      }
      CheckedKey key = key();
      if (opcode == APPEND || opcode == PREPEND || opcode == TOUCH || opcode == GAT) {
        boolean touches = opcode == TOUCH || opcode == GAT;
        return unusual(touches && !key.rule().takesAll() ? GET : opcode, key, opaque);
      }
      String before = key.value();
      if (opcode != SET && opcode != SETQ && opcode != ADD) {
        if (opcode == DELETE || opcode == DELETEQ) {
          key.writes(null);
        }
        pending.add(new PendingPacket(opcode, key, opaque, before, 0, key.changes()));
        return BinaryReply.request(opcode, NO_EXTRAS, key.name(), "", opaque);
      }
      String value = key.next(random.nextInt(20) == 0 ? 5_000 : random.nextInt(10, 200));
      if (opcode != ADD || before == null) {
        key.writes(value);
      }
      pending.add(new PendingPacket(opcode, key, opaque, before, key.flags(), key.changes()));
      byte[] extras = ByteBuffer.allocate(Long.BYTES).putInt((int) key.flags()).array();
      return BinaryReply.request(opcode, extras, key.name(), value, opaque);
    }

    private byte[] unusual(int opcode, CheckedKey key, int opaque) {
      boolean adds = opcode == APPEND || opcode == PREPEND;
      String before = key.value();
      String value = adds ? key.addition(opcode == APPEND, random.nextInt(5, 40)) : "";
      pending.add(new PendingPacket(opcode, key, opaque, before, 0, key.changes()));
      byte[] extras = opcode == TOUCH || opcode == GAT ? FOR_EVER : NO_EXTRAS;
      if (opcode == GAT && key.mayExpire() && random.nextInt(3) == 0) {
        key.writes(null);
        extras = PAST;
      }
      return BinaryReply.request(opcode, extras, key.name(), value, opaque);
    }

    // A read that removes the item: if it is carried out twice, the second reply is a miss.
    private byte[] taking(CheckedKey key, int opaque) {
      pending.add(new PendingPacket(GAT, key, opaque, key.value(), 0, key.changes()));
      key.writes(null);
      return BinaryReply.request(GAT, PAST, key.name(), "", opaque);
    }

    @Override
    @Nullable String waitsFor() {
      return pending.isEmpty() ? null : "reply to " + pending.getFirst();
    }

    @Override
    boolean isReading() {
      return pending.stream().anyMatch(PendingPacket::reads);
    }

    @Override
    protected void receives(byte[] bytes) {
      if (passes(packets, bytes, this::judge) && pending.isEmpty()) {
        if (random.nextInt(40) == 0) {
          leaves();
          connectLater();
        } else {
          sendLater();
        }
      }
    }

    // A quiet get says nothing of a miss, other quiet requests nothing of a success.
    private @Nullable String judgeSilence(PendingPacket sent) {
      if (sent.shared() != null) {
        world.tally().judged(sent.shared().isCertain());
        return sent.shared().judgeSilence();
      }
      CheckedKey key = sent.key();
      if (key == null) {
        return null;
      }
      world.tally().judged(key.isCertain());
      if (sent.opcode() == SETQ) {
        return judgeStored(sent, key);
      }
      if (sent.opcode() == DELETEQ) {
        return sent.before() == null && key.isCertain() ? "no reply to " + sent : null;
      }
      return key.judge(sent.before(), sent.changes(), null, 0);
    }

    private static @Nullable String judgeStored(PendingPacket sent, CheckedKey key) {
      return key.mayHold(sent.flags()) ? null : "no server has carried out " + sent;
    }

    private @Nullable String judge(BinaryReply reply) {
      PendingPacket sent = pending.poll();
      while (sent != null && sent.isQuiet() && sent.opaque() != reply.opaque()) {
        String wrong = judgeSilence(sent);
        if (wrong != null) {
          return wrong;
        }
        sent = pending.poll();
      }
      if (sent == null) {
        return "a reply without a request";
      }
      if (!reply.answers(sent.opcode(), sent.opaque())) {
        return "found another request's reply, expected one to " + sent;
      }
      CheckedKey key = sent.key();
      if (key == null && sent.shared() == null) {
        return reply.status() == BinaryReply.NO_ERROR ? null : "a noop failed";
      }
      if (reply.isFailure()) {
        return judgeFailure(reply, sent);
      }
      world.tally().judged(sent.isCertain());
      if (!reply.key().equals(sent.toldKey())) {
        return "found key " + reply.key() + " in the reply to " + sent;
      }
      if (key == null) {
        return sent.shared() == null ? null : sent.shared().judge(reply);
      }
      return sent.reads() ? judgeRead(reply, sent, key) : judgeWrite(reply, sent, key);
    }

    private @Nullable String judgeFailure(BinaryReply reply, PendingPacket sent) {
      if (!sent.changesNothing()) {
        sent.unknown();
      }
      if (!isExcused(reply.value())) {
        return "an error without a fault: " + reply.value() + " to " + sent;
      }
      world.tally().excused(1);
      return null;
    }

    private static @Nullable String judgeRead(
        BinaryReply reply, PendingPacket sent, CheckedKey key) {
      return switch (reply.status()) {
        case BinaryReply.NO_ERROR ->
            key.judge(sent.before(), sent.changes(), reply.value(), reply.flags());
        case BinaryReply.NOT_FOUND -> key.judge(sent.before(), sent.changes(), null, 0);
        default -> "found status " + reply.status() + " as the reply to " + sent;
      };
    }

    private static @Nullable String judgeWrite(
        BinaryReply reply, PendingPacket sent, CheckedKey key) {
      boolean held = sent.before() != null;
      int unusual =
          switch (sent.opcode()) {
            case ADD -> BinaryReply.EXISTS;
            case DELETE, DELETEQ, TOUCH -> BinaryReply.NOT_FOUND;
            case APPEND, PREPEND -> BinaryReply.NOT_STORED;
            default -> BinaryReply.NO_ERROR;
          };
      int expected = held == (sent.opcode() == ADD) ? unusual : BinaryReply.NO_ERROR;
      int status = reply.status();
      boolean allowed = status == unusual || status == BinaryReply.NO_ERROR;
      if (key.isCertain() ? status != expected : !allowed) {
        return "found status " + status + ", expected " + expected + " to " + sent;
      }
      return sent.stores() && status == BinaryReply.NO_ERROR ? judgeStored(sent, key) : null;
    }

    @Override
    void lost() {
      abort();
      world.tally().excused(pending.size());
      pending.forEach(PendingPacket::unknown);
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
  private final List<Rule> rules;
  private final InetSocketAddress gateway;
  private final RandomGenerator random;
  private final SharedPackets shared;
  private final List<CheckedKey> keys = new ArrayList<>();
  private final long pauseNanos;
  private @Nullable Connection connection; // the last one; null before the first
  private int keyNumber;

  BinaryClient(World world, Scenario scenario, SharedKeys shared, int number) {
    this.world = world;
    this.name = "binary client " + number;
    this.number = number;
    this.host = "10.1.3." + number;
    this.rules = scenario.rules();
    this.random = world.simulator().stream();
    gateway = world.gateways().get(random.nextInt(world.gateways().size()));
    this.shared = new SharedPackets(shared, gateway.getHostString(), world.simulator().stream());
    pauseNanos = random.nextLong(300_000_000, 6_000_000_000L);
    for (int i = 0; i < KEYS; i++) {
      keys.add(fresh());
    }
  }

  private CheckedKey fresh() {
    Rule rule = rules.get(random.nextInt(rules.size()));
    return new CheckedKey(world, rule, "10" + number + ":k" + ++keyNumber);
  }

  // A key whose item a read may remove, if there is one.
  private @Nullable CheckedKey held() {
    int first = random.nextInt(KEYS);
    for (int i = 0; i < KEYS; i++) {
      CheckedKey one = keys.get((first + i) % KEYS);
      if (one.mayExpire() && one.isCertain() && one.value() != null) {
        return one;
      }
    }
    return null;
  }

  private CheckedKey key() {
    int at = random.nextInt(keys.size());
    if (keys.get(at).isWorn()) {
      keys.set(at, fresh());
    }
    return keys.get(at);
  }

  void start() {
    world.moments().onLoss(this::sendWhileRepliesAreLost);
    connectLater();
  }

  private void sendWhileRepliesAreLost() {
    Connection now = connection;
    if (now != null && world.moments().areRepliesLost()) {
      now.repliesAreLost();
    }
  }

  private void connectLater() {
    world.simulator().after(random.nextLong(50_000_000), this::connect);
  }

  private void connect() {
    if (!world.isEnding()) {
      connection = new Connection();
      connection.connect(host);
    }
  }
}
