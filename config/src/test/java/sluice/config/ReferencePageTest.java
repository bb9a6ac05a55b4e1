package sluice.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import sluice.config.rules.FileSection;

class ReferencePageTest {
  private static final Path PAGE = Path.of("..", "docs", "reference", "configuration.md");
  private static final String BEGIN = "<!-- every key, from its declaration -->\n\n";
  private static final String END = "\n<!-- the end of every key -->";

  /** {@code -Dsluice.reference.write=true} writes the sections instead of comparing them. */
  @Test
  void shouldHaveASectionForEveryKeyAndNoOther() throws Exception {
    String page = Files.readString(PAGE);
    int begin = page.indexOf(BEGIN) + BEGIN.length();
    int end = page.indexOf(END);
    String keys = ReferencePage.of(FileSection.LAYOUT.type());
    if (Boolean.getBoolean("sluice.reference.write")) {
      Files.writeString(PAGE, page.substring(0, begin) + keys + page.substring(end));
    } else {
      assertThat(page.substring(begin, end)).isEqualTo(keys);
    }
  }

  @Test
  void shouldShowAnExampleThatLoads() throws Exception {
    String page = Files.readString(PAGE);
    String example = page.substring(page.indexOf("```yaml\n") + 8, page.indexOf("```\n\n## Every"));
    assertThat(Loader.parse("example", example).problems()).isEmpty();
  }
}
