package sluice.gateway.cli;

import java.io.IOException;
import java.util.Optional;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jline.terminal.TerminalBuilder.SystemOutput;

/** The terminal that this process was started in. */
final class SystemTerminal {
  private SystemTerminal() {}

  /** The terminal of both standard input and output; empty if one of them is something else. */
  static Optional<Terminal> open() {
    try {
      Terminal terminal =
          TerminalBuilder.builder()
              .system(true)
              .systemOutput(SystemOutput.SysOut)
              .provider("jni")
              .dumb(false)
              .build();
      if (terminal.getType().startsWith(Terminal.TYPE_DUMB)) {
        terminal.close();
        return Optional.empty();
      }
      return Optional.of(terminal);
    } catch (IOException | IllegalStateException | LinkageError e) {
      return Optional.empty();
    }
  }
}
