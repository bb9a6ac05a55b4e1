package sluice.gateway.torture;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A growing array of bytes, [start, end) of it in use; numbers are big endian. */
final class Bytes {
  byte[] array = new byte[4096];
  int start;
  int end;

  int length() {
    return end - start;
  }

  boolean isEmpty() {
    return start == end;
  }

  Bytes clear() {
    start = 0;
    end = 0;
    return this;
  }

  /** Makes room for count more bytes behind end; moves what is in use to the front. */
  Bytes reserve(int count) {
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

  Bytes ascii(String text) {
    return bytes(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  Bytes bytes(byte[] source) {
    return bytes(source, 0, source.length);
  }

  Bytes bytes(byte[] source, int from, int to) {
    reserve(to - from);
    System.arraycopy(source, from, array, end, to - from);
    end += to - from;
    return this;
  }

  Bytes int8(int value) {
    reserve(1);
    array[end++] = (byte) value;
    return this;
  }

  Bytes int16(int value) {
    return int8(value >> 8).int8(value);
  }

  Bytes int32(int value) {
    return int16(value >> 16).int16(value);
  }

  Bytes int64(long value) {
    return int32((int) (value >> 32)).int32((int) value);
  }

  int uint8(int index) {
    return array[index] & 0xff;
  }

  int uint16(int index) {
    return uint8(index) << 8 | uint8(index + 1);
  }

  int int32At(int index) {
    return uint16(index) << 16 | uint16(index + 2);
  }

  long int64At(int index) {
    return ((long) int32At(index) << 32) | (int32At(index + 4) & 0xffffffffL);
  }

  /** The index of the next LF at or behind start; -1 where none has come. */
  int lineFeed() {
    for (int i = start; i < end; i++) {
      if (array[i] == '\n') {
        return i;
      }
    }
    return -1;
  }

  String string(int from, int to) {
    return new String(array, from, to - from, StandardCharsets.ISO_8859_1);
  }

  byte[] slice(int from, int to) {
    return Arrays.copyOfRange(array, from, to);
  }

  byte[] toArray() {
    return slice(start, end);
  }

  /** The first bytes for a message, what is not printable as an escape. */
  String excerpt() {
    StringBuilder text = new StringBuilder();
    for (int i = start; i < Math.min(end, start + 120); i++) {
      int b = uint8(i);
      text.append(b >= 0x20 && b < 0x7f ? String.valueOf((char) b) : String.format("\\x%02x", b));
    }
    return text.toString();
  }
}
