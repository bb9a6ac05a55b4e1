package sluice.config.importing;

import java.util.Set;

/** Names of pools, routes and listeners. */
final class Names {
  private static final int LONGEST = 64;

  private Names() {}

  /** A valid name, not yet taken, that resembles the wanted one. */
  static String fit(String wanted, Set<String> taken) {
    String clean = wanted.replaceAll("[^A-Za-z0-9_.-]", "-").replaceFirst("^[^A-Za-z0-9]+", "");
    String allowed =
        clean.isEmpty() ? "pool" : clean.substring(0, Math.min(clean.length(), LONGEST));
    String name = allowed;
    for (int n = 2; taken.contains(name); n++) {
      String end = "-" + n;
      name = allowed.substring(0, Math.min(allowed.length(), LONGEST - end.length())) + end;
    }
    return name;
  }
}
