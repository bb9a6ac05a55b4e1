package sluice.config;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Reads a configuration file and says everything that is wrong with it. Throws nothing for what a
 * file holds.
 */
public final class Loader {
  private static final int MAX_FILE_BYTES = 1 << 20;
  private static final char BYTE_ORDER_MARK = '\uFEFF';

  private Loader() {}

  /** References to files are taken from the directory of this one. */
  public static LoadResult load(Path file) {
    return load(file, System::getenv);
  }

  /**
   * The same, with an environment of the caller's.
   *
   * @param environment the value of an environment variable, or null
   */
  public static LoadResult load(Path file, UnaryOperator<String> environment) {
    Problems problems = new Problems(file.toString());
    Path directory = Optional.ofNullable(file.getParent()).orElse(Path.of(""));
    List<Path> looked = new ArrayList<>(List.of(file));
    return text(file, problems)
        .map(text -> check(text, directory, environment, problems, looked))
        .orElseGet(() -> LoadResult.refused(problems.inOrder()))
        .readFrom(looked);
  }

  /** What runs without a file: memcached over an embedded store, for this machine only. */
  public static Configuration embeddedDefault() {
    return parse(
            "default",
            """
            admin: {bind: 127.0.0.1:9901}
            listeners: {memcached: {bind: 127.0.0.1:11211, route: memcached}}
            routes: {memcached: [{pool: memcached}]}
            pools: {memcached: {protocol: embedded, size: 64MiB}}
            """)
        .configuration();
  }

  /**
   * Checks a text that no file holds; references to files start from the working directory.
   *
   * @param name that problems call the text by
   */
  public static LoadResult parse(String name, String text) {
    return check(text, Path.of(""), System::getenv, new Problems(name), new ArrayList<>());
  }

  /**
   * The same, for tests with files.
   *
   * @param directory that references to files start from
   */
  static LoadResult parse(Path directory, String text) {
    return check(text, directory, System::getenv, new Problems("f"), new ArrayList<>());
  }

  /** What a file holds, without a mark of its byte order; empty, and a problem, if it cannot be. */
  static Optional<String> text(Path file, Problems problems) {
    return read(file, problems)
        .flatMap(bytes -> decode(bytes, problems))
        .map(text -> text.indexOf(BYTE_ORDER_MARK) == 0 ? text.substring(1) : text);
  }

  private static Optional<byte[]> read(Path file, Problems problems) {
    try (var in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MAX_FILE_BYTES + 1);
      if (bytes.length <= MAX_FILE_BYTES) {
        return Optional.of(bytes);
      }
      problems.add(0, 0, Problems.DOCUMENT, "more than 1 MiB", "a configuration file");
    } catch (NoSuchFileException e) {
      problems.add(0, 0, Problems.DOCUMENT, "no such file", "a file that can be read");
    } catch (IOException e) {
      String reason = Files.isDirectory(file) ? "a directory" : e.getClass().getSimpleName();
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

  private static LoadResult check(
      String text,
      Path directory,
      UnaryOperator<String> environment,
      Problems problems,
      List<Path> looked) {
    String body = text.indexOf(BYTE_ORDER_MARK) == 0 ? text.substring(1) : text;
    Optional<Node> root = YamlReader.read(body, problems);
    if (root.isEmpty() || (root.get() instanceof Node.Scalar scalar && scalar.isNull())) {
      if (problems.isEmpty()) {
        problems.add(
            1, 1, Problems.DOCUMENT, "nothing", "a mapping with listeners, routes and pools");
      }
      return LoadResult.refused(problems.inOrder());
    }
    References references = new References(environment, directory, problems, looked);
    Checked file = new Validator(problems, references).check(root.get(), Keys.FILE, "");
    FilesBeside files = new FilesBeside(directory, problems, looked);
    TlsFiles tlsFiles = new TlsFiles(files);
    AuthFiles authFiles = new AuthFiles(files);
    new Rules(problems, tlsFiles, authFiles).check(file.fields());
    return problems.isEmpty()
        ? LoadResult.of(
            new Binder(tlsFiles, authFiles).bind(file.fields(), references.written()),
            problems.warnings())
        : LoadResult.refused(problems.inOrder());
  }
}
