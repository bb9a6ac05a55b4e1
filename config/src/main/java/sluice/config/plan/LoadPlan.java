package sluice.config.plan;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import sluice.config.model.Address;
import sluice.config.model.Credentials;
import sluice.config.model.Ordered;
import sluice.config.problems.Problem;
import sluice.names.Dialect;
import sluice.names.Labelled;

/**
 * Plan of a run of {@code ./sluice load}.
 *
 * @param gateway where it runs; empty to start one
 * @param memcached the server behind it; empty to start one
 * @param nodes addresses for the load's own nodes to listen on; empty for any
 * @param eventLoops of a gateway that is started
 * @param startTimeoutMillis how long to wait until the gateway and the server behind it answer
 * @param loads by name, in the order written
 * @param phases duration of each phase
 * @param valid when a run is inconclusive
 */
public record LoadPlan(
    Optional<Target> gateway,
    Optional<Address.Tcp> memcached,
    Optional<Nodes> nodes,
    int eventLoops,
    long startTimeoutMillis,
    Map<String, Load> loads,
    Phases phases,
    Valid valid) {
  /** Takes a copy of the loads. */
  public LoadPlan {
    loads = Ordered.copyOf(loads);
  }

  /** Protocol of a load. */
  public enum Protocol implements Labelled {
    /** A client of memcached. */
    MEMCACHED("memcached"),
    /** Nodes of Cassandra. */
    INTERNODE("internode");

    private final String label;

    Protocol(String label) {
      this.label = label;
    }

    @Override
    public String label() {
      return label;
    }
  }

  /** Framing of messages between nodes. */
  public enum Framing implements Labelled {
    /** With checksums. */
    CRC("crc"),
    /** Compressed. */
    LZ4("lz4");

    private final String label;

    Framing(String label) {
      this.label = label;
    }

    @Override
    public String label() {
      return label;
    }
  }

  /**
   * Running gateway: its listeners, as far as loads need them, and its admin port.
   *
   * @param login for taking profiles; empty for none
   */
  public record Target(
      Optional<Address.Tcp> memcached,
      Optional<Address.Tcp> writers,
      Optional<Address.Tcp> replicas,
      Address.Tcp admin,
      Optional<Credentials> login) {}

  /** Addresses of the load's own nodes. */
  public record Nodes(Address.Tcp writers, Address.Tcp replicas) {}

  /**
   * Requests at a rate.
   *
   * @param protocol determines which of the others apply
   * @param rate per second, of all connections together
   * @param connections of clients, or pairs of nodes
   * @param window requests in flight for each connection, where there is no rate
   * @param valueLength in bytes
   * @param getPercent of the requests
   * @param minPayload of a message, in bytes
   * @param maxPayload of a message, in bytes
   */
  public record Load(
      String name,
      Protocol protocol,
      Dialect dialect,
      long rate,
      int connections,
      int window,
      int keys,
      int valueLength,
      int getPercent,
      Framing framing,
      int minPayload,
      int maxPayload) {}

  /** Durations of the phases in milliseconds. */
  public record Phases(
      long warmUp,
      long direct,
      long judged,
      long saturation,
      long profiled,
      long profiledAllocations,
      long profiledLocks) {}

  /**
   * Conditions under which a run is inconclusive.
   *
   * @param rate percent of the planned requests that must have been sent
   * @param lateMillis the largest delay of sending at p99
   * @param throttled share of the quota's periods, 0 to 1
   */
  public record Valid(int rate, long lateMillis, double throttled) {}

  /**
   * A plan, or the problems of its file.
   *
   * @param plan null if there are problems
   */
  public record Result(@Nullable LoadPlan plan, List<Problem> problems) {}
}
