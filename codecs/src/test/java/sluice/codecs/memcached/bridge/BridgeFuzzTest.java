package sluice.codecs.memcached.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.EnumSet;
import java.util.Set;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;
import sluice.codecs.memcached.text.StorageLine;
import sluice.codecs.memcached.text.TextCommands;
import sluice.codecs.memcached.text.TextLine;
import sluice.names.Command;

/** The readers and writers of the neutral form on any bytes: no exception, no contradiction. */
class BridgeFuzzTest {
  private static final RequestWriter[] REQUESTS = {
    TextRequestWriter.INSTANCE,
    MetaRequestWriter.INSTANCE,
    BinaryRequestWriter.INSTANCE,
    new IgniteRequestWriter(new byte[0], true, () -> 1_800_000_000L)
  };
  private static final ReplyWriter[] REPLIES = {
    TextReplyWriter.INSTANCE,
    MetaReplyWriter.INSTANCE,
    BinaryReplyWriter.INSTANCE,
    new IgniteReplyWriter()
  };
  private static final Set<Command> KEYED =
      EnumSet.of(
          Command.GET,
          Command.GETS,
          Command.GAT,
          Command.GATS,
          Command.SET,
          Command.ADD,
          Command.REPLACE,
          Command.APPEND,
          Command.PREPEND,
          Command.CAS,
          Command.DELETE,
          Command.INCR,
          Command.DECR,
          Command.TOUCH);
  private static final Set<Command> METAS =
      EnumSet.of(Command.MG, Command.MS, Command.MD, Command.MA);

  @FuzzTest(maxDuration = "60s")
  void shouldBridgeAnyLine(byte[] bytes) {
    ByteBuf in = Unpooled.wrappedBuffer(bytes);
    int lf = in.indexOf(0, bytes.length, (byte) '\n');
    TextLine line = new TextLine().wrap(in, 0, lf < 0 ? bytes.length : lf); // no line holds one
    Command command = TextCommands.of(line);
    for (boolean proxy : new boolean[] {false, true}) {
      Request request = new Request();
      int token = command == Command.GAT || command == Command.GATS ? 2 : 1;
      boolean right =
          isRightStorage(line, command, proxy)
              && (KEYED.contains(command)
                  ? TextRequestReader.read(line, command, token, version(proxy), request) == null
                  : METAS.contains(command)
                      && line.count() > 1
                      && MetaRequestReader.read(
                              line,
                              command,
                              proxy ? ServerVersion.EMBEDDED : ServerVersion.UNKNOWN,
                              request)
                          == null);
      if (right && line.length(token) <= KeyBytes.MOST) {
        request.key.set(in, line.start(token), line.end(token));
        writeAll(request);
      }
    }
  }

  private static ServerVersion version(boolean proxy) {
    return proxy ? ServerVersion.EMBEDDED : ServerVersion.UNKNOWN;
  }

  /** The first byte is an opcode, the second the length of the key; the rest is extras and key. */
  @FuzzTest(maxDuration = "60s")
  void shouldBridgeAnyPacket(byte[] bytes) {
    int opcode = bytes.length < 2 ? Opcode.NOOP : bytes[0] & 0x3F;
    int extras = extrasLength(opcode);
    int key = bytes.length < 2 ? 0 : Math.min(bytes[1] & 0xFF, bytes.length - 2 - extras);
    if (extras < 0 || key < 0 || key > KeyBytes.MOST) {
      return;
    }
    ByteBuf packet = Unpooled.buffer();
    packet.writeByte(BinaryHeader.REQUEST_MAGIC).writeByte(opcode).writeShort(key);
    packet.writeByte(extras).writeZero(3).writeInt(extras + key).writeZero(12);
    packet.writeBytes(bytes, 2, extras + key);
    Request request = new Request();
    BinaryRequestReader.read(packet, 0, request);
    writeAll(request);
  }

  /** What memcached wants of an opcode; negative if it has no neutral form. */
  private static int extrasLength(int opcode) {
    return switch (Opcode.loud(opcode)) {
      case Opcode.GET, Opcode.GETK, Opcode.DELETE, Opcode.APPEND, Opcode.PREPEND, Opcode.STAT -> 0;
      case Opcode.GAT, Opcode.GATK, Opcode.TOUCH, Opcode.VERBOSITY -> 4;
      case Opcode.SET, Opcode.ADD, Opcode.REPLACE -> 8;
      case Opcode.INCREMENT, Opcode.DECREMENT -> 20;
      default -> -1;
    };
  }

  private static boolean isRightStorage(TextLine line, Command command, boolean proxy) {
    return switch (command) {
      case SET, ADD, REPLACE, APPEND, PREPEND, CAS, MS ->
          new StorageLine()
                  .read(line, command, proxy ? ServerVersion.EMBEDDED : ServerVersion.UNKNOWN)
                  .error()
              == null;
      default -> true;
    };
  }

  private static void writeAll(Request request) {
    for (RequestWriter writer : REQUESTS) {
      Awaited awaited = new Awaited();
      awaited.remember(request);
      ByteBuf out = Unpooled.buffer(16);
      String refusal = writer.write(request, 1, awaited, out);
      assertThat(out.isReadable()).isEqualTo(refusal == null);
      assertThat(out.readableBytes()).isLessThanOrEqualTo(request.longestHead());
      if (refusal == null && writer.endsValueWithLine()) {
        int lf = out.indexOf(0, out.writerIndex(), (byte) '\n');
        assertThat(lf).as("one line").isEqualTo(out.writerIndex() - 1);
      }
    }
  }

  @FuzzTest(maxDuration = "60s")
  void shouldBridgeAnyReply(FuzzedDataProvider data) {
    Request request = new Request().clear(data.pickValue(Operation.values()));
    request.wants = data.consumeInt(0, 127);
    request.likes = data.consumeInt(0, 127);
    request.returnsKey = data.consumeBoolean();
    ByteBuf key = Unpooled.copiedBuffer("key", java.nio.charset.StandardCharsets.US_ASCII);
    request.key.set(key, 0, 3);
    request.clientKey.set(key, 0, 3);
    RequestWriter server = data.pickValue(REQUESTS);
    Awaited awaited = new Awaited();
    awaited.remember(request);
    if (server.write(request, 1, awaited, Unpooled.buffer()) != null) {
      return;
    }
    byte[] bytes = data.consumeRemainingAsBytes();
    ByteBuf in = Unpooled.wrappedBuffer(bytes);
    int length = bytes.length;
    if (!server.endsValueWithLine()) {
      if (length < BinaryHeader.LENGTH) {
        return;
      }
      long head = server.replies().headLength(in, 0, length, awaited);
      assertThat(head).isGreaterThanOrEqualTo(BinaryHeader.LENGTH);
      if (head > length) {
        return;
      }
      length = (int) head;
    }
    Reply reply = new Reply();
    if (server.replies().read(in, 0, length, awaited, reply)) {
      for (ReplyWriter writer : REPLIES) {
        ByteBuf out = Unpooled.buffer(16);
        writer.write(reply, awaited, out);
        assertThat(out.readableBytes()).isLessThanOrEqualTo(ReplyWriter.longest(reply, awaited));
      }
    }
  }
}
