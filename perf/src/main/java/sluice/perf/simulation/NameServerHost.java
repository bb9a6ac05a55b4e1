package sluice.perf.simulation;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import sluice.perf.simulation.system.SimulatedNetwork;

/**
 * Name server (RFC 1035) with the addresses of the first pool's servers, and with their services
 * (RFC 2782). It answers by UDP.
 *
 * <pre>
 *   0    2       4           6         8        10       12
 *   +----+-------+-----------+---------+--------+--------+----------+---------
 *   | id | flags | questions | answers | 0      | 0      | question | answers
 *   +----+-------+-----------+---------+--------+--------+----------+---------
 * </pre>
 */
final class NameServerHost extends ServerSource implements SimulatedNetwork.Responder {
  private static final int HEADER = 12;
  private static final int IS_ANSWER = 0x8180;
  private static final int SERVER_FAILURE = 2;
  private static final int NO_SUCH_NAME = 3;
  private static final int REFUSED = 5;
  private static final int NAME_OF_QUESTION = 0xC00C; // a pointer to offset 12
  private static final int A = 1;
  private static final int AAAA = 28;
  private static final int SRV = 33;
  private static final int INTERNET = 1;

  private long downUntil;

  NameServerHost(World world, Scenario scenario) {
    super(world, scenario);
  }

  @Override
  void start() {
    world.network().respond(Scenario.NAME_SERVER, this);
  }

  @Override
  void crash(long nanos) {
    world.simulator().trace("name server crashes", count(), nanos);
    downUntil = world.simulator().now() + nanos;
  }

  @Override
  public void receive(byte[] query, Consumer<byte[]> reply) {
    long now = world.simulator().now();
    if (now < downUntil) {
      return;
    }
    if (now < stalledUntil()) {
      world.simulator().at(stalledUntil(), () -> receive(query, reply));
      return;
    }
    byte[] right = answer(query);
    if (!isUnreliable()) {
      reply.accept(right);
      return;
    }
    switch (random.nextInt(5)) { // a cut answer would be asked for by TCP
      case 0 -> reply.accept(failed(query, SERVER_FAILURE));
      case 1 -> reply.accept(failed(query, REFUSED));
      case 2 -> reply.accept(failed(query, NO_SUCH_NAME));
      case 3 -> { // an answer to another query, and then none
        right[0]++;
        reply.accept(right);
      }
      default -> {} // it is lost
    }
  }

  private byte[] answer(byte[] query) {
    ByteBuf in = Unpooled.wrappedBuffer(query).skipBytes(HEADER);
    List<String> labels = new ArrayList<>();
    for (int length = in.readByte(); length > 0; length = in.readByte()) {
      labels.add(in.readCharSequence(length, StandardCharsets.US_ASCII).toString());
    }
    String name = String.join(".", labels).toLowerCase(Locale.ROOT);
    int type = in.readUnsignedShort();
    List<ByteBuf> answers = new ArrayList<>();
    boolean exists = true;
    if (name.equals(Scenario.SERVICE)) {
      for (int i = 0; i < count() && type == SRV; i++) {
        answers.add(service(i));
      }
    } else if (name.equals(Certificates.NAME)) {
      for (int i = 0; i < count() && type == A; i++) {
        answers.add(address(host(i)));
      }
    } else if (name.endsWith('.' + Certificates.NAME) && name.startsWith("node-")) {
      int node = Integer.parseInt(labels.get(0).substring("node-".length()));
      exists = node < count();
      if (exists && type == A) {
        answers.add(address(host(node)));
      }
    } else {
      exists = false; // a search domain of the machine
    }
    if (type != A && type != AAAA && type != SRV) {
      world.simulator().finding("a name server was asked for type " + type + " of " + name);
    }
    shuffle(answers);
    ByteBuf out = Unpooled.buffer();
    head(query, exists ? 0 : NO_SUCH_NAME, answers.size(), in.readerIndex() + 2, out);
    answers.forEach(out::writeBytes);
    return ByteBufUtil.getBytes(out);
  }

  private static byte[] failed(byte[] query, int code) {
    ByteBuf out = Unpooled.buffer();
    int end = HEADER;
    while (query[end] != 0) {
      end += query[end] + 1;
    }
    head(query, code, 0, end + 5, out);
    return ByteBufUtil.getBytes(out);
  }

  private static void head(byte[] query, int code, int answers, int end, ByteBuf out) {
    out.writeBytes(query, 0, 2).writeShort(IS_ANSWER | code).writeShort(1).writeShort(answers);
    out.writeInt(0).writeBytes(query, HEADER, end - HEADER);
  }

  private static ByteBuf record(int type, int length) {
    return Unpooled.buffer()
        .writeShort(NAME_OF_QUESTION)
        .writeShort(type)
        .writeShort(INTERNET)
        .writeInt(0)
        .writeShort(length);
  }

  private static ByteBuf address(String host) {
    ByteBuf record = record(A, 4);
    for (String number : host.split("\\.")) {
      record.writeByte(Integer.parseInt(number));
    }
    return record;
  }

  private static ByteBuf service(int node) {
    ByteBuf target = Unpooled.buffer();
    for (String label : ("node-" + node + '.' + Certificates.NAME).split("\\.")) {
      target.writeByte(label.length()).writeCharSequence(label, StandardCharsets.US_ASCII);
    }
    target.writeByte(0);
    return record(SRV, 6 + target.readableBytes())
        .writeShort(1)
        .writeShort(1)
        .writeShort(11211)
        .writeBytes(target);
  }
}
