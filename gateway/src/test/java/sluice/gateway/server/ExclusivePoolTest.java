package sluice.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.health.ServerStatus;
import sluice.gateway.server.protocol.ServerContext;

class ExclusivePoolTest {
  private static final int MANY = 50_000;

  private final ProbedServer server = new ProbedServer(ServerStatus.Side.TEXT, null);
  private final ExclusivePool pool =
      new ExclusivePool(new Owner(), server.context().loop(), 1, 1, Long.MAX_VALUE);
  private int opened;
  private int served;
  private boolean free; // as other event loops were told

  private final class Owner implements ExclusivePool.Owner {
    @Override
    public ServerContext context() {
      return server.context();
    }

    @Override
    public String unavailable() {
      return null;
    }

    @Override
    public boolean isClosed() {
      return false;
    }

    @Override
    public void openExclusive(int slot) {
      opened++;
    }

    @Override
    public void acquires(int slot, boolean atOnce) {
      free = atOnce;
    }
  }

  /** A request that is refused when it has its connection: an ms for an old server, say. */
  private final class Refused implements ExclusivePool.Acquirer {
    @Override
    public void acquired(ServerConnection connection) {
      served++;
      pool.release(connection);
    }

    @Override
    public void refused(String reason) {}

    @Override
    public boolean isWaiting() {
      return true;
    }
  }

  @BeforeEach
  void open() {
    server.asked();
    server.answer("VERSION 1.4.39\r\n");
    assertThat(server.state()).isEqualTo("usable");
  }

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void shouldServeAllThatReleaseTheirConnectionAtOnce() {
    for (int i = 0; i < MANY; i++) {
      pool.acquire(new Refused());
    }
    assertThat(opened).isEqualTo(1);
    pool.made(server.connection());
    assertThat(served).isEqualTo(MANY);
    assertThat(pool.isIdle()).isTrue();
    assertThat(opened).isEqualTo(1);
  }

  /** Otherwise other loops gather large values in memory, although a connection is free. */
  @Test
  void shouldTellThatAConnectionIsFreeAgainWhenAllWereRefused() {
    pool.acquire(new Refused());
    assertThat(free).isFalse();
    pool.notMade();
    pool.refuseAll("the server is unreachable");
    assertThat(free).isTrue();
  }

  @Test
  void shouldTellThatAConnectionIsFreeAgainWhenAnAcquirerWaitedTooLong() {
    pool.acquire(new Refused());
    pool.notMade();
    assertThat(free).isFalse();
    pool.sweep(-1);
    assertThat(free).isTrue();
  }

  /** Its request has timed out, and the answer may still come. */
  @Test
  void shouldCloseAConnectionThatIsReleasedBeforeItsServerHasAnswered() {
    pool.acquire(new Refused());
    pool.made(server.connection());
    server.connection().keepAlive().pingIfSilentFor(-1);
    pool.acquire(new Refused());
    assertThat(served).isEqualTo(2);
    assertThat(server.state()).isNotEqualTo("usable");
    assertThat(pool.isIdle()).isTrue();
  }

  /**
   * A connection that was idle for too long closes at once, but its pool learns it in a later task.
   */
  @Test
  void shouldNotServeWithAConnectionThatIsClosing() {
    ServerConnection connection = server.connection();
    pool.made(connection);
    connection.channel().closeFuture().addListener(closing -> pool.acquire(new Refused()));
    connection.fail(ServerConnection.IDLE);
    assertThat(served).isZero();
    assertThat(opened).isEqualTo(1);
  }
}
