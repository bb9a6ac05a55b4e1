package sluice.config.yaml;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import sluice.config.problems.Problems;
import sluice.config.problems.RegularFile;
import sluice.config.problems.UnreadableFile;

/** UTF-8 file of at most 1 MiB, written by people. */
public final class TextFile {
  private static final int MAX_FILE_BYTES = 1 << 20;
  private static final char BYTE_ORDER_MARK = '\uFEFF';

  private TextFile() {}

  /** Opens a file. */
  private interface Opener {
    InputStream open(Path file) throws IOException;
  }

  /**
   * The file's content without a byte order mark; empty, with a problem, if it cannot be read. A
   * command line may name a pipe, such as the shell's {@code <(...)}.
   */
  public static Optional<String> read(Path file, Problems problems) {
    return read(file, problems, Files::newInputStream);
  }

  /** The same for a file that another file names: it has to be a regular file. */
  public static Optional<String> readRegular(Path file, Problems problems) {
    return read(file, problems, RegularFile::open);
  }

  private static Optional<String> read(Path file, Problems problems, Opener opener) {
    return bytes(file, problems, opener)
        .flatMap(bytes -> decode(bytes, problems))
        .map(TextFile::unmarked);
  }

  /** The text without a byte order mark. */
  public static String unmarked(String text) {
    return text.indexOf(BYTE_ORDER_MARK) == 0 ? text.substring(1) : text;
  }

  private static Optional<byte[]> bytes(Path file, Problems problems, Opener opener) {
    try (var in = opener.open(file)) {
      byte[] bytes = in.readNBytes(MAX_FILE_BYTES + 1);
      if (bytes.length <= MAX_FILE_BYTES) {
        return Optional.of(bytes);
      }
      problems.add(0, 0, Problems.DOCUMENT, "more than 1 MiB", "a configuration file");
    } catch (IOException e) {
      String reason = UnreadableFile.reason(file, e);
      problems.add(0, 0, Problems.DOCUMENT, reason, "a file that can be read");
    }
    return Optional.empty();
  }

  private static Optional<String> decode(byte[] bytes, Problems problems) {
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    ByteBuffer in = ByteBuffer.wrap(bytes);
    CharBuffer out = CharBuffer.allocate(bytes.length);
    CoderResult result = decoder.decode(in, out, true);
    String text = out.flip().toString();
    if (result.isError()) {
      int line = 1 + (int) text.chars().filter(c -> c == '\n').count();
      int column = 1 + text.codePointCount(text.lastIndexOf('\n') + 1, text.length());
      String found = String.format("the byte 0x%02x", in.get(in.position()));
      problems.add(line, column, Problems.DOCUMENT, found, "UTF-8");
      return Optional.empty();
    }
    return Optional.of(text);
  }
}
