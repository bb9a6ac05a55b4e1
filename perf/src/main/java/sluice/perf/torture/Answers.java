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
   * Takes the answers to a write that went where destination says, out of the journals.
   *
   * @return whether there are as many as it needs; if not, none is taken
   */
  boolean match(Asked asked, Destination destination) {
    return match(asked, destination, 0, new ArrayList<>(destination.pools().size()));
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
      if (other && answer.journal().take(answer.entry())) {
        taken.add(answer);
        if (match(asked, destination, pool + 1, taken)) {
          return true;
        }
        taken.remove(taken.size() - 1).giveBack();
      }
    }
    return match(asked, destination, pool + 1, taken);
  }

  /**
   * The first that was asked for is the first to be tried: what was asked for later may be the
   * answer to the next such write of the same client, which may have done what this one could not.
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

    void giveBack() {
      journal.giveBack(entry);
    }
  }
}
