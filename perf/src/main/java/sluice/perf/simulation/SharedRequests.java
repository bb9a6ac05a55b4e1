package sluice.perf.simulation;

import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import sluice.perf.simulation.history.ValueHistory;
import sluice.perf.simulation.history.ValueHistory.Change;

/** Valid requests of a client to keys that others use, too. */
final class SharedRequests {
  private final SharedKeys keys;
  private final String gateway;
  private final boolean meta;
  private final RandomGenerator random;
  private final int eighths; // of the client's requests
  private int opaque;

  /**
   * Requests by one client.
   *
   * @param gateway its host
   * @param meta whether most of them are meta requests
   */
  SharedRequests(SharedKeys keys, String gateway, boolean meta, RandomGenerator random) {
    this.keys = keys;
    this.gateway = gateway;
    this.meta = meta;
    this.random = random;
    eighths = random.nextInt(3) * 3;
  }

  /** Whether the client's next request is one of them. */
  boolean isNext() {
    return random.nextInt(8) < eighths;
  }

  /** Any request. */
  Request next() {
    SharedCounter counter = random.nextInt(4) == 0 ? keys.counter(gateway, random) : null;
    if (counter != null && counter.isNew()) {
      return CounterRequest.begin(counter);
    }
    if (counter != null && counter.isReady()) {
      return request(counter);
    }
    return request(keys.key(gateway, random));
  }

  /** Any request to a key. */
  Request request(SharedKey key) {
    return meta && random.nextInt(3) > 0 ? metaRequest(key) : classicRequest(key);
  }

  /** A read of a key. */
  Request read(SharedKey key) {
    return meta
        ? SharedRequest.metaGet(key, key.read(this), "", Integer.toString(++opaque))
        : get(key, "get");
  }

  /** A read of a key that near caches do not answer: it asks for the time to live, too. */
  Request readPast(SharedKey key) {
    return SharedRequest.metaGet(key, key.read(this), " t", Integer.toString(++opaque));
  }

  /** A write of a key. */
  Request write(SharedKey key) {
    return meta ? metaWrite(key, "", Integer.toString(++opaque)) : write("set", key);
  }

  /** Any request to a number that there is. */
  Request request(SharedCounter counter) {
    if (random.nextInt(3) == 0) {
      return CounterRequest.get(counter, counter.read(this));
    }
    return meta
        ? CounterRequest.metaCount(counter, counter.count(this), Integer.toString(++opaque))
        : CounterRequest.count(counter, counter.count(this));
  }

  private int length() {
    return random.nextInt(12) == 0 ? random.nextInt(1_000, 8_000) : random.nextInt(10, 200);
  }

  private Request classicRequest(SharedKey key) {
    switch (random.nextInt(12)) {
      case 0, 1 -> {
        return get(key, "get");
      }
      case 2, 3 -> {
        return get(key, key.rule().takesAll() ? "gets" : "get");
      }
      case 4, 5 -> {
        return write("set", key);
      }
      case 6 -> {
        return write(key.rule().decidesAlone() ? "add" : "set", key);
      }
      case 7 -> {
        String text = "delete " + key.name() + "\r\n";
        return SharedRequest.delete(text, key, key.delete(this), "");
      }
      case 8 -> {
        return get(key, key.rule().takesAll() ? "gat 0" : "get");
      }
      case 9, 10 -> {
        return write("cas", key);
      }
      default -> {
        return key.rule().takesAll()
            ? SharedRequest.touch("touch " + key.name() + " 0\r\n", key, key.read(this))
            : get(key, "get");
      }
    }
  }

  private Request get(SharedKey key, String command) {
    return SharedRequest.get(command, key, key.read(this));
  }

  private Request write(String command, SharedKey key) {
    @Nullable Change compared = compared(key);
    if (command.equals("cas") && compared == null) {
      return get(key, key.rule().takesAll() ? "gets" : "get");
    }
    String value = key.next(length());
    Change write = key.write(this, value);
    String line = command + " " + key.name() + " " + key.flags() + " 0 " + value.length();
    String block = "\r\n" + value + "\r\n";
    if (command.equals("cas") && compared != null) {
      String text = line + " " + ValueHistory.unique(compared) + block;
      return SharedRequest.cas(text, key, write, compared, "");
    }
    String text = line + block;
    return command.equals("set")
        ? SharedRequest.set(text, key, write, "")
        : SharedRequest.add(text, key, write, "");
  }

  // The write that a cas compares with; null if there is none yet, or pools have their own uniques.
  private static @Nullable Change compared(SharedKey key) {
    return key.rule().decidesAlone() ? key.history().known() : null;
  }

  private Request metaRequest(SharedKey key) {
    String token = Integer.toString(++opaque);
    boolean all = key.rule().takesAll();
    switch (random.nextInt(10)) {
      case 0, 1 -> {
        return SharedRequest.metaGet(key, key.read(this), "", token);
      }
      case 2 -> {
        return SharedRequest.metaGet(key, key.read(this), all ? " c" : "", token);
      }
      case 3 -> {
        return SharedRequest.metaGet(key, key.read(this), all ? " T0" : "", token);
      }
      case 4, 5 -> {
        return metaWrite(key, "", token);
      }
      case 6 -> {
        return metaWrite(key, key.rule().decidesAlone() ? " ME" : "", token);
      }
      case 7, 8 -> {
        Change compared = compared(key);
        return compared == null
            ? SharedRequest.metaGet(key, key.read(this), all ? " c" : "", token)
            : metaCas(key, compared, token);
      }
      default -> {
        String text = "md " + metaName(key, " O" + token) + "\r\n";
        return SharedRequest.delete(text, key, key.delete(this), token);
      }
    }
  }

  private Request metaWrite(SharedKey key, String mode, String token) {
    String value = key.next(length());
    Change write = key.write(this, value);
    String flags = " F" + key.flags() + mode + " O" + token;
    String line = "ms " + metaName(key, " " + value.length() + flags);
    String text = line + "\r\n" + value + "\r\n";
    return mode.isEmpty()
        ? SharedRequest.set(text, key, write, token)
        : SharedRequest.add(text, key, write, token);
  }

  // The name of a key that is changed, and the rest of the line: near caches must know it in
  // base64.
  private String metaName(SharedKey key, String rest) {
    return random.nextInt(3) == 0 ? key.encoded() + rest + " b" : key.name() + rest;
  }

  private Request metaCas(SharedKey key, Change compared, String token) {
    String value = key.next(length());
    Change write = key.write(this, value);
    String flags = " F" + key.flags() + " C" + ValueHistory.unique(compared) + " O" + token;
    String text = "ms " + key.name() + " " + value.length() + flags + "\r\n" + value + "\r\n";
    return SharedRequest.cas(text, key, write, compared, token);
  }
}
