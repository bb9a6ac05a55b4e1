package sluice.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import sluice.config.rules.FileSection;
import sluice.config.schema.Key;
import sluice.config.schema.Type;

/** The table of keys as a whole: what holds for each of them. */
class TableTest {
  private static void walk(
      String path, Type<?> type, Consumer<String> paths, Consumer<Key<?>> all) {
    if (type instanceof Type.Section section) {
      for (Key<?> key : section.keys()) {
        all.accept(key);
        paths.accept(path + key.name());
        walk(path + key.name() + ".", key.type(), paths, all);
      }
    } else if (type instanceof Type.Brief<?> brief) {
      walk(path, brief.section(), paths, all);
    } else if (type instanceof Type.Named<?> named) {
      walk(path, named.each(), paths, all);
    } else if (type instanceof Type.Items<?> items) {
      walk(path, items.each(), paths, all);
    }
  }

  /** As {@link #walk}, by what was printed. */
  private static void printed(String path, Object value, Type<?> type, Consumer<String> paths) {
    if (type instanceof Type.Section section) {
      Map<?, ?> map = (Map<?, ?>) value;
      for (Key<?> key : section.keys()) {
        if (map.containsKey(key.name())) {
          paths.accept(path + key.name());
          printed(path + key.name() + ".", map.get(key.name()), key.type(), paths);
        }
      }
    } else if (type instanceof Type.Brief<?> brief) {
      printed(path, value, brief.section(), paths);
    } else if (type instanceof Type.Named<?> named) {
      ((Map<?, ?>) value).values().forEach(each -> printed(path, each, named.each(), paths));
    } else if (type instanceof Type.Items<?> items) {
      ((List<?>) value).forEach(each -> printed(path, each, items.each(), paths));
    }
  }

  private static <T> void shouldWriteWhatItReads(Key<T> key, String text) {
    Type.Scalar<T> type = (Type.Scalar<T>) key.type();
    T value = type.parser().apply(text);
    assertThat(value).as(key.name()).isNotNull();
    String written = type.writer().apply(value).toString();
    assertThat(type.parser().apply(written)).as("%s: %s", key, written).isEqualTo(value);
  }

  @Test
  void shouldWriteEachDefaultAsSomethingThatIsReadAsTheSame() {
    List<Key<?>> withDefault = new ArrayList<>();
    walk("", FileSection.LAYOUT.type(), path -> {}, withDefault::add);
    withDefault.removeIf(
        key -> key.defaultYaml().isEmpty() || !(key.type() instanceof Type.Scalar<?>));
    assertThat(withDefault).hasSizeGreaterThan(40);
    withDefault.forEach(key -> shouldWriteWhatItReads(key, key.defaultYaml().get().get()));
  }

  /** Names of files are printed in TlsFilesTest, AuthFilesTest and DictionaryFilesTest. */
  @Test
  void shouldPrintEveryKeyInSomeSample() {
    TreeSet<String> missing = new TreeSet<>();
    walk("", FileSection.LAYOUT.type(), missing::add, key -> {});
    missing.removeIf(path -> path.matches("(.*\\.)?(tls|auth)(\\..*)?"));
    missing.remove("pools.compression.dictionaries");
    missing.removeIf(path -> path.matches("include|defaults(\\..*)?")); // printed where they hold
    assertThat(missing).hasSizeGreaterThan(100);
    for (String sample : Samples.ALL) {
      Object tree = FileSection.LAYOUT.print(Samples.load(sample).configuration());
      printed("", tree, FileSection.LAYOUT.type(), missing::remove);
    }
    assertThat(missing).isEmpty();
  }
}
