package sluice.ring;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;

/**
 * A session with one node and no other, so that this node coordinates every request and has to ask
 * its peers for what the consistency level wants of them.
 */
final class Coordinator implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final CqlSession session;
  private final InetSocketAddress address;

  /** Connects; fails when the node does not answer. */
  Coordinator(InetSocketAddress address) {
    this.address = address;
    this.session =
        CqlSession.builder()
            .addContactPoint(address)
            .withLocalDatacenter("datacenter1")
            .withNodeDistanceEvaluator(
                (node, datacenter) ->
                    node.getEndPoint().resolve().equals(address) ? null : NodeDistance.IGNORED)
            .withConfigLoader(
                DriverConfigLoader.programmaticBuilder()
                    .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, PATIENCE)
                    .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, PATIENCE)
                    .withDuration(DefaultDriverOption.CONTROL_CONNECTION_TIMEOUT, PATIENCE)
                    .withDuration(DefaultDriverOption.HEARTBEAT_TIMEOUT, PATIENCE)
                    .withInt(DefaultDriverOption.NETTY_IO_SIZE, 1)
                    .withInt(DefaultDriverOption.NETTY_ADMIN_SIZE, 1)
                    .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, false)
                    .build())
            .build();
  }

  /**
   * Changes the schema by the first of the nodes; returns when all of them have the same one. The
   * driver asks only about nodes that it uses, which here is one.
   */
  static void change(List<Coordinator> nodes, String cql) {
    nodes.get(0).ask(ConsistencyLevel.ONE, cql);
    Await.until(
        PATIENCE,
        () -> "the nodes agree on a schema after: " + cql,
        () -> nodes.stream().map(Coordinator::schemaVersion).distinct().count() == 1);
  }

  private UUID schemaVersion() {
    return ask(ConsistencyLevel.ONE, "SELECT schema_version FROM system.local")
        .get(0)
        .getUuid("schema_version");
  }

  /** The rows of the first page. */
  List<Row> ask(ConsistencyLevel level, String cql, Object... values) {
    return session.execute(statement(level, cql, values)).all();
  }

  CompletionStage<AsyncResultSet> askAsync(ConsistencyLevel level, String cql, Object... values) {
    return session.executeAsync(statement(level, cql, values));
  }

  private static SimpleStatement statement(ConsistencyLevel level, String cql, Object... values) {
    return SimpleStatement.newInstance(cql, values).setConsistencyLevel(level);
  }

  @Override
  public void close() {
    session.close();
  }

  @Override
  public String toString() {
    return "coordinator " + address;
  }
}
