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
import sluice.config.problems.RegularFile;

/**
 * Content of a configuration file and of the files that it names, at one time. The files are read
 * one after the other, and may be replaced meanwhile. Then a certificate could be of one generation
 * and its key of the next, or a change could be missed.
 *
 * @param result of loading them
 * @param digest of their content, to be compared with another {@link #digest(List)}
 */
record Snapshot(LoadResult result, byte[] digest) {
  private static final int TRIES = 5;
  private static final int MAX_FILE_BYTES = 1 << 20;

  /**
   * Reads the files, again if they differ before and after. Blocks. Files that change all the time
   * are returned as they were read last, with the digest from before, so that the next check finds
   * a difference.
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

  /**
   * The digest of the files' content; a missing file counts, too. Only the first, which a command
   * line names, may be a pipe. Blocks.
   */
  static byte[] digest(List<Path> files) {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java runtime has it
    }
    byte[] part = new byte[8 * 1024]; // small, because the files are read every second
    for (int i = 0; i < files.size(); i++) {
      Path each = files.get(i);
      digest.update(each.toString().getBytes(StandardCharsets.UTF_8));
      try (var in = i == 0 ? Files.newInputStream(each) : RegularFile.open(each)) {
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
