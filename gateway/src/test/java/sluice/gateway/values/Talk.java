package sluice.gateway.values;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Arrays;

/** A client's connection on which every byte of a reply is expected; text is ISO 8859-1. */
final class Talk implements AutoCloseable {
  private final Socket socket = new Socket();

  Talk(InetSocketAddress address) throws IOException {
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(10_000);
    socket.connect(address);
  }

  /** Sends a request and reads as much as is expected; the same must have come. */
  Talk expect(String request, String reply) throws IOException {
    socket.getOutputStream().write(request.getBytes(ISO_8859_1));
    String heard = new String(socket.getInputStream().readNBytes(reply.length()), ISO_8859_1);
    if (!heard.equals(reply)) {
      String rest = socket.getInputStream().available() > 0 ? read() : "";
      assertThat(shown(heard + rest)).as(shown(request)).isEqualTo(shown(reply));
    }
    return this;
  }

  /** As {@link #expect}, of binary packets; the cas unique of the reply may be any. */
  Talk expectPacket(String request, String reply) throws IOException {
    socket.getOutputStream().write(request.getBytes(ISO_8859_1));
    byte[] heard = socket.getInputStream().readNBytes(reply.length());
    Arrays.fill(heard, 16, 24, (byte) 0);
    assertThat(new String(heard, ISO_8859_1).equals(reply))
        .as(shown(new String(heard, ISO_8859_1)))
        .isTrue();
    return this;
  }

  private static String shown(String bytes) {
    String start = bytes.length() > 400 ? bytes.substring(0, 400) + "..." : bytes;
    return start.replace("\r\n", "|") + " (" + bytes.length() + " bytes)";
  }

  private String read() throws IOException {
    return new String(
        socket.getInputStream().readNBytes(socket.getInputStream().available()), ISO_8859_1);
  }

  /** The first line of a reply, without its end. */
  String line(String request) throws IOException {
    socket.getOutputStream().write(request.getBytes(ISO_8859_1));
    InputStream in = socket.getInputStream();
    StringBuilder line = new StringBuilder();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new IOException("closed after " + line);
      }
      line.append((char) b);
    }
    return line.substring(0, line.length() - 1);
  }

  /** The value of a key, as {@code get} returns it. */
  String value(String key) throws IOException {
    String[] words = line("get " + key + "\r\n").split(" ", -1);
    if (words.length < 4) {
      throw new IOException("not a value: " + String.join(" ", words));
    }
    int length = Integer.parseInt(words[3]);
    String value = new String(socket.getInputStream().readNBytes(length), ISO_8859_1);
    expect("", "\r\nEND\r\n");
    return value;
  }

  /** A text request that stores a value for ever. */
  static String set(String key, int flags, String value) {
    return "set %s %s 0 %d\r\n".formatted(key, Integer.toUnsignedString(flags), value.length())
        + value
        + "\r\n";
  }

  /** The reply to a {@code get} of one key that has a value. */
  static String found(String key, int flags, String value) {
    return "VALUE %s %s %d\r\n".formatted(key, Integer.toUnsignedString(flags), value.length())
        + value
        + "\r\nEND\r\n";
  }

  /** A binary request. */
  static String packet(int opcode, String extras, String key, String value) {
    return head(0x80, opcode, extras.length(), key.length(), 0, extras + key + value)
        + extras
        + key
        + value;
  }

  /** The reply to one, without a key. */
  static String reply(int opcode, int status, String extras, String value) {
    return head(0x81, opcode, extras.length(), 0, status, extras + value) + extras + value;
  }

  private static String head(int magic, int opcode, int extras, int key, int status, String body) {
    return ""
        + (char) magic
        + (char) opcode
        + int16(key)
        + (char) extras
        + '\0'
        + int16(status)
        + int16(body.length() >>> 16)
        + int16(body.length() & 0xFFFF)
        + "\0\0\0\7"
        + "\0".repeat(8);
  }

  private static String int16(int value) {
    return "" + (char) (value >>> 8) + (char) (value & 0xFF);
  }

  /** 32 bits, big endian. */
  static String int32(int value) {
    return int16(value >>> 16) + int16(value & 0xFFFF);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
