package sluice.perf.simulation.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Values of one key that several clients write and read.
 *
 * <p>A reply may show a value if its write had begun, and if no other change can have been between
 * the two: none that began after the write was carried out, and was carried out before the request
 * began. The reply to a change, and a read that finds its value, tell by when it was carried out. A
 * change that failed may be carried out at any later time.
 */
public final class ValueHistory {
  private static final int MOST_SHOWN = 60;

  /** Change of the value. */
  public static final class Change extends Step {
    private final @Nullable String value; // null: it deletes
    private final long flags;
    private long unique; // the cas unique of its item; 0 until a read has shown it
    private @Nullable Change swap; // the cas that compared with it and succeeded

    private Change(Object client, int number, long now, @Nullable String value, long flags) {
      super(client, number, now);
      this.value = value;
      this.flags = flags;
    }

    @Override
    public String toString() {
      return (value == null ? "a delete" : "a write of " + cut(value)) + ", " + super.toString();
    }
  }

  private final Promise promise;
  private final boolean mayMiss;
  private final List<Change> changes = new ArrayList<>();
  private final Map<String, Change> writes = new HashMap<>(); // by value
  private @Nullable Change known; // the last one whose cas unique was shown
  private int steps;

  /**
   * A key that was never used.
   *
   * @param mayMiss whether a change at the same time can make a read miss
   */
  public ValueHistory(Promise promise, boolean mayMiss) {
    this.promise = promise;
    this.mayMiss = mayMiss;
    Change nothing = new Change(this, 0, Long.MIN_VALUE, null, 0);
    nothing.done(Long.MIN_VALUE);
    changes.add(nothing);
  }

  /** A client sends a write. No two have the same value. */
  public Change write(Object client, long now, String value, long flags) {
    Change write = new Change(client, ++steps, now, value, flags);
    writes.put(value, write);
    changes.add(write);
    return write;
  }

  /** A client sends a delete. */
  public Change delete(Object client, long now) {
    Change delete = new Change(client, ++steps, now, null, 0);
    changes.add(delete);
    return delete;
  }

  /** A client sends a request that changes nothing. */
  public Step read(Object client, long now) {
    return new Step(client, ++steps, now);
  }

  /** The number of changes. */
  public int size() {
    return changes.size();
  }

  /** The number of changes that failed. */
  public long failures() {
    return changes.stream().filter(Step::isFailed).count();
  }

  /**
   * Judges a value that a reply shows, if other servers than the key's may have answered.
   *
   * @return what is wrong; null if nothing is
   */
  public @Nullable String judgeAny(String found, long flags) {
    Change write = writes.get(found);
    if (write == null) {
      return "found " + cut(found) + ", which no client wrote there";
    }
    return write.flags == flags ? null : "found flags " + flags + ", expected " + write.flags;
  }

  /** Judges a value that the reply to a request shows now. */
  public @Nullable String judgeValue(Step request, String found, long flags, long now) {
    String wrong = judgeAny(found, flags);
    Change write = writes.get(found);
    if (wrong != null || write == null) {
      return wrong;
    }
    if (write.isRefused()) {
      return "found what was refused: " + write;
    }
    Change next = next(write, request);
    if (next != null) {
      return "found what was replaced: " + write + "; by " + next + "; the request: " + request;
    }
    shown(write, now);
    return null;
  }

  /** Judges a reply that says that there is no value. */
  public @Nullable String judgeNothing(Step request, long now) {
    int candidates = 0;
    Change one = null;
    for (Change change : changes) {
      if (change.value == null && change != request && next(change, request) == null) {
        candidates++;
        one = change;
      }
    }
    if (mayMiss && changes.stream().anyMatch(change -> isAtOnce(change, request))) {
      return null;
    }
    if (one == null) {
      return "found nothing, expected a value; the request: " + request;
    }
    if (candidates == 1) {
      shown(one, now);
    }
    return null;
  }

  private static boolean isAtOnce(Change change, Step request) {
    return change != request && change.value != null && !change.isBefore(request);
  }

  /** Judges a reply that says that there is a value, and not which one. */
  public @Nullable String judgeSomething(Step request) {
    for (Change change : changes) {
      boolean stores = change.value != null && change != request && !change.isRefused();
      if (stores && next(change, request) == null) {
        return null;
      }
    }
    return "found a value, expected nothing; the request: " + request;
  }

  /** Judges the cas unique of a value that a reply shows. */
  public @Nullable String judgeUnique(String found, long unique) {
    Change write = writes.get(found);
    if (write == null || promise == Promise.ANSWERED) {
      return null; // each pool has its own
    }
    for (Change other : changes) {
      if (other != write && other.unique == unique) {
        return "found cas unique " + unique + " of another value: " + write + "; " + other;
      }
    }
    if (write.unique != 0 && write.unique != unique) {
      return "found cas unique " + unique + ", and before " + write.unique + ": " + write;
    }
    write.unique = unique;
    known = write;
    return null;
  }

  /** The write whose cas unique was shown last; null for none. */
  public @Nullable Change known() {
    return known;
  }

  /** The cas unique that reads have shown of a write. */
  public static long unique(Change write) {
    return write.unique;
  }

  /** Judges the success of a cas that compared with the unique of another write. */
  public @Nullable String judgeSwapped(Change cas, Change compared) {
    Change next = next(compared, cas);
    if (next == null) {
      next = compared.swap;
    }
    if (next != null) {
      return "a cas succeeded although " + compared + " was replaced by " + next + ": " + cas;
    }
    compared.swap = cas;
    return null;
  }

  /** Judges the refusal of a cas because the item has another unique. */
  public @Nullable String judgeStale(Change cas, Change compared) {
    for (Change change : changes) {
      boolean stores = change.value != null && !change.isRefused();
      if (stores && change != cas && change != compared && !change.isBefore(compared)) {
        return null;
      }
    }
    return "a cas was refused although nothing can have replaced " + compared + ": " + cas;
  }

  // A change that was carried out after the other one, and before the request could be.
  private @Nullable Change next(Change change, Step request) {
    for (Change next : changes) {
      if (next != change && next != request && change.isBefore(next) && next.isBefore(request)) {
        return next;
      }
    }
    return null;
  }

  private void shown(Change change, long now) {
    boolean stays =
        switch (promise) {
          case ORDER -> true;
          case ORDER_UNLESS_FAILED -> !change.isFailed();
          case ANSWERED -> false;
        };
    if (stays) {
      change.shown(now);
    }
  }

  private static String cut(String text) {
    return text.substring(0, Math.min(MOST_SHOWN, text.length()));
  }
}
