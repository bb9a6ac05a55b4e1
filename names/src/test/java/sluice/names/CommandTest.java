package sluice.names;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class CommandTest {
  @Test
  void shouldHaveLabelsOfLowerCaseAsciiThatNoTwoShare() {
    assertThat(Arrays.stream(Command.values()).map(Command::label))
        .doesNotHaveDuplicates()
        .allSatisfy(label -> assertThat(label).matches("[a-z_]+"));
  }

  @Test
  void shouldHaveTokensInMetaCommandsAboutItemsAlone() {
    assertThat(Arrays.stream(Command.values()).filter(Command::takesTokens))
        .containsExactly(Command.MG, Command.MS, Command.MD, Command.MA);
  }

  @Test
  void shouldBeLabelledAsWrittenInTheTextProtocol() {
    assertThat(Command.FLUSH_ALL.label()).isEqualTo("flush_all");
    assertThat(Command.MG.label()).isEqualTo("mg");
    assertThat(Command.CACHE_MEMLIMIT.label()).isEqualTo("cache_memlimit");
  }
}
