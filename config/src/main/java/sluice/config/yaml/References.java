package sluice.config.yaml;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import sluice.config.problems.Problems;
import sluice.config.problems.RegularFile;
import sluice.config.problems.UnreadableFile;

/**
 * Replacement of <code>${env:NAME}</code>, <code>${env:NAME:-DEFAULT}</code> and <code>${file:PATH}
 * </code> in scalars, which records the scalars that had them. As in a shell, the default replaces
 * a variable that is not set or empty.
 */
public final class References {
  /** The beginning of a reference. */
  static final String MARK = "${";

  private static final Pattern REFERENCE = Pattern.compile("\\$\\{([^}]*)(}?)");
  private static final Pattern VARIABLE =
      Pattern.compile("env:([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?");
  private static final String FILE = "file:";
  private static final int MAX_FILE_BYTES = 1 << 16;

  private final UnaryOperator<String> environment;
  private final Path directory;
  private final Problems problems;
  private final List<Path> looked;
  private final Map<String, String> written = new LinkedHashMap<>();

  /**
   * @param environment the value of a variable, or null
   * @param directory that relative paths start from
   * @param looked receives every path that is read
   */
  public References(
      UnaryOperator<String> environment, Path directory, Problems problems, List<Path> looked) {
    this.looked = looked;
    this.environment = environment;
    this.directory = directory;
    this.problems = problems;
  }

  /** For the path of each scalar that held references, that scalar as written. */
  public Map<String, String> written() {
    return written;
  }

  /** The text with every reference replaced; empty, with a problem for each, if some cannot be. */
  public Optional<String> resolve(Node.Scalar scalar, String path) {
    if (!scalar.text().contains(MARK)) {
      return Optional.of(scalar.text());
    }
    written.put(path, scalar.text());
    StringBuilder resolved = new StringBuilder();
    boolean complete = true;
    Matcher matcher = REFERENCE.matcher(scalar.text());
    while (matcher.find()) {
      Optional<String> value = value(scalar, path, matcher.group(1), !matcher.group(2).isEmpty());
      complete &= value.isPresent();
      matcher.appendReplacement(resolved, Matcher.quoteReplacement(value.orElse("")));
    }
    matcher.appendTail(resolved);
    return complete ? Optional.of(resolved.toString()) : Optional.empty();
  }

  private Optional<String> value(Node.Scalar at, String path, String reference, boolean closed) {
    Matcher variable = VARIABLE.matcher(reference);
    if (closed && variable.matches()) {
      Optional<String> value = Optional.ofNullable(environment.apply(variable.group(1)));
      String otherwise = variable.group(2);
      if (otherwise != null && value.filter(text -> !text.isEmpty()).isEmpty()) {
        return Optional.of(otherwise);
      }
      if (value.isEmpty()) {
        String name = variable.group(1);
        problems.add(at, path, at.describe(), "the environment variable " + name + " to be set");
      }
      return value;
    }
    if (closed && reference.startsWith(FILE) && reference.length() > FILE.length()) {
      return fileContent(at, path, reference.substring(FILE.length()));
    }
    problems.add(at, path, at.describe(), "${env:NAME}, ${env:NAME:-DEFAULT} or ${file:PATH}");
    return Optional.empty();
  }

  /** The file's content without the line end that editors and {@code echo} add. */
  private Optional<String> fileContent(Node.Scalar at, String path, String name) {
    Path file;
    try {
      file = directory.resolve(name);
    } catch (InvalidPathException e) {
      return unreadable(at, path, "no such file");
    }
    looked.add(file);
    try {
      byte[] bytes;
      try (var in = RegularFile.open(file)) {
        bytes = in.readNBytes(MAX_FILE_BYTES + 1);
      }
      if (bytes.length > MAX_FILE_BYTES) {
        problems.add(at, path, at.describe(), "a file of at most 64 KiB");
        return Optional.empty();
      }
      String content =
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      int end = content.length();
      end -= content.endsWith("\n") ? 1 : 0;
      end -= end > 0 && end < content.length() && content.charAt(end - 1) == '\r' ? 1 : 0;
      return Optional.of(content.substring(0, end));
    } catch (CharacterCodingException e) {
      problems.add(at, path, at.describe(), "a file of UTF-8 text");
    } catch (IOException e) {
      return unreadable(at, path, UnreadableFile.reason(file, e));
    }
    return Optional.empty();
  }

  private Optional<String> unreadable(Node.Scalar at, String path, String reason) {
    problems.add(at, path, at.describe() + ": " + reason, "a file that can be read");
    return Optional.empty();
  }
}
