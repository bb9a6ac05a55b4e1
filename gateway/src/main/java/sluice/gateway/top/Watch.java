package sluice.gateway.top;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jline.terminal.Attributes;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.Terminal.Signal;
import org.jline.terminal.Terminal.SignalHandler;
import org.jline.utils.Display;
import org.jline.utils.InfoCmp.Capability;
import org.jline.utils.NonBlockingReader;
import org.jspecify.annotations.Nullable;
import sluice.gateway.top.AdminPort.Answers;

/** Loop of an interactive screen on the alternate screen of a terminal. */
final class Watch {
  private static final int ESCAPE = 27;
  private static final int SEQUENCE_MILLIS = 50;

  /** How soon the screen follows new answers, and a new size of the terminal. */
  private static final int PAUSE_MILLIS = 100;

  private final Terminal terminal;
  private final AdminPort port;
  private final long everyNanos;
  private final Controls controls = new Controls();
  private final History rates = new History();
  private final Cells cells;
  private final Display display;
  private Size size = new Size();
  private Scrape before;
  private Answers now;
  private String problem = "";
  private volatile boolean interrupted;

  /**
   * Asks the port for the first time.
   *
   * @throws IOException if it does not answer as an admin port does
   */
  Watch(Terminal terminal, AdminPort port, int everyMillis) throws IOException {
    this.terminal = terminal;
    this.port = port;
    everyNanos = TimeUnit.MILLISECONDS.toNanos(everyMillis);
    cells = new Cells(terminal.encoding().newEncoder().canEncode('█'));
    display = new Display(terminal, true);
    now = port.answers();
    before = now.metrics();
  }

  /** Shows the numbers until the user ends it; leaves the terminal as it was. */
  void run() throws IOException {
    SignalHandler interrupts = terminal.handle(Signal.INT, signal -> interrupted = true);
    Attributes attributes = terminal.enterRawMode();
    terminal.puts(Capability.enter_ca_mode);
    terminal.puts(Capability.cursor_invisible);
    try {
      loop();
    } finally {
      terminal.puts(Capability.cursor_normal);
      terminal.puts(Capability.exit_ca_mode);
      terminal.flush();
      terminal.setAttributes(attributes);
      terminal.handle(Signal.INT, interrupts);
    }
  }

  private void loop() throws IOException {
    long asked = System.nanoTime();
    @Nullable CompletableFuture<Answers> asking = null;
    while (!interrupted) {
      draw();
      int key = key(PAUSE_MILLIS);
      if (key == NonBlockingReader.EOF || !controls.key(key)) {
        return;
      }
      if (asking != null && asking.isDone()) {
        take(asking);
        asking = null;
      }
      if (asking == null && System.nanoTime() - asked >= everyNanos) {
        asked = System.nanoTime();
        asking = CompletableFuture.supplyAsync(this::ask);
      }
    }
  }

  /** On another thread: keys are obeyed while a slow port has not answered. */
  private Answers ask() {
    try {
      return port.answers();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void take(CompletableFuture<Answers> answered) {
    try {
      Answers answers = answered.join();
      before = now.metrics();
      now = answers;
      problem = "";
      rates.add(Panel.rate(before, now.metrics()));
    } catch (CompletionException e) {
      String reason =
          e.getCause() instanceof UncheckedIOException io
              ? Objects.requireNonNull(io.getCause()).getMessage()
              : e.getMessage();
      problem = "the admin port does not answer: " + reason;
    }
  }

  private void draw() {
    Size current = terminal.getSize();
    if (!current.equals(size)) {
      size = new Size(current.getColumns(), current.getRows());
      display.clear();
      display.resize(size.getRows(), size.getColumns());
    }
    display.update(
        Panel.lines(
            size.getColumns(),
            size.getRows(),
            cells,
            controls,
            port.address(),
            before,
            now,
            rates,
            problem),
        -1);
  }

  /** The next key, or one of {@link NonBlockingReader}'s signs. */
  private int key(long millis) throws IOException {
    NonBlockingReader keys = terminal.reader();
    int key = keys.read(millis);
    if (key != ESCAPE) {
      return key;
    }
    int kind = keys.read(SEQUENCE_MILLIS);
    if (kind != '[' && kind != 'O') {
      return key;
    }
    int code = keys.read(SEQUENCE_MILLIS);
    if (code == '5' || code == '6') {
      keys.read(SEQUENCE_MILLIS); // the tilde
    }
    return switch (code) {
      case 'A' -> Controls.UP;
      case 'B' -> Controls.DOWN;
      case '5' -> Controls.PAGE_UP;
      case '6' -> Controls.PAGE_DOWN;
      default -> NonBlockingReader.READ_EXPIRED;
    };
  }
}
