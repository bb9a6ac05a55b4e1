package sluice.perf.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Request of a checked client, and how its reply is judged. */
abstract class Request {
  /** The reply is not complete. */
  static final String INCOMPLETE = "incomplete";

  /** The reply is right. */
  static final String FINE = "";

  private final String text;
  private final List<CheckedKey> keys;
  private final boolean writes;
  private @Nullable String error; // what its reply said; null unless that was an error

  /**
   * @param text its bytes
   * @param writes whether it changes its keys
   */
  Request(String text, List<CheckedKey> keys, boolean writes) {
    this.text = text;
    this.keys = keys;
    this.writes = writes;
  }

  String text() {
    return text;
  }

  /** Its first line, for messages. */
  String line() {
    int end = text.indexOf('\r');
    return end < 0 ? text : text.substring(0, end);
  }

  /** The error that the reply told; null for none. */
  @Nullable String error() {
    return error;
  }

  /** Whether its text is a single request. */
  boolean isOne() {
    return true;
  }

  /** Whether a part of its reply may be there before the rest. */
  boolean isRead() {
    return text.startsWith("get") || text.startsWith("gat") || text.startsWith("mg");
  }

  /** Whether it is known what the reply must be. */
  boolean isExact() {
    return keys.stream().allMatch(CheckedKey::isCertain);
  }

  /** It may have been carried out, or may be later. */
  void unknown() {
    if (writes) {
      keys.forEach(CheckedKey::uncertain);
    }
  }

  /**
   * Judges the next reply.
   *
   * @return {@link #FINE}, {@link #INCOMPLETE}, or what is wrong
   */
  abstract String judge(Replies replies);

  /** Whether a line is an error of a server or of the gateway; then the outcome is unknown. */
  final boolean isFailure(String line) {
    if (line.startsWith("SERVER_ERROR ")) {
      error = line;
      unknown();
      return true;
    }
    return false;
  }

  final String unexpected(String line) {
    return "found " + line + " as the reply to " + line();
  }

  /**
   * A get of several keys.
   *
   * @param command with what stands before the keys
   */
  static Request get(String command, List<CheckedKey> keys) {
    return get(command, keys, false);
  }

  /**
   * A get that removes the item that it returns.
   *
   * @param command with a time to live that has passed
   */
  static Request take(String command, CheckedKey key) {
    Request take = get(command, List.of(key), true);
    key.writes(null);
    return take;
  }

  private static Request get(String command, List<CheckedKey> keys, boolean writes) {
    List<@Nullable String> expected = new ArrayList<>();
    int[] changes = keys.stream().mapToInt(CheckedKey::changes).toArray();
    StringBuilder text = new StringBuilder(command);
    for (CheckedKey key : keys) {
      text.append(' ').append(key.name());
      expected.add(key.value());
    }
    int words = command.startsWith("gets") || command.startsWith("gats") ? 5 : 4;
    return new Request(text.append("\r\n").toString(), keys, writes) {
      @Override
      String judge(Replies replies) {
        String[] found = new String[keys.size()];
        long[] flags = new long[keys.size()];
        int next = 0;
        while (true) {
          String line = replies.line();
          if (line == null) {
            return INCOMPLETE;
          }
          if (isFailure(line)) {
            return FINE;
          }
          if (line.equals("END")) {
            break;
          }
          String[] told = line.split(" ");
          if (!told[0].equals("VALUE") || told.length != words) {
            return unexpected(line);
          }
          while (next < found.length && !keys.get(next).name().equals(told[1])) {
            next++;
          }
          if (next == found.length) {
            return unexpected(line);
          }
          String value = replies.value(Integer.parseInt(told[3]));
          if (value == null) {
            return INCOMPLETE;
          }
          flags[next] = Long.parseLong(told[2]);
          found[next++] = value;
        }
        for (int i = 0; i < found.length; i++) {
          String wrong = keys.get(i).judge(expected.get(i), changes[i], found[i], flags[i]);
          if (wrong != null) {
            return wrong + " (" + line() + ")";
          }
        }
        return FINE;
      }
    };
  }

  /**
   * A change that has no reply, and a get behind it, which shows what the change has made.
   *
   * @param change its text
   * @param mayFail whether a fault may have prevented it, which nothing tells
   */
  static Request silently(String change, CheckedKey key, BooleanSupplier mayFail) {
    Request get = get("get", List.of(key));
    return new Request(change + get.text(), List.of(key), true) {
      @Override
      @Nullable String error() {
        return get.error();
      }

      @Override
      boolean isOne() {
        return false;
      }

      @Override
      boolean isRead() {
        return true;
      }

      @Override
      String judge(Replies replies) {
        if (mayFail.getAsBoolean()) {
          unknown();
        }
        String verdict = get.judge(replies);
        if (get.error() != null) {
          unknown();
        }
        return verdict;
      }
    };
  }

  /** A request whose reply is one line. */
  static Request line(
      String text, CheckedKey key, boolean writes, Set<String> certain, Set<String> any) {
    return new Request(text, List.of(key), writes) {
      @Override
      String judge(Replies replies) {
        String line = replies.line();
        if (line == null) {
          return INCOMPLETE;
        }
        if (isFailure(line)) {
          return FINE;
        }
        Set<String> allowed = key.isCertain() ? certain : any;
        return allowed.contains(line) ? FINE : unexpected(line);
      }
    };
  }

  /** A write of the key's next value. If it succeeds, a server has carried it out. */
  static Request store(String text, CheckedKey key, Set<String> certain, Set<String> any) {
    long flags = key.flags();
    return new Request(text, List.of(key), true) {
      @Override
      String judge(Replies replies) {
        String line = replies.line();
        if (line == null) {
          return INCOMPLETE;
        }
        if (isFailure(line)) {
          return FINE;
        }
        Set<String> allowed = key.isCertain() ? certain : any;
        if (!allowed.contains(line)) {
          return unexpected(line);
        }
        boolean stored = !line.startsWith("NOT_");
        return stored && !key.mayHold(flags) ? "no server has carried out " + line() : FINE;
      }
    };
  }

  /** A request that appends or prepends. If it succeeds, a server has carried it out. */
  static Request add(
      String text, CheckedKey key, String addition, Set<String> certain, Set<String> any) {
    return new Request(text, List.of(key), true) {
      @Override
      String judge(Replies replies) {
        String line = replies.line();
        if (line == null) {
          return INCOMPLETE;
        }
        if (isFailure(line)) {
          return FINE;
        }
        Set<String> allowed = key.isCertain() ? certain : any;
        if (!allowed.contains(line)) {
          return unexpected(line);
        }
        boolean added = !line.startsWith("N"); // NOT_STORED, NS
        return added && !key.mayHold(addition) ? "no server has carried out " + line() : FINE;
      }
    };
  }

  /**
   * A meta get of one key, with its value, flags, key and an opaque.
   *
   * @param name of the key, with a flag if it is in base64
   * @param more a further flag; empty for none
   */
  static Request metaGet(CheckedKey key, String name, String more, String opaque) {
    return metaGet(key, name, more, opaque, false);
  }

  /**
   * A meta get that removes the item that it returns.
   *
   * @param more a time to live that has passed
   */
  static Request metaTake(CheckedKey key, String name, String more, String opaque) {
    Request take = metaGet(key, name, more, opaque, true);
    key.writes(null);
    return take;
  }

  private static Request metaGet(
      CheckedKey key, String name, String more, String opaque, boolean writes) {
    String expected = key.value();
    int changes = key.changes();
    Pattern ofMiss = Pattern.compile("EN(?:" + key.repeated() + " O" + opaque + ")?");
    Pattern ofHit = Pattern.compile("VA ([0-9]+)" + key.repeated() + " f([0-9]+) O" + opaque);
    return new Request(
        "mg " + name + " k f v" + more + " O" + opaque + "\r\n", List.of(key), writes) {
      @Override
      String judge(Replies replies) {
        String line = replies.line();
        if (line == null) {
          return INCOMPLETE;
        }
        if (isFailure(line)) {
          return FINE;
        }
        String found = null;
        long flags = 0;
        Matcher hit = ofHit.matcher(line);
        if (hit.matches()) {
          found = replies.value(Integer.parseInt(hit.group(1)));
          if (found == null) {
            return INCOMPLETE;
          }
          flags = Long.parseLong(hit.group(2));
        } else if (!ofMiss.matcher(line).matches()) {
          return unexpected(line);
        }
        String wrong = key.judge(expected, changes, found, flags);
        return wrong == null ? FINE : wrong + " (" + line() + ")";
      }
    };
  }
}
