package sluice.codecs.internode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import sluice.codecs.ProtocolException;
import sluice.codecs.buffer.ByteSink;
import sluice.codecs.compress.Workspace;
import sluice.names.Verb;

/** A reframer with everything around it: what leaves and which messages were seen. */
final class Collected implements ByteSink, AutoCloseable {
  static final long MAX_MESSAGE = 128L << 20;

  /** Knows what is not released; the leak detector would slow every access down. */
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);

  final Workspace workspace = Workspace.of(allocator);
  final List<List<Object>> messages = new ArrayList<>();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  final Reframer reframer;
  int pieces;
  private Collected counting;

  Collected(Function<Collected, Reframer> reframer) {
    this.reframer = reframer.apply(this);
  }

  static Collected ofFrames(Framing from, Framing to) {
    return new Collected(c -> Reframer.ofFrames(from, to, c.workspace, c));
  }

  /** Beside it, another that only counts reads the same, and must see the same. */
  static Collected observing(Framing from, Framing to, int version) {
    Collected observing =
        new Collected(c -> Reframer.observing(from, to, c.walk(version), c.workspace, c));
    observing.counting =
        new Collected(c -> Reframer.observing(from, to, c.counter(version), c.workspace, c));
    return observing;
  }

  private MessageWalk counter(int version) {
    return MessageWalk.counting(
        version,
        MAX_MESSAGE,
        (verb, length) -> messages.add(List.of(Verb.of(verb).label(), length)));
  }

  private List<List<Object>> counted() {
    return messages.stream()
        .map(message -> List.of(message.get(1), (long) message.get(2) + (long) message.get(3)))
        .toList();
  }

  static Collected filtering(Framing from, Framing to, int version, MessageFilter filter) {
    return new Collected(
        c ->
            Reframer.filtering(
                from,
                to,
                new MessageWalk(
                    version, MAX_MESSAGE, header -> c.see(header) && filter.pass(header)),
                c.workspace,
                c));
  }

  static Collected replacing(
      Framing from, Framing to, int version, MessageFilter filter, MessageReplacer replacer) {
    return new Collected(
        c ->
            Reframer.filtering(
                from,
                to,
                new MessageWalk(
                    version,
                    MAX_MESSAGE,
                    header -> c.see(header) && filter.pass(header),
                    replacer,
                    c.allocator),
                c.workspace,
                c));
  }

  /** Bytes of buffers outside the heap that are not released. */
  long directMemory() {
    return allocator.metric().usedDirectMemory();
  }

  private MessageWalk walk(int version) {
    return new MessageWalk(version, MAX_MESSAGE, this::see);
  }

  private boolean see(MessageHeader header) {
    messages.add(describe(header));
    return true;
  }

  /** The first columns of the manifest's lists of messages. */
  static List<Object> describe(MessageHeader header) {
    return List.of(
        header.id(),
        Verb.of(header.verb()).label(),
        (long) header.headerLength(),
        header.payloadLength(),
        Integer.toUnsignedLong(header.createdAt()),
        header.expiresAfterMillis(),
        (long) header.flags(),
        (long) header.paramCount());
  }

  /** The same columns of the manifest. */
  static List<List<Object>> described(List<List<Object>> manifest) {
    List<List<Object>> messages = new ArrayList<>();
    for (List<Object> row : manifest) {
      List<Object> message = new ArrayList<>();
      for (int column : new int[] {0, 1, 2, 3, 4, 5, 6}) {
        Object value = row.get(column);
        message.add(value instanceof Number number ? (Object) number.longValue() : value);
      }
      message.add((long) ((List<?>) row.get(7)).size());
      messages.add(message);
    }
    return messages;
  }

  @Override
  public void accept(ByteBuf bytes) {
    pieces++;
    out.writeBytes(ByteBufUtil.getBytes(bytes));
    bytes.release();
  }

  /** Reads bytes cut into reads of at most {@code size}, each a buffer of its own. */
  Collected read(byte[] bytes, int from, int size) {
    for (int at = from; at < bytes.length; at += size) {
      read(bytes, at, Math.min(bytes.length, at + size) - at, at % (size < 64 ? 64 : 2) == 0);
    }
    return this;
  }

  void read(byte[] bytes, int from, int length, boolean direct) {
    if (length > 0) {
      ByteBuf read = direct ? allocator.directBuffer(length) : allocator.heapBuffer(length);
      try {
        reframer.read(read.writeBytes(bytes, from, length));
      } catch (ProtocolException e) {
        if (counting != null) {
          assertThatThrownBy(() -> counting.read(bytes, from, length, direct))
              .hasMessage(e.getMessage());
        }
        throw e;
      }
      if (counting != null) {
        counting.read(bytes, from, length, direct);
      }
    }
  }

  /** Reads all of it; the error that ended it, or null. */
  String readUntilError(byte[] bytes, int from, int size) {
    try {
      read(bytes, from, size);
      return null;
    } catch (ProtocolException e) {
      return e.getMessage();
    }
  }

  byte[] out() {
    return out.toByteArray();
  }

  @Override
  public void close() {
    if (counting != null) {
      assertThat(counting.messages).isEqualTo(counted());
      assertThat(counting.out()).isEqualTo(out());
      counting.close();
    }
    reframer.close();
    workspace.scratch().release();
    long left = allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory();
    if (left != 0) {
      throw new IllegalStateException(left + " bytes of buffers were not released");
    }
  }
}
