package sluice.perf.simulation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;

/**
 * Source from which gateways learn the servers of the first pool. The number of servers changes,
 * and named ones move to other hosts. Each answer has another order.
 */
abstract class ServerSource {
  final World world;
  final RandomGenerator random;
  private final Scenario scenario;
  private List<Integer> nodes = new ArrayList<>(); // the number of each node's host
  private long stalledUntil;
  private long unreliableUntil;

  /** A source that names all servers. */
  ServerSource(World world, Scenario scenario) {
    this.world = world;
    this.scenario = scenario;
    random = world.simulator().stream();
    nodes = hosts();
  }

  private List<Integer> hosts() {
    List<Integer> hosts = new ArrayList<>();
    for (int i = 0; i < scenario.servers(); i++) {
      hosts.add(i);
    }
    return hosts;
  }

  /** Begins to answer. */
  abstract void start();

  /** Answers nothing for that many nanoseconds. */
  abstract void crash(long nanos);

  /** Handles nothing for that many nanoseconds. */
  void stall(long nanos) {
    world.simulator().trace("source stalls", nodes.size(), nanos);
    stalledUntil = world.simulator().now() + nanos;
  }

  /** Until when it handles nothing. */
  final long stalledUntil() {
    return stalledUntil;
  }

  /** Gives no usable answer for that many nanoseconds. */
  final void misbehave(long nanos) {
    world.simulator().trace("source is unreliable", nodes.size(), nanos);
    unreliableUntil = world.simulator().now() + nanos;
  }

  final boolean isUnreliable() {
    return world.simulator().now() < unreliableUntil;
  }

  /** Changes the number of nodes, and where they run. */
  final void change() {
    List<Integer> hosts = hosts();
    shuffle(hosts);
    nodes = new ArrayList<>(hosts.subList(0, random.nextInt(1, hosts.size() + 1)));
    world.simulator().trace("the servers change", nodes.hashCode(), 0);
  }

  /** Whether it names a server. */
  final boolean has(String host) {
    return nodes.stream().anyMatch(node -> scenario.serverHost(false, node).equals(host));
  }

  /** The number of nodes. */
  final int count() {
    return nodes.size();
  }

  /** The address of a node, from 0. */
  final String host(int node) {
    return scenario.serverHost(false, nodes.get(node));
  }

  final void shuffle(List<?> list) {
    Collections.shuffle(list, new Random(random.nextLong()));
  }
}
