package sluice.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Main source files of all modules, also of those that no test of the gateway has as classes. */
final class MainSources {
  private static final Pattern NOT_CODE =
      Pattern.compile(
          "\"\"\".*?\"\"\"|\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*\"|'[^'\\\n]*(?:\\.[^'\\\n]*)*'"
              + "|//[^\n]*|/\\*.*?\\*/",
          Pattern.DOTALL);
  private static final Pattern PACKAGE = Pattern.compile("^package ([\\w.]+);", Pattern.MULTILINE);
  private static final Pattern IMPORT =
      Pattern.compile(
          "^import (?:static )?([a-z][\\w.]*)\\.([A-Z]\\w*)[\\w.*]*;", Pattern.MULTILINE);
  private static final Pattern NAME = Pattern.compile("\\b[A-Z]\\w*\\b");

  private MainSources() {}

  /** Paths of the files. */
  static List<Path> files() {
    List<Path> files = new ArrayList<>();
    for (Path root : roots()) {
      files.addAll(files(root));
    }
    return files;
  }

  /** Which files use which, by module's directory; files by their class's name with its package. */
  static Map<Path, Map<String, Set<String>>> uses() {
    Map<Path, Map<String, Set<String>>> uses = new TreeMap<>();
    for (Path root : roots()) {
      uses.put(root, uses(root));
    }
    return uses;
  }

  private static Map<String, Set<String>> uses(Path root) {
    Map<String, String> code = new LinkedHashMap<>();
    for (Path file : files(root)) {
      String text = NOT_CODE.matcher(text(file)).replaceAll(" ");
      Matcher named = PACKAGE.matcher(text);
      String simple = file.getFileName().toString().replace(".java", "");
      if (named.find() && !simple.endsWith("-info")) {
        code.put(named.group(1) + "." + simple, text);
      }
    }
    Map<String, Set<String>> uses = new TreeMap<>();
    code.forEach((name, text) -> uses.put(name, used(name, text, code.keySet())));
    return uses;
  }

  /** Files that one names: those that it imports, and others of its package. */
  private static Set<String> used(String name, String text, Set<String> all) {
    Map<String, String> imported = new HashMap<>();
    for (MatchResult each : IMPORT.matcher(text).results().toList()) {
      imported.put(each.group(2), each.group(1) + "." + each.group(2));
    }
    String beside = name.substring(0, name.lastIndexOf('.') + 1);
    Set<String> used = new TreeSet<>(imported.values());
    for (MatchResult each : NAME.matcher(text).results().toList()) {
      if (!imported.containsKey(each.group())) {
        used.add(beside + each.group());
      }
    }
    used.retainAll(all);
    used.remove(name);
    return used;
  }

  /** Does not walk whole modules: tests of others that run meanwhile create and delete files. */
  private static List<Path> roots() {
    try (Stream<Path> modules = Files.list(Path.of(".."));
        Stream<Path> ofPerf = Files.list(Path.of("..", "perf"))) {
      return Stream.concat(modules, ofPerf)
          .map(each -> each.resolve("src/main/java"))
          .filter(Files::isDirectory)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Path> files(Path root) {
    try (Stream<Path> files = Files.walk(root)) {
      return files.filter(path -> path.toString().endsWith(".java")).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file, UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
