package sluice.perf.simulation;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import sluice.perf.simulation.system.TlsEnd;
import sluice.testkit.hostile.PacketBender;

/**
 * Client that sends packets of the binary protocol that are almost valid, or not at all, and closes
 * at any moment. It judges which replies come and when its connection ends, and nearly nothing of
 * what they say; its neighbours must not notice it.
 */
final class HostileBinaryClient {
  private static final long MOST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);
  private static final byte REQUEST = (byte) 0x80;
  private static final byte STAT = 0x10;
  private static final Pattern SERVER = Pattern.compile("\\bserver [0-9]");
  private static final byte[] NOTHING = {};

  private final class Connection extends CheckedConnection {
    private final OwedReplies replies = new OwedReplies();
    private final Packets packets = new Packets();
    private byte[] held = NOTHING; // is sent before the next packets
    private boolean binary; // the first byte was sent, which selects the protocol
    private boolean deaf; // it does not read
    private boolean slow; // it has not read for a while, for which it may be closed
    private boolean halfClosed;
    private boolean leaving; // it sends nothing more, and waits for what it is owed

    Connection(InetSocketAddress gateway, @Nullable TlsEnd tls) {
      super(world, name, gateway, tls);
    }

    @Override
    void sendBatch() {
      if (isOver()) {
        return;
      }
      if (world.isEnding()) {
        abort();
        return;
      }
      put(held);
      held = NOTHING;
      int count = random.nextInt(1, 10);
      for (int i = 0; i < count && (!replies.isEnded() || random.nextInt(4) == 0); i++) {
        put(packet());
      }
      world.countRequests(count);
      if (random.nextInt(8) == 0) {
        byte[] last = packet();
        int cut = random.nextInt(last.length + 1); // it may be empty
        put(Arrays.copyOf(last, cut));
        held = Arrays.copyOfRange(last, cut, last.length);
      }
      watch();
      act();
      if (!isOver()) {
        simulator().after(world.pause(random, MOST_PAUSE_NANOS), this::goOn);
      }
    }

    private byte[] packet() {
      PacketBender bender = benders.get(random.nextInt(benders.size()));
      boolean bent = random.nextInt(4) == 0;
      byte[] bytes = bender.next();
      while ((stored && isStat(bytes)) || (!bent && !isAnswered(bytes))) {
        bytes = bender.next();
      }
      return bent && random.nextInt(8) == 0
          ? Arrays.copyOf(bytes, random.nextInt(bytes.length))
          : bytes;
    }

    private static boolean isStat(byte[] packet) {
      return packet.length > 1 && packet[1] == STAT;
    }

    // Whether a connection goes on behind a packet, which is complete.
    private static boolean isAnswered(byte[] packet) {
      OwedReplies alone = new OwedReplies();
      alone.sent(packet);
      return !alone.isEnded() && !alone.isInside();
    }

    private void put(byte[] bytes) {
      if (bytes.length > 0 && (binary || bytes[0] == REQUEST)) {
        binary = true;
        replies.sent(bytes);
        send(bytes);
      }
    }

    private void act() {
      switch (random.nextInt(12)) {
        case 0 -> finish();
        case 1 -> abort();
        case 2 -> {
          halfClose();
          halfClosed = true;
          leaving = true;
        }
        case 3 -> {
          reading(false);
          deaf = true;
          slow = true;
        }
        default -> leaving = replies.isEnded() && random.nextInt(4) > 0;
      }
    }

    private void goOn() {
      if (isOver()) {
        return;
      }
      deaf = false;
      reading(true);
      leaving |= random.nextInt(12) == 0;
      if (!leaving) {
        sendBatch();
        return;
      }
      watch();
      abortIfDone();
    }

    private void abortIfDone() {
      if (waitsFor() == null) {
        abort();
      }
    }

    @Override
    @Nullable String waitsFor() {
      if (deaf) {
        return null;
      }
      String reply = replies.first();
      if (reply != null) {
        return "reply to " + reply;
      }
      return replies.isEnded() || halfClosed ? "end of its connection" : null;
    }

    @Override
    boolean isReading() {
      return replies.isOwed();
    }

    @Override
    protected void receives(byte[] bytes) {
      if (passes(packets, bytes, this::judge) && leaving && !deaf) {
        abortIfDone();
      }
    }

    private @Nullable String judge(BinaryReply reply) {
      String wrong = replies.judge(reply);
      boolean failed = wrong == null && isOfServer(reply) && !slow;
      return failed && !isExcused(reply.value())
          ? "an error without a fault: " + reply.value()
          : wrong;
    }

    // Others say what servers cannot do at all. Lines of statistics may have keys with line ends.
    private static boolean isOfServer(BinaryReply reply) {
      return reply.opcode() != STAT
          && (reply.status() == BinaryReply.TEMPORARY_FAILURE
              || (reply.isFailure() && SERVER.matcher(reply.value()).find()));
    }

    @Override
    protected void peerEnds() {
      boolean due = replies.isEnded() || halfClosed;
      if (!due && !isLossExcused()) {
        finding("the gateway has closed it");
      } else if (replies.isOwed() && !isLossExcused()) {
        finding("the gateway has closed it before the reply to " + replies.first());
      }
      finish();
    }

    @Override
    protected void breaks(IOException why) {
      if (!replies.isEnded() && !isLossExcused()) {
        finding(String.valueOf(why.getMessage()));
      }
    }

    // It may have kept what others need: a server's connection, or memory.
    private boolean isLossExcused() {
      return slow || replies.isInsideValue() || mayEnd();
    }

    @Override
    void lost() {
      // the next one does not depend on it
    }

    @Override
    protected long thinks() {
      return 10_000;
    }
  }

  private final World world;
  private final String name;
  private final String host;
  private final RandomGenerator random;
  private final List<PacketBender> benders = new ArrayList<>(); // one for each rule
  private final Scenario scenario;
  private final boolean stored;

  HostileBinaryClient(World world, Scenario scenario, int number) {
    this.world = world;
    this.name = "hostile binary client " + number;
    this.host = "10.1.5." + number;
    this.random = world.simulator().stream();
    this.scenario = scenario;
    // What a store inside the gateway tells of its process differs from run to run.
    stored = scenario.rules().contains(Rule.EMBEDDED);
    for (Rule rule : scenario.rules()) {
      String prefix = rule.prefix() + "b" + number + ":";
      benders.add(new PacketBender(new Random(random.nextLong()), prefix));
    }
  }

  void start() {
    world
        .simulator()
        .after(world.withRests(random.nextLong(TimeUnit.SECONDS.toNanos(4))), this::connect);
  }

  private void connect() {
    if (world.isEnding()) {
      return;
    }
    List<InetSocketAddress> gateways = world.gateways();
    InetSocketAddress to = gateways.get(random.nextInt(gateways.size()));
    boolean tls = scenario.hasTls(to.getHostString()) && random.nextInt(4) == 0;
    new Connection(tls ? SecureListener.address(to) : to, tls ? Certificates.client() : null)
        .connect(host);
    start();
  }
}
