package sluice.gateway.route.hash;

import java.util.Arrays;
import java.util.List;
import sluice.names.Distribution;
import sluice.names.HashFunction;
import sluice.names.Labelled;

/** Rings by the names that the configuration file has for what they are made of. */
final class Rings {
  private Rings() {}

  static Ring of(String function, String distribution, String tag, List<Member> members) {
    return Ring.of(function(function), distribution(distribution), tag, members);
  }

  static HashFunction function(String name) {
    return Labelled.named(HashFunction.class, name);
  }

  static Distribution distribution(String name) {
    return Labelled.named(Distribution.class, name);
  }

  static List<String> functions() {
    return names(HashFunction.values());
  }

  static List<String> distributions() {
    return names(Distribution.values());
  }

  private static List<String> names(Labelled[] constants) {
    return Arrays.stream(constants).map(Labelled::label).toList();
  }
}
