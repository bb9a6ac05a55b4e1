package sluice.perf.torture;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import sluice.perf.torture.Journal.Asked;

/** Finds what servers said of one write among all that they said. */
final class Answers {
  private final IntFunction<Journal> journals;

  /**
   * @param journals of each server
   */
  Answers(IntFunction<Journal> journals) {
    this.journals = journals;
  }

  /**
   * Takes the answers to a write that went to one of the destinations out of the journals. If
   * several destinations have enough answers, it takes those of the one whose first request is the
   * earliest. The others may be answers to the next such write of the same client.
   *
   * @param destinations those of the settings that may have applied to the write
   * @return whether one of them has enough answers; if not, none is taken
   */
  boolean match(Asked asked, List<Destination> destinations) {
    List<Taken> best = List.of();
    for (Destination destination : destinations) {
      List<Taken> taken = new ArrayList<>(destination.pools().size());
      if (match(asked, destination, 0, taken)) {
        // Put back at once: the next destination may need the same ones.
        taken.forEach(Taken::release);
        if (best.isEmpty() || first(taken) - first(best) < 0) {
          best = taken;
        }
      }
    }
    // The writes of one key belong to one client, whose thread this is: no other takes them.
    best.forEach(Taken::take);
    return !best.isEmpty();
  }

  private static long first(List<Taken> taken) {
    long first = taken.get(0).entry().sent().nanos();
    for (Taken each : taken) {
      long nanos = each.entry().sent().nanos();
      first = nanos - first < 0 ? nanos : first;
    }
    return first;
  }

  /** Looks for the answers of the pools from this one on, whichever of their servers gave them. */
  private boolean match(Asked asked, Destination destination, int pool, List<Taken> taken) {
    int left = destination.pools().size() - pool;
    // No more than are needed: what else there is may be the answer to the next such write.
    if (taken.size() >= destination.needed()
        && taken.stream().anyMatch(each -> each.entry().done())) {
      return true;
    }
    if (left == 0 || taken.size() + left < destination.needed()) {
      return false;
    }
    for (Taken answer : answers(asked, destination, pool)) {
      boolean other = taken.stream().noneMatch(each -> each.isOfSameConnection(answer));
      if (other && answer.take()) {
        taken.add(answer);
        if (match(asked, destination, pool + 1, taken)) {
          return true;
        }
        taken.remove(taken.size() - 1).release();
      }
    }
    return match(asked, destination, pool + 1, taken);
  }

  /**
   * The earliest request is tried first. A later one may be the answer to the next such write of
   * the same client, which may have succeeded where this one failed.
   */
  private List<Taken> answers(Asked asked, Destination destination, int pool) {
    List<Taken> answers = new ArrayList<>();
    for (Destination.Place place : destination.pools().get(pool)) {
      Journal journal = journals.apply(place.server());
      for (Journal.Entry entry : journal.answers(asked, place.key(), destination.ignoredFlags())) {
        answers.add(new Taken(journal, entry));
      }
    }
    answers.sort((a, b) -> Long.signum(a.entry().sent().nanos() - b.entry().sent().nanos()));
    return answers;
  }

  /** An answer in a journal. */
  private record Taken(Journal journal, Journal.Entry entry) {
    /** No two pools have one connection, so that two answers of one are not to one write. */
    boolean isOfSameConnection(Taken other) {
      return entry.connection() == other.entry.connection();
    }

    boolean take() {
      return journal.take(entry);
    }

    void release() {
      journal.release(entry);
    }
  }
}
