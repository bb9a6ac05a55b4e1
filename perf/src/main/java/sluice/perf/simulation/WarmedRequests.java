package sluice.perf.simulation;

import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Requests of a client to keys of its own whose values the warm pool alone has. The first one that
 * reads a value fills the cold pool, unless the client has sent another request after it.
 */
final class WarmedRequests {
  private final World world;
  private final boolean chained;
  private final String gateway;
  private final RandomGenerator random;
  private int count; // of the client's requests

  WarmedRequests(World world, Scenario scenario, String gateway, RandomGenerator random) {
    this.world = world;
    this.gateway = gateway;
    this.random = random;
    chained = scenario.isChained();
  }

  /** The client sends a request. */
  void count() {
    count++;
  }

  /** A write into the warm pool, of a key that was never used. */
  Request warm(CheckedKey key, int length) {
    String value = key.next(length);
    key.warms(value);
    String name = Rule.TO_WARM + key.name();
    String text = "set " + name + " " + key.flags() + " 0 " + length(value) + value + "\r\n";
    return Request.store(text, key, Set.of("STORED"), Set.of("STORED"));
  }

  private static String length(String value) {
    return value.length() + "\r\n";
  }

  /** A request to a key that the warm pool has. */
  Request next(CheckedKey key) {
    switch (random.nextInt(6)) {
      case 0 -> {
        return touch(key);
      }
      case 1 -> {
        key.writes(null);
        Set<String> any = Set.of("DELETED", "NOT_FOUND");
        String text = "delete " + key.name() + "\r\n";
        return Request.line(text, key, true, Set.of("DELETED"), any); // both pools forget it
      }
      default -> {
        return get(key);
      }
    }
  }

  // Other clients share a connection to the first gateway, which takes them for one.
  private boolean mayMiss(int number) {
    return chained || number != count || world.isExcused() || world.excuses().isFlooded(gateway);
  }

  private Request get(CheckedKey key) {
    Request read = Request.get("get", List.of(key));
    int number = count;
    return new Request(read.text(), List.of(key), true) { // it writes into the cold pool
      @Override
      @Nullable String error() {
        return read.error();
      }

      @Override
      String judge(Replies replies) {
        String line = replies.line();
        if (line == null) {
          return INCOMPLETE;
        }
        boolean miss = line.equals("END");
        if (miss && mayMiss(number)) {
          unknown(); // it may still be filled
          return FINE;
        }
        replies.reset();
        String verdict = read.judge(replies);
        if (read.error() != null) {
          unknown();
        } else if (verdict.equals(FINE) && !miss) {
          key.isFilled();
        }
        return verdict;
      }
    };
  }

  private Request touch(CheckedKey key) {
    int number = count;
    return new Request("touch " + key.name() + " 0\r\n", List.of(key), true) {
      @Override
      String judge(Replies replies) {
        String line = replies.line();
        if (line == null) {
          return INCOMPLETE;
        }
        if (isFailure(line)) {
          return FINE;
        }
        if (line.equals("TOUCHED")) {
          key.isFilled();
          return FINE;
        }
        boolean allowed = line.equals("NOT_FOUND") && (mayMiss(number) || !key.isCertain());
        if (allowed) {
          unknown();
        }
        return allowed ? FINE : unexpected(line);
      }
    };
  }
}
