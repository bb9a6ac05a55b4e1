package sluice.gateway.server.sharing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.loop.ScarceAllocator;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.server.ServerSettings;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.health.ServerStatus;
import sluice.gateway.server.shared.LoopMailboxes;
import sluice.gateway.server.shared.SharedServers;
import sluice.gateway.time.Clocks;
import sluice.names.Command;

/** One event loop with two connections to a server: one is lost while the other is of no use. */
class FullConnectionsTest {
  private static final long LONG = TimeUnit.HOURS.toNanos(1);
  private static final int MORE_THAN_FITS = 1 << 20;

  private final ScarceAllocator allocator = new ScarceAllocator();
  private final SharingLoop loop =
      new SharingLoop(
          LoopMailboxes.of(1).get(0),
          new SharedServers(1),
          MemoryShare.of(1, 64 << 20)[0],
          allocator,
          new ServerStatus("p", "s"),
          settings(),
          Clocks::nanos,
          (address, attempt) -> attempt.fail("there is no network"));
  private final SharingLoop.Socket full = loop.socket(0);
  private final SharingLoop.Socket lost = loop.socket(1);

  /** Settings with two connections, and one retry of each read. */
  private static ServerSettings settings() {
    SocketAddress address = SocketAddress.inetSocketAddress(1, "127.0.0.1");
    return new ServerSettings(address, null, null, 2, 1, LONG, LONG, LONG, LONG, 0, 0, 1, 1);
  }

  @AfterEach
  void shouldHoldNothing() {
    loop.server.close();
    full.finishAndReleaseAll();
    lost.finishAndReleaseAll();
    loop.run();
    assertThat(loop.loop.memory().total()).as("bytes counted as buffered").isZero();
    assertThat(allocator.used()).as("direct bytes leaked").isZero();
  }

  @Test
  void shouldRetryReadsWhenTheOtherConnectionTakesBytesAgain() {
    SharingLoop.Client writer = loop.new Client();
    SharingLoop.Client reader = loop.new Client();
    full.stuck = true;
    String filler = "get k" + " ".repeat(MORE_THAN_FITS) + "\r\n";
    writer.ask(full.connection, Command.GET, ReplyKind.VALUES, "k", filler);
    assertThat(full.asked()).isEmpty();
    assertThat(full.isWritable()).isFalse();
    getRepeatably(reader, lost.connection);
    assertThat(lost.asked()).isEqualTo("get a\r\n");

    lost.close();
    loop.run();
    loop.sweep();
    assertThat(full.asked()).isEmpty();
    assertThat(reader.got).asString().isEmpty();

    full.takes();
    loop.sweep();
    assertThat(full.asked()).isEqualTo(filler + "get a\r\n");
    full.answer("END\r\nVALUE a 0 1\r\nx\r\nEND\r\n");
    assertThat(writer.got).asString().isEqualTo("END\r\n");
    assertThat(reader.got).asString().isEqualTo("VALUE a 0 1\r\nx\r\nEND\r\n");
  }

  /** A failure would keep others of the event loop from being woken and swept meanwhile. */
  @Test
  void shouldRetryReadsWhenThereIsMemoryAgain() {
    SharingLoop.Client reader = loop.new Client();
    getRepeatably(reader, lost.connection);
    assertThat(lost.asked()).isEqualTo("get a\r\n");

    allocator.exhausted(true);
    lost.close();
    lost.checkException();
    loop.run();
    loop.sweep();
    assertThat(full.asked()).isEmpty();
    assertThat(reader.got).asString().isEmpty();

    allocator.exhausted(false);
    loop.sweep();
    assertThat(full.asked()).isEqualTo("get a\r\n");
    full.answer("VALUE a 0 1\r\nx\r\nEND\r\n");
    assertThat(reader.got).asString().isEqualTo("VALUE a 0 1\r\nx\r\nEND\r\n");
  }

  /** Asks for a, by bytes that may be sent again. */
  private static void getRepeatably(SharingLoop.Client client, ServerConnection connection) {
    client.get(connection, "a");
    ByteBuf line = Unpooled.copiedBuffer("get a\r\n", ISO_8859_1);
    connection.mayRepeat(client.waiting.getLast(), line, 0, line.writerIndex());
    line.release();
  }
}
