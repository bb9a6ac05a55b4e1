package sluice.perf.jmh;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import sluice.codecs.buffer.FieldReader;
import sluice.codecs.buffer.FieldWriter;
import sluice.codecs.buffer.Slices;
import sluice.codecs.memcached.binary.BinaryHeader;

/**
 * The eight fields of a binary header, read and written with one look at the buffer for all of them
 * ({@link FieldReader}, {@link FieldWriter}), and with one for each ({@link ByteBuf}'s own
 * methods).
 */
public class BinaryFieldsBenchmark extends CodecBenchmark {
  private static final int OPCODE = 0x0c;
  private static final int KEY_LENGTH = 16;
  private static final int EXTRAS_LENGTH = 4;
  private static final int STATUS = 1;
  private static final int BODY_LENGTH = 0x9000_0014;
  private static final int OPAQUE = 0xDEAD_BEEF;
  private static final long CAS = 0xFEDC_BA98_7654_3210L;
  private static final int AT = 5;

  /** What sockets are read into, or a slice of it, as messages are kept. */
  @Param({"read", "slice"})
  public String buffer;

  private final FieldReader reader = new FieldReader();
  private final FieldWriter writer = new FieldWriter();
  private ByteBuf in;
  private int at;
  private ByteBuf out;

  /** Compares both ways with a header that java.nio wrote. */
  @Setup
  public void setup() {
    byte[] header =
        ByteBuffer.allocate(BinaryHeader.LENGTH)
            .put((byte) BinaryHeader.RESPONSE_MAGIC)
            .put((byte) OPCODE)
            .putShort((short) KEY_LENGTH)
            .put((byte) EXTRAS_LENGTH)
            .put((byte) 0)
            .putShort((short) STATUS)
            .putInt(BODY_LENGTH)
            .putInt(OPAQUE)
            .putLong(CAS)
            .array();
    ByteBuf read = direct(64).writeZero(AT).writeBytes(header).writeZero(AT);
    out = direct(64);
    if (buffer.equals("slice")) {
      in = kept(new Slices().take(read, 1, read.writerIndex() - 1));
      at = AT - 1;
    } else {
      in = read;
      at = AT;
    }
    long expected =
        sum(
            BinaryHeader.RESPONSE_MAGIC,
            OPCODE,
            KEY_LENGTH,
            EXTRAS_LENGTH,
            STATUS,
            BODY_LENGTH & 0xFFFF_FFFFL,
            OPAQUE,
            CAS);
    same(readOnce(), expected, "the fields read");
    same(readEach(), expected, "the fields read one by one");
    ByteBuf whole = direct(header);
    sameBytes(writeOnce(), whole, "the header written");
    sameBytes(writeEach(), whole, "the header written field by field");
  }

  /** Other fields, or the same in another order, give another number. */
  private static long sum(
      int magic, int opcode, int key, int extras, int status, long body, int opaque, long cas) {
    long sum = magic;
    sum = 31 * sum + opcode;
    sum = 31 * sum + key;
    sum = 31 * sum + extras;
    sum = 31 * sum + status;
    sum = 31 * sum + body;
    sum = 31 * sum + opaque;
    return 31 * sum + cas;
  }

  /** One look at the buffer. */
  @Benchmark
  public long readOnce() {
    FieldReader fields = reader.of(in, at, BinaryHeader.LENGTH);
    return sum(
        fields.unsigned8(0),
        fields.unsigned8(1),
        fields.unsigned16(2),
        fields.unsigned8(4),
        fields.unsigned16(6),
        fields.unsigned32(8),
        fields.int32(12),
        fields.int64(16));
  }

  /** One for each field. */
  @Benchmark
  public long readEach() {
    return sum(
        in.getUnsignedByte(at),
        in.getUnsignedByte(at + 1),
        in.getUnsignedShort(at + 2),
        in.getUnsignedByte(at + 4),
        in.getUnsignedShort(at + 6),
        in.getUnsignedInt(at + 8),
        in.getInt(at + 12),
        in.getLong(at + 16));
  }

  /** One look at the buffer. */
  @Benchmark
  public ByteBuf writeOnce() {
    BinaryHeader.writeResponse(
            writer.into(out.clear(), BinaryHeader.LENGTH),
            OPCODE,
            KEY_LENGTH,
            EXTRAS_LENGTH,
            STATUS,
            BODY_LENGTH,
            OPAQUE,
            CAS)
        .done();
    return out;
  }

  /** One for each field. */
  @Benchmark
  public ByteBuf writeEach() {
    return out.clear()
        .writeByte(BinaryHeader.RESPONSE_MAGIC)
        .writeByte(OPCODE)
        .writeShort(KEY_LENGTH)
        .writeByte(EXTRAS_LENGTH)
        .writeByte(0)
        .writeShort(STATUS)
        .writeInt(BODY_LENGTH)
        .writeInt(OPAQUE)
        .writeLong(CAS);
  }
}
