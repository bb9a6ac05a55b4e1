package sluice.perf.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Valid requests of a checked client to keys of its own, and some to those of others. */
final class CheckedRequests {
  private static final int KEYS = 6;

  private final World world;
  private final List<Rule> rules;
  private final WarmedRequests warmed;
  private final String prefix;
  private final RandomGenerator random;
  private final List<CheckedKey> keys = new ArrayList<>();
  private final boolean meta;
  private final SharedRequests shared;
  private int keyNumber;
  private int opaque;

  /**
   * Requests to keys of the rules of a scenario.
   *
   * @param gateway the client's
   * @param prefix what the keys begin with, behind that of a rule
   * @param meta whether most of them are meta requests
   * @param shared requests to keys of other clients, too
   */
  CheckedRequests(
      World world,
      Scenario scenario,
      String gateway,
      String prefix,
      boolean meta,
      SharedRequests shared,
      RandomGenerator random) {
    this.world = world;
    rules = scenario.rules();
    warmed = new WarmedRequests(world, scenario, gateway, random);
    this.prefix = prefix;
    this.meta = meta;
    this.shared = shared;
    this.random = random;
    for (int i = 0; i < KEYS; i++) {
      keys.add(fresh());
    }
  }

  private CheckedKey fresh() {
    Rule rule = rules.get(random.nextInt(rules.size()));
    return new CheckedKey(world, rule, prefix + ":k" + ++keyNumber);
  }

  private CheckedKey key() {
    int at = random.nextInt(keys.size());
    CheckedKey key = keys.get(at);
    if (key.isWorn() || random.nextInt(200) == 0) {
      key = fresh();
      keys.set(at, key);
    }
    return key;
  }

  private int length() {
    return switch (random.nextInt(20)) {
      case 0 -> random.nextInt(1_000, 20_000);
      case 1 -> random.nextInt(200) == 0 ? random.nextInt(100_000, 600_000) : 3_000;
      default -> random.nextInt(10, 300);
    };
  }

  /** The bytes of all values that its keys hold. */
  long heldBytes() {
    long bytes = 0;
    for (CheckedKey key : keys) {
      String value = key.value();
      bytes += value == null ? 0 : value.length();
    }
    return bytes;
  }

  /** A read of all keys whose values are known. */
  Request readAll() {
    List<CheckedKey> certain = new ArrayList<>(keys);
    certain.removeIf(key -> !key.isCertain() || key.rule() == Rule.WARMED); // these are not filled
    return certain.isEmpty() ? next() : Request.get("get", certain);
  }

  /** A write of a large value. */
  Request storeLarge() {
    warmed.count();
    CheckedKey key = key();
    var unused = key.isFirstUse();
    return set(key, random.nextInt(20_000, 100_000));
  }

  /** Any request. */
  Request next() {
    warmed.count();
    if (shared.isNext()) {
      return shared.next();
    }
    boolean lost = world.moments().areRepliesLost();
    CheckedKey held = lost && random.nextInt(4) == 0 ? held() : null;
    if (held != null) {
      return take(held);
    }
    CheckedKey key = key();
    if (lost && meta && key.rule() != Rule.WARMED && random.nextInt(3) == 0) {
      return quiet(key, Integer.toString(++opaque)); // its errors must not be hidden
    }
    if (lost && !meta && key.rule() != Rule.WARMED && random.nextInt(3) == 0) {
      return silently(key); // its errors must be hidden
    }
    if (key.isFirstUse() && key.rule() == Rule.WARMED && random.nextInt(4) > 0) {
      return warmed.warm(key, length());
    }
    if (key.isWarm()) {
      return random.nextInt(6) == 0 ? set(key, length()) : warmed.next(key);
    }
    return meta && random.nextInt(3) > 0 ? metaRequest(key) : classicRequest(key);
  }

  // A key whose item a read may remove, if there is one.
  private @Nullable CheckedKey held() {
    for (CheckedKey one : keys) {
      if (one.mayExpire() && one.isCertain() && one.value() != null) {
        return one;
      }
    }
    return null;
  }

  // If it is carried out twice, the second reply is a miss.
  private Request take(CheckedKey key) {
    return meta
        ? Request.metaTake(key, key.name(), " T" + past(), Integer.toString(++opaque))
        : Request.take((random.nextBoolean() ? "gat " : "gats ") + past(), key);
  }

  private Request classicRequest(CheckedKey key) {
    @Nullable String held = key.value();
    switch (random.nextInt(13)) {
      case 0, 1, 2 -> {
        boolean cas = random.nextInt(4) == 0 && key.rule().takesAll();
        return Request.get(cas ? "gets" : "get", List.of(key));
      }
      case 3 -> {
        List<CheckedKey> several = several();
        return Request.get("get", several.isEmpty() ? List.of(key) : several);
      }
      case 4, 5, 6 -> {
        return set(key, length());
      }
      case 7 -> {
        String value = key.next(length());
        if (held == null) {
          key.writes(value);
        }
        return Request.store(
            storage("add", key, value),
            key,
            Set.of(held == null ? "STORED" : "NOT_STORED"),
            Set.of("STORED", "NOT_STORED"));
      }
      case 8 -> {
        key.writes(null);
        return Request.line(
            "delete " + key.name() + "\r\n",
            key,
            true,
            Set.of(held == null ? "NOT_FOUND" : "DELETED"),
            Set.of("NOT_FOUND", "DELETED"));
      }
      case 9, 10 -> {
        return addition(key, random.nextBoolean());
      }
      case 11 -> {
        return key.rule() == Rule.WARMED ? set(key, length()) : silently(key);
      }
      default -> {
        if (!key.rule().takesAll()) {
          return Request.get("get", List.of(key));
        }
        String command = random.nextBoolean() ? "gat " : "gats ";
        if (removes(key)) {
          return Request.take(command + past(), key);
        }
        if (random.nextBoolean()) {
          return Request.get(command + '0', List.of(key));
        }
        return Request.line(
            "touch " + key.name() + " 0\r\n",
            key,
            false,
            Set.of(held == null ? "NOT_FOUND" : "TOUCHED"),
            Set.of("NOT_FOUND", "TOUCHED"));
      }
    }
  }

  private Request silently(CheckedKey key) {
    String name = key.name();
    String change;
    switch (random.nextInt(key.rule().takesAll() ? 4 : 3)) {
      case 0 -> {
        key.writes(null);
        change = "delete " + name + " noreply\r\n";
      }
      case 1 -> {
        String addition = key.addition(true, additionLength());
        change = "append %s 0 0 %d noreply\r\n%s\r\n".formatted(name, addition.length(), addition);
      }
      case 2 -> {
        String value = key.next(length());
        key.writes(value);
        change = storage("set", key, value).replaceFirst("\r\n", " noreply\r\n");
      }
      default -> change = "incr " + name + " 1 noreply\r\n"; // no number: the server refuses it
    }
    return Request.silently(change, key, this::mayFailSilently);
  }

  private boolean mayFailSilently() {
    return world.isExcused() || world.excuses().isAnyFlooded();
  }

  /** Whether a read that sets a time to live removes the item. */
  private boolean removes(CheckedKey key) {
    return key.mayExpire() && random.nextInt(4) == 0;
  }

  private int past() {
    return random.nextBoolean() ? -1 : Journal.PAST;
  }

  // Some of its keys whose values are known. Others are not filled.
  private List<CheckedKey> several() {
    List<CheckedKey> several = new ArrayList<>();
    for (CheckedKey one : keys) {
      if (one.isCertain() && one.rule() != Rule.WARMED && random.nextBoolean()) {
        several.add(one);
      }
    }
    return several;
  }

  private Request addition(CheckedKey key, boolean append) {
    boolean held = key.value() != null;
    String addition = key.addition(append, additionLength());
    String line = (append ? "append " : "prepend ") + key.name() + " 0 0 " + addition.length();
    return Request.add(
        line + "\r\n" + addition + "\r\n",
        key,
        addition,
        Set.of(held ? "STORED" : "NOT_STORED"),
        Set.of("STORED", "NOT_STORED"));
  }

  private int additionLength() {
    return random.nextInt(20) == 0 ? random.nextInt(1_000, 4_000) : random.nextInt(5, 40);
  }

  private static Request set(CheckedKey key, int length) {
    String value = key.next(length);
    key.writes(value);
    return Request.store(storage("set", key, value), key, Set.of("STORED"), Set.of("STORED"));
  }

  private static String storage(String command, CheckedKey key, String value) {
    String line = command + " " + key.name() + " " + key.flags() + " 0 " + value.length();
    return line + "\r\n" + value + "\r\n";
  }

  private Request metaRequest(CheckedKey key) {
    @Nullable String held = key.value();
    String token = Integer.toString(++opaque);
    boolean all = key.rule().takesAll();
    boolean encoded = random.nextInt(4) == 0;
    String name = encoded ? key.encoded() : key.name();
    String flag = encoded ? " b" : "";
    switch (random.nextInt(9)) {
      case 0, 1, 2 -> {
        return Request.metaGet(key, name + flag, "", token);
      }
      case 7 -> {
        return key.rule() == Rule.WARMED
            ? Request.metaGet(key, name + flag, "", token)
            : quiet(key, token);
      }
      case 5 -> {
        return removes(key)
            ? Request.metaTake(key, name + flag, " T" + past(), token)
            : Request.metaGet(key, name + flag, all ? " T0" : "", token);
      }
      case 6 -> {
        return metaAddition(key, held != null, token);
      }
      case 3, 4 -> {
        String value = key.next(length());
        key.writes(value);
        String flags = flag + " F" + key.flags() + " O" + token;
        String line = "ms " + name + " " + value.length() + flags + "\r\n";
        Set<String> done = Set.of("HD O" + token);
        return Request.store(line + value + "\r\n", key, done, done);
      }
      default -> {
        key.writes(null);
        return Request.line(
            "md " + name + flag + " O" + token + "\r\n",
            key,
            true,
            Set.of((held == null ? "NF O" : "HD O") + token),
            Set.of("NF O" + token, "HD O" + token));
      }
    }
  }

  private Request quiet(CheckedKey key, String token) {
    List<CheckedKey> all = new ArrayList<>(List.of(key));
    several().stream().filter(other -> other != key).forEach(all::add);
    return QuietRequest.of(all, random.nextBoolean() ? length() : 0, token + '0');
  }

  private Request metaAddition(CheckedKey key, boolean held, String token) {
    boolean append = random.nextBoolean();
    String addition = key.addition(append, additionLength());
    String flags = (append ? " MA O" : " MP O") + token;
    String text = "ms " + key.name() + " " + addition.length() + flags + "\r\n" + addition + "\r\n";
    return Request.add(
        text,
        key,
        addition,
        Set.of((held ? "HD O" : "NS O") + token),
        Set.of("HD O" + token, "NS O" + token));
  }
}
