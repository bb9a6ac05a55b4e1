package sluice.codecs.ignite;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.ByteSink;
import sluice.codecs.buffer.FieldWriter;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.memcached.binary.BinaryHeader;

/**
 * Encoder of responses, byte for byte as {@code GridTcpRestParser} of Ignite 2.18.0. It computes
 * the size first and allocates one buffer, which never grows. It does not change the message
 * (IGNITE-28847).
 *
 * <p>One instance, used again and again, owned by one thread.
 */
public final class ResponseEncoder {
  private static final byte[] NONE = {};

  private final FieldWriter fields = new FieldWriter();
  private final Serialized serialized = new Serialized();

  /** Bytes of {@link #head} for an opcode, for any status. */
  public static int headLength(int opcode) {
    return BinaryHeader.LENGTH + IgniteResponse.extrasLength(opcode);
  }

  /**
   * Appends the part of a response in front of its key; key and value follow unchanged. Borrows
   * out, allocates nothing.
   *
   * @param flags types of key and value, which only the response to a get carries
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
   * Encodes a message of Java objects. An array or a string of {@link SliceList#COPIED_BELOW} bytes
   * or more leaves as a buffer of its own. Arrays are not copied: the caller must not change them
   * before they are sent.
   *
   * @param allocator of the buffer that holds the head, the key and a short value
   * @param sink takes the buffers, in order
   * @throws IllegalArgumentException if a key or a value has no type of Ignite's and cannot be
   *     serialized
   */
  public void encode(ResponseMessage message, ByteBufAllocator allocator, ByteSink sink) {
    ValueType keyType = type(message.key());
    ValueType valueType = type(message.value());
    byte[] key = payload(keyType, message.key());
    if (keyType == ValueType.SERIALIZED) {
      key = serialized.toByteArray(); // copied, because the value may be serialized as well
    }
    int keyLength = key == null ? keyType.width() : key.length;
    byte[] value = payload(valueType, message.value());
    int valueLength = length(valueType, value);
    boolean apart =
        value != null && valueType != ValueType.SERIALIZED && !SliceList.isCopied(valueLength);
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

  private static ValueType type(@Nullable Object value) {
    return value == null ? ValueType.STRING : ValueType.of(value);
  }

  /**
   * The bytes of an object whose type has no fixed width; null for the others. For a serialized
   * object the array may be longer than the content.
   */
  private byte @Nullable [] payload(ValueType type, @Nullable Object value) {
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

  private int length(ValueType type, byte @Nullable [] payload) {
    if (payload == null) {
      return type.width();
    }
    return type == ValueType.SERIALIZED ? serialized.size() : payload.length;
  }

  private static void append(
      ByteBuf out, ValueType type, byte @Nullable [] payload, int length, @Nullable Object value) {
    if (payload != null) {
      out.writeBytes(payload, 0, length);
      return;
    }
    long bits = type.bits(Objects.requireNonNull(value, "null has no width"));
    switch (length) {
      case 1 -> out.writeByte((int) bits);
      case 4 -> out.writeInt((int) bits);
      default -> out.writeLong(bits);
    }
  }

  /** Stream of Java's serialization into an array that is used again. */
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
