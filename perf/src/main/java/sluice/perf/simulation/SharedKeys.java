package sluice.perf.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Keys and numbers that several clients use, of any gateway unless each gateway has its own items.
 */
final class SharedKeys {
  private static final int PLACES = 3;
  private static final int COUNTERS = 2;
  private static final int MOST_USES = 300; // on average

  private record Place<K>(Rule rule, Map<String, K> keys) { // by gateway, if it matters
    Place(Rule rule) {
      this(rule, new HashMap<>());
    }
  }

  private final World world;
  private final boolean chained;
  private final List<Place<SharedKey>> places = new ArrayList<>();
  private final List<Place<SharedCounter>> counters = new ArrayList<>();
  private int keyNumber;

  SharedKeys(World world, Scenario scenario) {
    this.world = world;
    chained = scenario.isChained();
    RandomGenerator random = world.simulator().stream();
    List<Rule> rules = scenario.rules();
    while (places.size() < PLACES) {
      places.add(new Place<>(rules.get(random.nextInt(rules.size()))));
    }
    while (counters.size() < COUNTERS) {
      Rule rule = rules.get(random.nextInt(rules.size()));
      if (rule.takesAll()) {
        counters.add(new Place<>(rule));
      }
    }
  }

  /** Any of the keys that clients of a gateway may use. */
  SharedKey key(String gateway, RandomGenerator random) {
    Place<SharedKey> place = places.get(random.nextInt(places.size()));
    String of = owner(place, gateway);
    SharedKey key = place.keys().get(of);
    if (key == null || key.isWorn() || random.nextInt(MOST_USES) == 0) {
      key = new SharedKey(world, place.rule(), "200:k" + ++keyNumber);
      place.keys().put(of, key);
    }
    return key;
  }

  /** Any of the numbers. */
  SharedCounter counter(String gateway, RandomGenerator random) {
    Place<SharedCounter> place = counters.get(random.nextInt(counters.size()));
    String of = owner(place, gateway);
    SharedCounter counter = place.keys().get(of);
    if (counter == null || counter.isWorn()) {
      counter = new SharedCounter(world, place.rule(), "300:k" + ++keyNumber);
      place.keys().put(of, counter);
    }
    return counter;
  }

  private String owner(Place<?> place, String gateway) {
    return place.rule().isOfOneGateway() && !chained ? gateway : "";
  }
}
