package sluice.ring;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** What a node has logged; it goes on in one file over restarts. */
final class NodeLog {

  private final Path file;

  NodeLog(Path file) {
    this.file = file;
  }

  /** How much there is by now: what {@link #lines(long)} goes on from. */
  long end() {
    try {
      return Files.exists(file) ? Files.size(file) : 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The whole lines after {@code from} bytes. */
  List<String> lines(long from) {
    if (!Files.exists(file)) {
      return List.of();
    }
    try (var in = Files.newInputStream(file)) {
      in.skipNBytes(from);
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return Arrays.asList(text.substring(0, text.lastIndexOf('\n') + 1).split("\n"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The first line after {@code from} bytes in which the pattern is found. */
  Optional<String> find(Pattern pattern, long from) {
    return lines(from).stream().filter(line -> pattern.matcher(line).find()).findFirst();
  }

  /** The connections that peers opened to this node, in the order of their handshakes. */
  List<InboundConnection> inbound(long from) {
    return lines(from).stream().flatMap(line -> InboundConnection.in(line).stream()).toList();
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
