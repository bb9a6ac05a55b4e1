package sluice.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import sluice.config.files.AuthFiles;
import sluice.config.files.DictionaryFiles;
import sluice.config.files.FilesBeside;
import sluice.config.files.TlsFiles;
import sluice.config.problems.Problems;
import sluice.config.rules.Defaults;
import sluice.config.rules.FileSection;
import sluice.config.rules.Rules;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;
import sluice.config.schema.Validator;
import sluice.config.yaml.Includes;
import sluice.config.yaml.Node;
import sluice.config.yaml.References;
import sluice.config.yaml.TextFile;
import sluice.config.yaml.YamlReader;

/**
 * Loader of a configuration file, which reports all of its problems. It throws no exception for any
 * content of a file.
 */
public final class Loader {
  private Loader() {}

  /** Loads a file; references to other files are relative to its directory. */
  public static LoadResult load(Path file) {
    return load(file, System::getenv);
  }

  /**
   * Loads a file with the caller's environment.
   *
   * @param environment the value of an environment variable, or null
   */
  public static LoadResult load(Path file, UnaryOperator<String> environment) {
    Problems problems = new Problems(file.toString());
    Path directory = Optional.ofNullable(file.getParent()).orElse(Path.of(""));
    List<Path> looked = new ArrayList<>(List.of(file));
    return TextFile.read(file, problems)
        .map(text -> check(text, directory, environment, problems, looked))
        .orElseGet(() -> LoadResult.refused(problems.inOrder()))
        .readFrom(looked);
  }

  /**
   * The configuration used without a file: memcached over an embedded store.
   *
   * @param host address that it binds, an IPv6 address with or without brackets; the result is
   *     invalid if it is no address
   */
  public static LoadResult embeddedDefault(String host) {
    String written = host.indexOf(':') < 0 || host.startsWith("[") ? host : "[" + host + "]";
    return parse(
        "default",
        """
        admin: {bind: "%1$s:9901"}
        listeners: {memcached: {bind: "%1$s:11211", route: memcached}}
        routes: {memcached: [{pool: memcached}]}
        pools: {memcached: {protocol: embedded, size: 64MiB}}
        """
            .formatted(written.replaceAll("[\"\\\\\\p{Cntrl}]", "?")));
  }

  /**
   * Checks a text without a file; references to files are relative to the working directory.
   *
   * @param name the text's name in problems
   */
  public static LoadResult parse(String name, String text) {
    return check(text, Path.of(""), System::getenv, new Problems(name), new ArrayList<>());
  }

  /**
   * Checks a text, for tests with files.
   *
   * @param directory that references to files are relative to
   */
  static LoadResult parse(Path directory, String text) {
    return check(text, directory, System::getenv, new Problems("f"), new ArrayList<>());
  }

  private static LoadResult check(
      String text,
      Path directory,
      UnaryOperator<String> environment,
      Problems problems,
      List<Path> looked) {
    Optional<Node> root = YamlReader.read(TextFile.unmarked(text), problems);
    if (root.isEmpty() || (root.get() instanceof Node.Scalar scalar && scalar.isNull())) {
      if (problems.isEmpty()) {
        problems.add(
            1, 1, Problems.DOCUMENT, "nothing", "a mapping with listeners, routes and pools");
      }
      return LoadResult.refused(problems.inOrder());
    }
    References references = new References(environment, directory, problems, looked);
    Validator validator = new Validator(problems, references);
    Node whole = new Includes(directory, problems, looked).expand(root.get());
    Checked<Fields> checked =
        validator.check(Defaults.fillIn(whole, validator, problems), FileSection.LAYOUT.type(), "");
    Fields file = Fields.of(checked);
    FilesBeside files = new FilesBeside(directory, problems, looked);
    TlsFiles tlsFiles = new TlsFiles(files);
    AuthFiles authFiles = new AuthFiles(files);
    DictionaryFiles dictionaryFiles = new DictionaryFiles(files);
    new Rules(problems, tlsFiles, authFiles, dictionaryFiles).check(file);
    return problems.isEmpty()
        ? LoadResult.of(
            FileSection.bind(file, tlsFiles, authFiles, dictionaryFiles, references.written()),
            problems.warnings(),
            binds(file, problems))
        : LoadResult.refused(problems.inOrder());
  }

  private static Map<String, String> binds(Fields file, Problems problems) {
    return FileSection.binds(file).stream()
        .collect(
            Collectors.toMap(Checked::path, bind -> problems.nameOf(bind) + ':' + bind.column()));
  }
}
