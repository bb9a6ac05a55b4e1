package sluice.perf.simulation;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Request of a client to keys with a {@link Limit}, and how its reply is judged. */
abstract class LimitedRequest {
  /** The reply is not complete. */
  static final String INCOMPLETE = Request.INCOMPLETE;

  /** The reply is right. */
  static final String FINE = Request.FINE;

  /** What a gateway tells that knows no reason, because its server is asked in another dialect. */
  private static final String NO_REASON = "SERVER_ERROR the server failed";

  private static final Pattern VALUE = Pattern.compile("VALUE ([^ ]+) ([0-9]+) ([0-9]+)");
  private static final Pattern META_VALUE = Pattern.compile("VA ([0-9]+) f([0-9]+)");

  private final String text;
  private final List<OrderedKey> keys;
  private final boolean writes;
  private final Map<Bucket, Bucket.Taking> takings = new LinkedHashMap<>();
  private @Nullable String error;
  private boolean overLimit;

  private LimitedRequest(String text, List<OrderedKey> keys, boolean writes) {
    this.text = text;
    this.keys = keys;
    this.writes = writes;
  }

  final String text() {
    return text;
  }

  /** Its first line, for messages. */
  final String line() {
    return text.substring(0, text.indexOf('\r'));
  }

  final boolean reads() {
    return !writes;
  }

  /** Whether it has no reply. */
  boolean isSilent() {
    return false;
  }

  /** The error that its reply told, other than that of a limit; null for none. */
  final @Nullable String error() {
    return error;
  }

  /** Whether a limit of another gateway may be the cause of its error. */
  final boolean mayBeRejected() {
    return !takings.isEmpty() && NO_REASON.equals(error);
  }

  /** Whether its reply told that it was rejected. */
  final boolean isRejected() {
    return overLimit;
  }

  /** Whether it is known what the reply must be, if it is not rejected. */
  final boolean isExact() {
    return keys.stream().allMatch(OrderedKey::isKnown);
  }

  /**
   * It is sent, and needs something of these buckets.
   *
   * @param relayed whether another gateway passes it on
   */
  final void begins(Object client, List<Bucket> buckets, boolean relayed, long now) {
    for (Bucket bucket : buckets) {
      String prefix = bucket.limit().prefix();
      int needs = (int) keys.stream().filter(key -> key.name().startsWith(prefix)).count();
      if (needs > 0) {
        takings.put(bucket, bucket.begins(client, needs, relayed, now));
      }
    }
  }

  /**
   * It is not known whether it was rejected, nor what it did.
   *
   * @param until it was decided by then
   */
  final void unknown(long until) {
    takings.forEach((bucket, taking) -> bucket.unknown(taking, until));
    if (writes) {
      keys.forEach(OrderedKey::uncertain);
    }
  }

  /** It has no reply: it was carried out, or rejected. */
  void passesSilently() {
    throw new IllegalStateException(text + " has a reply");
  }

  /** A request without a reply was decided by then. */
  final void decidedSilently(long now) {
    takings.forEach((bucket, taking) -> bucket.unknown(taking, now));
  }

  /**
   * Judges the next reply.
   *
   * @return {@link #FINE}, {@link #INCOMPLETE}, or what is wrong
   */
  final String judge(Replies replies, long now) {
    String line = replies.line();
    if (line == null) {
      return INCOMPLETE;
    }
    if (line.startsWith("SERVER_ERROR over the limit of ")) {
      return judgeRejected(line, now);
    }
    if (line.startsWith("SERVER_ERROR ")) {
      error = line;
      unknown(now);
      return FINE;
    }
    String verdict = judge(line, replies);
    if (verdict.equals(FINE)) {
      verdict = judgePassed(now);
    }
    return verdict;
  }

  private String judgePassed(long now) {
    for (Map.Entry<Bucket, Bucket.Taking> needed : takings.entrySet()) {
      String wrong = needed.getKey().passed(needed.getValue(), now);
      if (wrong != null) {
        return wrong + " (" + line() + ")";
      }
    }
    return FINE;
  }

  private String judgeRejected(String told, long now) {
    overLimit = true;
    boolean known = false;
    String verdict = rejected();
    for (Map.Entry<Bucket, Bucket.Taking> needed : takings.entrySet()) {
      Bucket bucket = needed.getKey();
      if (!bucket.limit().error().equals(told)) {
        bucket.untouched(needed.getValue());
        continue;
      }
      known = true;
      String wrong = bucket.rejected(needed.getValue(), now);
      if (wrong != null) {
        verdict = wrong + " (" + line() + ")";
      }
    }
    return known ? verdict : unexpected(told);
  }

  /** It was rejected; returns {@link #FINE}, or why it cannot have been. */
  String rejected() {
    return FINE;
  }

  /** Judges a reply that begins with a line, which is no error. */
  abstract String judge(String line, Replies replies);

  final String unexpected(String line) {
    return "found " + line + " as the reply to " + line();
  }

  final String verdict(@Nullable String wrong) {
    return wrong == null ? FINE : wrong + " (" + line() + ")";
  }

  /** A classic get of some keys. */
  static LimitedRequest get(List<OrderedKey> keys) {
    StringBuilder text = new StringBuilder("get");
    keys.forEach(key -> text.append(' ').append(key.name()));
    return new LimitedRequest(text.append("\r\n").toString(), keys, false) {
      @Override
      String judge(String line, Replies replies) {
        Map<String, OrderedKey.Item> found = new LinkedHashMap<>();
        String next = line;
        while (!next.equals("END")) {
          Matcher hit = VALUE.matcher(next);
          if (!hit.matches()) {
            return unexpected(next);
          }
          String value = replies.value(Integer.parseInt(hit.group(3)));
          if (value == null) {
            return INCOMPLETE;
          }
          found.put(hit.group(1), new OrderedKey.Item(value, Long.parseLong(hit.group(2))));
          next = replies.line();
          if (next == null) {
            return INCOMPLETE;
          }
        }
        for (OrderedKey key : keys) {
          String wrong = key.judge(found.remove(key.name()));
          if (wrong != null) {
            return verdict(wrong);
          }
        }
        return found.isEmpty() ? FINE : verdict("found keys that were not asked for");
      }
    };
  }

  /** A meta get. */
  static LimitedRequest metaGet(OrderedKey key) {
    return new LimitedRequest("mg " + key.name() + " v f\r\n", List.of(key), false) {
      @Override
      String judge(String line, Replies replies) {
        if (line.equals("EN")) {
          return verdict(key.judge(null));
        }
        Matcher hit = META_VALUE.matcher(line);
        if (!hit.matches()) {
          return unexpected(line);
        }
        String value = replies.value(Integer.parseInt(hit.group(1)));
        if (value == null) {
          return INCOMPLETE;
        }
        return verdict(key.judge(new OrderedKey.Item(value, Long.parseLong(hit.group(2)))));
      }
    };
  }

  /** A delete. */
  static LimitedRequest delete(OrderedKey key) {
    return new LimitedRequest("delete " + key.name() + "\r\n", List.of(key), true) {
      @Override
      String judge(String line, Replies replies) {
        if (!Set.of("DELETED", "NOT_FOUND").contains(line)) {
          return unexpected(line);
        }
        String wrong = key.judge(line.equals("DELETED"));
        key.holds(null);
        return verdict(wrong);
      }
    };
  }

  /** A write of the key's next value, by a classic or a meta request. */
  static LimitedRequest set(OrderedKey key, int length, boolean meta) {
    String value = key.next(length);
    OrderedKey.Item item = new OrderedKey.Item(value, key.flags());
    String line =
        meta
            ? "ms " + key.name() + " " + length(value) + " F" + key.flags()
            : "set " + key.name() + " " + key.flags() + " 0 " + length(value);
    return new LimitedRequest(line + "\r\n" + value + "\r\n", List.of(key), true) {
      @Override
      String rejected() {
        return key.isCarriedOut(item.flags())
            ? "a server has carried out what was rejected: " + line()
            : FINE;
      }

      @Override
      String judge(String line, Replies replies) {
        if (!line.equals(meta ? "HD" : "STORED")) {
          return unexpected(line);
        }
        key.holds(item);
        return key.mayHold(item.flags()) ? FINE : "no server has carried out " + line();
      }
    };
  }

  /** The same without a reply. */
  static LimitedRequest setSilently(OrderedKey key, int length) {
    String value = key.next(length);
    OrderedKey.Item item = new OrderedKey.Item(value, key.flags());
    String line = "set " + key.name() + " " + key.flags() + " 0 " + length(value) + " noreply\r\n";
    return new LimitedRequest(line + value + "\r\n", List.of(key), true) {
      @Override
      boolean isSilent() {
        return true;
      }

      @Override
      void passesSilently() {
        key.mayHold(item);
      }

      @Override
      String judge(String found, Replies replies) {
        return unexpected(found);
      }
    };
  }

  private static int length(String value) {
    return value.length();
  }
}
