package sluice.ring;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What initiators sent, read by read, in a file: for each the number of its connection, its length
 * and its bytes, all of them big endian. In between are marks: -1, the length of a name, the name.
 */
final class Recording implements Relay.Reads, AutoCloseable {

  private static final int MARK = -1;

  private final DataOutputStream out;

  Recording(Path file) {
    try {
      out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file), 1 << 16));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void read(int connection, byte[] bytes, int length) {
    write(connection, bytes, length);
  }

  /** What follows is of that name. */
  void mark(String name) {
    byte[] bytes = name.getBytes(java.nio.charset.StandardCharsets.UTF_8);
    write(MARK, bytes, bytes.length);
  }

  private synchronized void write(int what, byte[] bytes, int length) {
    try {
      out.writeInt(what);
      out.writeInt(length);
      out.write(bytes, 0, length);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public synchronized void close() {
    try {
      out.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
