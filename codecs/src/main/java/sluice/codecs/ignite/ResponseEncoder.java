package sluice.codecs.ignite;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import sluice.codecs.buffer.ByteSink;
import sluice.codecs.buffer.FieldWriter;
import sluice.codecs.memcached.binary.BinaryHeader;

/**
 * Encodes responses, byte for byte as {@code GridTcpRestParser} of Ignite 2.18.0 does. The size is
 * known before anything is written, so there is one buffer, which never grows; the message is not
 * changed (IGNITE-28847).
 *
 * <p>One instance, used again and again, owned by one thread.
 */
public final class ResponseEncoder {
  /** Below this a value is cheaper copied behind the head than sent as a piece of its own. */
  private static final int COPIED = 256;

  private static final byte[] NONE = {};

  private final FieldWriter fields = new FieldWriter();
  private final Serialized serialized = new Serialized();

  /** Bytes of {@link #head} for an opcode, whatever the status. */
  public static int headLength(int opcode) {
    return BinaryHeader.LENGTH + IgniteResponse.extrasLength(opcode);
  }

  /**
   * Appends all of a response that is in front of its key: key and value follow as they lie.
   * Borrows out, allocates nothing.
   *
   * @param flags types of key and value, which only the response to a get has room for
   */
  public void head(
      ByteBuf out, int opcode, int status, int opaque, int flags, int keyLength, int valueLength) {
    int extrasLength = IgniteResponse.extrasLength(opcode);
    fields.into(out, BinaryHeader.LENGTH + extrasLength);
    int bodyLength = extrasLength + keyLength + valueLength;
    BinaryHeader.writeResponse(
        fields, opcode, keyLength, extrasLength, status, bodyLength, opaque, 0);
    if (extrasLength != 0) {
      fields.int32(flags);
    }
    fields.done();
  }

  /**
   * Encodes a message of Java's objects. Values of an array, or of characters, leave as a piece of
   * their own from {@value #COPIED} bytes on: of arrays nothing is copied, so whoever gave one must
   * not change it before it is sent.
   *
   * @param allocator of the buffer that the head, the key and a short value are in
   * @param sink takes the pieces, in order
   * @throws IllegalArgumentException if a key or a value is not of a type of Ignite's and cannot be
   *     serialized
   */
  public void encode(ResponseMessage message, ByteBufAllocator allocator, ByteSink sink) {
    ValueType keyType = type(message.key());
    ValueType valueType = type(message.value());
    byte[] key = payload(keyType, message.key());
    if (keyType == ValueType.SERIALIZED) {
      key = serialized.toByteArray(); // the value may be serialized as well
    }
    int keyLength = key == null ? keyType.width() : key.length;
    byte[] value = payload(valueType, message.value());
    int valueLength = length(valueType, value);
    boolean apart = value != null && valueType != ValueType.SERIALIZED && valueLength >= COPIED;
    int headLength = headLength(message.opcode());
    ByteBuf out = allocator.buffer(headLength + keyLength + (apart ? 0 : valueLength));
    int flags = keyType.code() << 16 | valueType.code();
    head(out, message.opcode(), message.status(), message.opaque(), flags, keyLength, valueLength);
    append(out, keyType, key, keyLength, message.key());
    if (!apart) {
      append(out, valueType, value, valueLength, message.value());
    }
    sink.accept(out);
    if (apart) {
      sink.accept(Unpooled.wrappedBuffer(value));
    }
  }

  private static ValueType type(Object value) {
    return value == null ? ValueType.STRING : ValueType.of(value);
  }

  /** The bytes of what has no width, null of what has one. Of a serialized object it is more. */
  private byte[] payload(ValueType type, Object value) {
    if (value == null) {
      return NONE;
    }
    return switch (type) {
      case STRING -> ((String) value).getBytes(UTF_8);
      case BYTES -> (byte[]) value;
      case SERIALIZED -> serialized.write(value);
      default -> null;
    };
  }

  private int length(ValueType type, byte[] payload) {
    if (payload == null) {
      return type.width();
    }
    return type == ValueType.SERIALIZED ? serialized.size() : payload.length;
  }

  private static void append(
      ByteBuf out, ValueType type, byte[] payload, int length, Object value) {
    if (payload != null) {
      out.writeBytes(payload, 0, length);
      return;
    }
    long bits = type.bits(value);
    switch (length) {
      case 1 -> out.writeByte((int) bits);
      case 4 -> out.writeInt((int) bits);
      default -> out.writeLong(bits);
    }
  }

  /** Java's serialization into an array that is used again. */
  private static final class Serialized extends ByteArrayOutputStream {
    byte[] write(Object value) {
      reset();
      try (ObjectOutputStream objects = new ObjectOutputStream(this)) {
        objects.writeObject(value);
      } catch (IOException e) {
        throw new IllegalArgumentException("cannot be serialized: " + value.getClass(), e);
      }
      return buf;
    }
  }
}
