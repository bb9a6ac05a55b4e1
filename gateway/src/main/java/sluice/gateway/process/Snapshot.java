package sluice.gateway.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import sluice.config.LoadResult;

/**
 * What a configuration file and those that it names held at one time. They are read one after the
 * other, and may be replaced meanwhile: then a certificate would be of one generation and its key
 * of the next, or what was read would be taken for what is there now, and the change never be seen.
 *
 * @param result what they say
 * @param digest of what is in them, to be compared with another {@link #digest(List)}
 */
record Snapshot(LoadResult result, byte[] digest) {
  private static final int TRIES = 5;
  private static final int MAX_FILE_BYTES = 1 << 20;

  /**
   * Reads them, again if they were not the same before and after. Blocks. What never keeps still is
   * given as it was read last, with a digest of before: the next look will find another.
   *
   * @param named the files that are likely to be read, the first of them the configuration's
   */
  static Snapshot of(List<Path> named, Function<Path, LoadResult> loader) {
    List<Path> files = named;
    for (int left = TRIES; ; left--) {
      byte[] before = digest(files);
      LoadResult result = loader.apply(named.get(0));
      boolean isOfOneTime = result.files().equals(files) && Arrays.equals(before, digest(files));
      if (isOfOneTime || left == 1) {
        return new Snapshot(result, before);
      }
      files = result.files();
    }
  }

  /** Of what is in the files; that one is not there counts too. Blocks. */
  static byte[] digest(List<Path> files) {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
    byte[] part = new byte[8 * 1024]; // they are looked at every second
    for (Path each : files) {
      digest.update(each.toString().getBytes(StandardCharsets.UTF_8));
      try (var in = Files.newInputStream(each)) {
        int left = MAX_FILE_BYTES + 1;
        for (int n;
            left > 0 && (n = in.read(part, 0, Math.min(left, part.length))) > 0;
            left -= n) {
          digest.update(part, 0, n);
        }
        digest.update((byte) 1);
      } catch (IOException e) {
        digest.update((byte) 0);
      }
    }
    return digest.digest();
  }
}
