package sluice.perf.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import sluice.gateway.torture.HeldKey;

/**
 * Compares, at the end, what the servers that never forget really hold with what clients were told
 * and with what the journals say.
 */
final class Contents {
  private final Setting setting;
  private final Servers servers;
  private final Findings findings;

  Contents(Setting setting, Servers servers, Findings findings) {
    this.setting = setting;
    this.servers = servers;
    this.findings = findings;
  }

  /** Compares these keys and tells how many. */
  void compare(List<HeldKey> keys) throws IOException {
    int certain = 0;
    for (HeldKey held : keys) {
      String key = held.key();
      Recorder recorder = servers.get(setting.places("text", key).get(0).server());
      byte[] value;
      Integer flags = null;
      try (Socket socket =
          new Socket(
              recorder.server().address().getAddress(), recorder.server().address().getPort())) {
        socket.setSoTimeout(10_000);
        socket.getOutputStream().write(("get " + key + "\r\n").getBytes(ISO_8859_1));
        InputStream in = new BufferedInputStream(socket.getInputStream());
        String line = line(in);
        value = new byte[0];
        if (!line.equals("END")) {
          String[] tokens = line.split(" ", -1);
          flags = Integer.parseUnsignedInt(tokens[2]);
          value = in.readNBytes(Integer.parseInt(tokens[3]));
        }
      }
      if (!held.allows(flags, value)) {
        findings.wrong(
            "a server holds what its client was told is not there: "
                + held
                + " but flags "
                + flags
                + ", "
                + value.length
                + " bytes");
      }
      if (recorder.journal().certainty(key) == Journal.Certainty.CERTAIN) {
        certain++;
        if (!Objects.equals(recorder.journal().flags(key), flags)) {
          findings.wrong(
              "a server holds flags %s of %s, its journal says %s"
                  .formatted(flags, key, recorder.journal().flags(key)));
        }
      }
    }
    findings.say(
        ("contents: %d keys of servers that kept running compared with what clients know, %d of"
                + " them with the journal; the others have writes without a reply")
            .formatted(keys.size(), certain));
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
