package sluice.codecs.memcached.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.codecs.Ascii;
import sluice.names.Command;

class TextCommandsTest {
  private static final Set<Command> NOT_WRITTEN =
      EnumSet.of(Command.NOOP, Command.SASL, Command.UNKNOWN, Command.DEBUG);
  private static final Map<String, Command> BY_LABEL =
      Arrays.stream(Command.values())
          .filter(command -> !NOT_WRITTEN.contains(command))
          .collect(Collectors.toMap(Command::label, command -> command));

  private final TextLine line = new TextLine();

  private Command of(String text) {
    return TextCommands.of(line.wrap(Ascii.buffer(text), 0, text.length()));
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"NOOP", "SASL", "UNKNOWN", "DEBUG"})
  void shouldFindEveryCommandByItsName(Command command) {
    assertThat(of(command.label())).isEqualTo(command);
    assertThat(of("  " + command.label() + "  k 0 0 1")).isEqualTo(command);
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"NOOP", "SASL", "UNKNOWN", "DEBUG"})
  void shouldFindNamesInLowerCaseAndWholeOnly(Command command) {
    String name = command.label();
    assertThat(of(name.toUpperCase(java.util.Locale.ROOT))).isEqualTo(Command.UNKNOWN);
    assertThat(of(name + "\t")).isEqualTo(Command.UNKNOWN);
    assertThat(of(name + "\0")).isEqualTo(Command.UNKNOWN);
    assertThat(of("\0" + name)).isEqualTo(Command.UNKNOWN);
    assertThat(of(name + "x")).isEqualTo(Command.UNKNOWN);
  }

  @ParameterizedTest(name = "<{0}>")
  @ValueSource(strings = {"misbehave", "debugtime 5"})
  void shouldFindTheDebugCommandsByTheirOwnNames(String text) {
    assertThat(of(text)).isEqualTo(Command.DEBUG);
  }

  @ParameterizedTest(name = "<{0}>")
  @ValueSource(
      strings = {"", "   ", "noop", "sasl", "unknown", "debug", "ge", "getss", "sett", "m"})
  void shouldFindNothingElse(String text) {
    assertThat(of(text)).isEqualTo(Command.UNKNOWN);
  }

  @Test
  void shouldLookAtTheFirstTokenOnly() {
    assertThat(of("get set")).isEqualTo(Command.GET);
    assertThat(of("k set")).isEqualTo(Command.UNKNOWN);
  }

  @Property
  void shouldFindForAnyWordWhatAMapFinds(@ForAll("words") String word) {
    Command expected = BY_LABEL.getOrDefault(word, Command.UNKNOWN);
    assertThat(of(word)).isEqualTo(expected);
  }

  @Provide
  Arbitrary<String> words() {
    return Arbitraries.oneOf(
        Arbitraries.of(BY_LABEL.keySet()),
        Arbitraries.strings().withCharRange('a', 'z').withChars("_").ofMinLength(1).ofMaxLength(3),
        Arbitraries.strings().withChars("getsaincrmd_\u00e9").ofMinLength(1).ofMaxLength(20));
  }
}
