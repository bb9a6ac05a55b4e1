package sluice.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import sluice.config.rules.FileSection;
import sluice.config.schema.Key;
import sluice.config.schema.Type;

class ReferencePageTest {
  private static final Path PAGE = Path.of("..", "docs", "reference", "configuration.md");

  private static void rows(String path, Type<?> type, List<String> rows) {
    if (type instanceof Type.Section section) {
      for (Key<?> key : section.keys()) {
        String at = path.isEmpty() ? key.name() : path + "." + key.name();
        rows.add(
            "| `" + at + "` | " + value(key) + " | " + standard(key) + " | " + key.doc() + " |");
        rows(at, key.type(), rows);
      }
    } else if (type instanceof Type.Brief<?> either) {
      rows(path, either.section(), rows);
    } else if (type instanceof Type.Named<?> named) {
      rows(path + ".NAME", named.each(), rows);
    } else if (type instanceof Type.Items<?> items) {
      rows(path + "[]", items.each(), rows);
    }
  }

  private static String value(Key<?> key) {
    boolean shown =
        key.type() instanceof Type.Scalar
            || key.type() instanceof Type.Items
            || key.type() instanceof Type.Brief
            || key.type() instanceof Type.Pairs;
    return shown ? key.type().expected().replace("|", "\\|") : "";
  }

  private static String standard(Key<?> key) {
    return switch (key.kind()) {
      case REQUIRED -> "required";
      case OPTIONAL -> key.hasFixedDefault() ? "`" + key.defaultDoc() + "`" : key.defaultDoc();
    };
  }

  @Test
  void shouldHaveARowForEveryKeyAndNoOther() throws Exception {
    List<String> rows = new ArrayList<>();
    rows("", FileSection.LAYOUT.type(), rows);
    assertThat(Files.readAllLines(PAGE)).filteredOn(l -> l.startsWith("| `")).isEqualTo(rows);
  }

  @Test
  void shouldShowAnExampleThatLoads() throws Exception {
    String page = Files.readString(PAGE);
    String example = page.substring(page.indexOf("```yaml\n") + 8, page.indexOf("```\n\n## Every"));
    assertThat(Loader.parse("example", example).problems()).isEmpty();
  }
}
