package sluice.perf.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import sluice.load.process.Memcached;

/** What a memcached holds under a key. */
record Item(int flags, byte[] value) {
  /** Asks for it; null if there is none. */
  static @Nullable Item read(Memcached server, String key) throws IOException {
    try (Socket socket = new Socket(server.address().getAddress(), server.address().getPort())) {
      socket.setSoTimeout(10_000);
      socket.getOutputStream().write(("get " + key + "\r\n").getBytes(ISO_8859_1));
      InputStream in = new BufferedInputStream(socket.getInputStream());
      String line = line(in);
      if (line.equals("END")) {
        return null;
      }
      String[] tokens = line.split(" ", -1);
      return new Item(
          Integer.parseUnsignedInt(tokens[2]), in.readNBytes(Integer.parseInt(tokens[3])));
    }
  }

  private static String line(InputStream in) throws IOException {
    byte[] line = new byte[512];
    int length = 0;
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0 || length == line.length) {
        throw new IOException("a memcached answers " + new String(line, ISO_8859_1));
      }
      line[length++] = (byte) b;
    }
    return new String(Arrays.copyOf(line, length), ISO_8859_1).stripTrailing();
  }
}
