package sluice.perf.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/** Keys that several clients use, of any gateway unless each gateway has its own items. */
final class SharedKeys {
  private static final int PLACES = 3;

  private record Place(Rule rule, Map<String, SharedKey> keys) {} // by gateway, if it matters

  private final World world;
  private final boolean chained;
  private final List<Place> places = new ArrayList<>();
  private int keyNumber;

  SharedKeys(World world, Scenario scenario) {
    this.world = world;
    chained = scenario.isChained();
    RandomGenerator random = world.simulator().stream();
    Rule[] rules = scenario.rules();
    for (int i = 0; i < PLACES; i++) {
      places.add(new Place(rules[random.nextInt(rules.length)], new HashMap<>()));
    }
  }

  /** Any of them that clients of a gateway may use. */
  SharedKey key(String gateway, RandomGenerator random) {
    Place place = places.get(random.nextInt(places.size()));
    String of = place.rule().isOfOneGateway() && !chained ? gateway : "";
    SharedKey key = place.keys().get(of);
    if (key == null || key.isWorn() || random.nextInt(300) == 0) {
      key = new SharedKey(world, place.rule(), "200:k" + ++keyNumber);
      place.keys().put(of, key);
    }
    return key;
  }
}
