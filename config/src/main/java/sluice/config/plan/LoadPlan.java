package sluice.config.plan;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import sluice.config.model.Address;
import sluice.config.model.Credentials;
import sluice.config.model.Ordered;
import sluice.config.problems.Problem;
import sluice.names.Dialect;
import sluice.names.Labelled;

/**
 * What {@code ./sluice load} does.
 *
 * @param gateway where it is; empty if one is to be started
 * @param memcached the server behind it; empty if it is to be started
 * @param nodes where the load's nodes are to listen; empty if anywhere
 * @param eventLoops of a gateway that is started
 * @param startTimeoutMillis until the gateway answers, and the server behind it
 * @param loads by name, in the order written
 * @param phases how long each takes
 * @param valid when a run says nothing
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

  /** What a load speaks. */
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

  /** How messages between nodes are wrapped. */
  public enum Framing implements Labelled {
    /** Protected. */
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
   * A gateway that runs: its listeners, as far as loads need them, and its admin port.
   *
   * @param login that profiles are taken with; empty for none
   */
  public record Target(
      Optional<Address.Tcp> memcached,
      Optional<Address.Tcp> writers,
      Optional<Address.Tcp> replicas,
      Address.Tcp admin,
      Optional<Credentials> login) {}

  /** Where the load's own nodes listen. */
  public record Nodes(Address.Tcp writers, Address.Tcp replicas) {}

  /**
   * Requests at a rate.
   *
   * @param protocol which of the others count
   * @param rate a second, of all connections together
   * @param connections of clients, or pairs of nodes
   * @param window requests of a connection under way at a time, where there is no rate
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

  /** In milliseconds. */
  public record Phases(
      long warmUp,
      long direct,
      long judged,
      long saturation,
      long profiled,
      long profiledAllocations,
      long profiledLocks) {}

  /**
   * When a run says nothing.
   *
   * @param rate percent of the planned requests that must have been sent
   * @param lateMillis by how much 99 of 100 may have left late
   * @param throttled share of the quota's periods, 0 to 1
   */
  public record Valid(int rate, long lateMillis, double throttled) {}

  /**
   * A plan, or what is wrong with its file.
   *
   * @param plan null if there are problems
   */
  public record Result(LoadPlan plan, List<Problem> problems) {}
}
