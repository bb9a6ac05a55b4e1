package sluice.gateway.top;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal.Signal;
import org.jline.terminal.impl.ExternalTerminal;
import org.junit.jupiter.api.Test;
import sluice.gateway.process.Gateway;

class WatchTest {
  private static final String ALTERNATE_SCREEN = "\u001b[?1049h";
  private static final String NORMAL_SCREEN = "\u001b[?1049l";

  private final ByteArrayOutputStream shown =
      new ByteArrayOutputStream() {
        @Override
        public synchronized void write(byte[] bytes, int offset, int length) {
          super.write(bytes, offset, length);
          notifyAll();
        }

        @Override
        public synchronized void write(int b) {
          super.write(b);
          notifyAll();
        }
      };
  private final PipedOutputStream keys = new PipedOutputStream();

  private ExternalTerminal terminal() throws IOException {
    ExternalTerminal terminal =
        new ExternalTerminal("test", "xterm", new PipedInputStream(keys), shown, UTF_8);
    terminal.setSize(new Size(80, 24));
    return terminal;
  }

  private void press(String text) throws IOException {
    keys.write(text.getBytes(UTF_8));
    keys.flush();
  }

  private void await(String text) throws InterruptedException {
    long until = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    synchronized (shown) {
      while (!shown.toString(UTF_8).contains(text)) {
        assertThat(System.nanoTime()).as(shown.toString(UTF_8)).isLessThan(until);
        TimeUnit.SECONDS.timedWait(shown, 1);
      }
    }
  }

  @Test
  void shouldFillTheAlternateScreenUntilQ() throws Exception {
    Gateway gateway = GatewayToWatch.start();
    try (ExternalTerminal terminal = terminal()) {
      CompletableFuture<Void> ended =
          CompletableFuture.runAsync(
              () -> {
                try {
                  new Top(gateway.adminAddress(), 100).interactive(terminal);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      await("q quit");
      assertThat(shown.toString(UTF_8))
          .startsWith(ALTERNATE_SCREEN)
          .contains("running", "embedded");
      press("/dead");
      await("Enter keeps it");
      press("\r");
      terminal.setSize(new Size(120, 45));
      terminal.raise(Signal.WINCH);
      press("\u001b[B");
      assertThat(ended).isNotDone();
      press("q");
      ended.get(60, TimeUnit.SECONDS);
      assertThat(shown.toString(UTF_8)).contains(NORMAL_SCREEN);
    } finally {
      gateway.close().await(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void shouldLeaveTheScreenAloneIfNobodyAnswersAtFirst() throws Exception {
    try (ExternalTerminal terminal = terminal()) {
      assertThatThrownBy(() -> new Top("127.0.0.1:1", 100).interactive(terminal))
          .isInstanceOf(IOException.class);
    }
    assertThat(shown.toString(UTF_8)).doesNotContain(ALTERNATE_SCREEN);
  }
}
