package sluice.testkit;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Growing array of bytes, of which the range [start, end) is in use; numbers are big endian. */
public final class Bytes {
  /** The bytes; replaced by a larger array when it grows. */
  public byte[] array = new byte[4096];

  /** Index of the first byte in use. */
  public int start;

  /** Index after the last byte in use. */
  public int end;

  /** Number of bytes in use. */
  public int length() {
    return end - start;
  }

  /** Whether no byte is in use. */
  public boolean isEmpty() {
    return start == end;
  }

  /** Resets all fields. */
  public Bytes clear() {
    start = 0;
    end = 0;
    return this;
  }

  /** Makes room for count more bytes after end, and moves the bytes in use to the front. */
  public Bytes reserve(int count) {
    if (start == end) {
      clear();
    }
    if (array.length - end < count) {
      int length = length();
      byte[] target =
          array.length - length < count
              ? new byte[Math.max(array.length * 2, length + count)]
              : array;
      System.arraycopy(array, start, target, 0, length);
      array = target;
      start = 0;
      end = length;
    }
    return this;
  }

  /** Appends text, one byte for each character. */
  public Bytes ascii(String text) {
    return bytes(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Appends all of source, which is borrowed. */
  public Bytes bytes(byte[] source) {
    return bytes(source, 0, source.length);
  }

  /** Appends a part of source, which is borrowed. */
  public Bytes bytes(byte[] source, int from, int to) {
    reserve(to - from);
    System.arraycopy(source, from, array, end, to - from);
    end += to - from;
    return this;
  }

  /** Appends the lowest 8 bits. */
  public Bytes int8(int value) {
    reserve(1);
    array[end++] = (byte) value;
    return this;
  }

  /** Appends the lowest 16 bits. */
  public Bytes int16(int value) {
    return int8(value >> 8).int8(value);
  }

  /** Appends 32 bits. */
  public Bytes int32(int value) {
    return int16(value >> 16).int16(value);
  }

  /** Appends 64 bits. */
  public Bytes int64(long value) {
    return int32((int) (value >> 32)).int32((int) value);
  }

  /** The number of 8 bits at index of the array. */
  public int uint8(int index) {
    return array[index] & 0xff;
  }

  /** The number of 16 bits at index of the array. */
  public int uint16(int index) {
    return uint8(index) << 8 | uint8(index + 1);
  }

  /** The number of 32 bits at index of the array. */
  public int int32At(int index) {
    return uint16(index) << 16 | uint16(index + 2);
  }

  /** The number of 64 bits at index of the array. */
  public long int64At(int index) {
    return ((long) int32At(index) << 32) | (int32At(index + 4) & 0xffffffffL);
  }

  /** The index of the next LF at or after start; -1 if none has arrived. */
  public int lineFeed() {
    for (int i = start; i < end; i++) {
      if (array[i] == '\n') {
        return i;
      }
    }
    return -1;
  }

  /** A part of the array as text, one character for each byte. */
  public String string(int from, int to) {
    return new String(array, from, to - from, StandardCharsets.ISO_8859_1);
  }

  /** A copy of a part of the array. */
  public byte[] slice(int from, int to) {
    return Arrays.copyOfRange(array, from, to);
  }

  /** A copy of the bytes in use. */
  public byte[] toArray() {
    return slice(start, end);
  }

  /** The first bytes as text for a message, with escapes for bytes that are not printable. */
  public String excerpt() {
    StringBuilder text = new StringBuilder();
    for (int i = start; i < Math.min(end, start + 120); i++) {
      int b = uint8(i);
      text.append(b >= 0x20 && b < 0x7f ? String.valueOf((char) b) : String.format("\\x%02x", b));
    }
    return text.toString();
  }
}
