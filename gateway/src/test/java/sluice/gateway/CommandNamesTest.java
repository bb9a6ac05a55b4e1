package sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import sluice.config.LoadResult;
import sluice.config.Loader;
import sluice.config.model.GuardedCommand;
import sluice.names.Command;
import sluice.names.Labelled;

/** What {@code match: {commands}} takes is what codecs calls commands, and nothing else. */
class CommandNamesTest {
  /** Fences follow the requests before them; the others end or authenticate a connection. */
  private static final Set<Command> NEVER_ROUTED =
      EnumSet.of(Command.NOOP, Command.MN, Command.QUIT, Command.SASL, Command.UNKNOWN);

  private static LoadResult load(String commands) {
    return Loader.parse(
        "test.yaml",
        "listeners:\n  l: {bind: '127.0.0.1:0', protocol: memcached, route: r}\n"
            + "routes:\n  r:\n    - match: {commands: ["
            + commands
            + "]}\n      pool: p\n    - pool: p\n"
            + "pools:\n  p: {protocol: embedded, size: 16MiB}\n");
  }

  @Test
  void shouldTakeTheLabelOfEveryCommandThatIsRouted() {
    Set<String> labels =
        EnumSet.complementOf(EnumSet.copyOf(NEVER_ROUTED)).stream()
            .map(Command::label)
            .collect(Collectors.toSet());
    LoadResult result = load(String.join(", ", labels));
    assertThat(result.problems()).isEmpty();
    assertThat(result.configuration().routes().get("r").rules().get(0).match().commands())
        .isEqualTo(labels);
    assertThat(labels).allSatisfy(label -> Labelled.named(Command.class, label));
  }

  @Test
  void shouldRefuseTheLabelOfEveryOtherCommand() {
    assertThat(NEVER_ROUTED)
        .allSatisfy(command -> assertThat(load(command.label()).isValid()).isFalse());
  }

  @Test
  void shouldGuardNothingButCommands() {
    Set<String> labels =
        Arrays.stream(Command.values()).map(Command::label).collect(Collectors.toSet());
    assertThat(GuardedCommand.values()).extracting(GuardedCommand::label).isSubsetOf(labels);
  }

  @Test
  void shouldNameInItsRefusalOnlyWhatIsACommand() {
    String problem = load("nonsense").problems().get(0).toString();
    Set<String> labels =
        Arrays.stream(Command.values()).map(Command::label).collect(Collectors.toSet());
    Set<String> named =
        Arrays.stream(problem.substring(problem.indexOf("expected")).split("[^a-z_]+"))
            .collect(Collectors.toSet());
    assertThat(named).containsAll(Set.of("get", "flush_all", "debug"));
    named.removeAll(Set.of("expected", "one", "of", "or", "a", "command", "the"));
    assertThat(labels).containsAll(named);
  }
}
