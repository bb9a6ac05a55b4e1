package sluice.config.problems;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Suggestions for misspelt words. */
public final class Nearest {
  private static final int LONGEST = 64;
  private static final int LEAST_BEGINNING = 3;
  private static final int MOST_LISTED = 12;

  private Nearest() {}

  /**
   * A question that offers the nearest candidate, with a space before it; empty if none is near.
   */
  public static String question(String word, Collection<String> candidates) {
    return question(to(word, candidates));
  }

  /** A question that offers a suggestion, with a space before it; empty without one. */
  public static String question(Optional<String> suggestion) {
    return suggestion.map(text -> " (did you mean " + text + "?)").orElse("");
  }

  /** The names that exist, if they are few, and the nearest one; follows an expectation. */
  public static String among(String word, Collection<String> names) {
    String listed =
        names.isEmpty() || names.size() > MOST_LISTED ? "" : ": " + String.join(", ", names);
    return listed + question(word, names);
  }

  /**
   * The candidate that differs only in case, separators, and singular or plural. Else the one with
   * the fewest edits, if these are at most a third of its letters. Else the only one that begins
   * with the word. Empty if there is none of these.
   */
  public static Optional<String> to(String word, Collection<String> candidates) {
    if (word.length() > LONGEST) {
      return Optional.empty();
    }
    Optional<String> same =
        candidates.stream().filter(each -> letters(each).equals(letters(word))).findFirst();
    Optional<String> sameWord =
        candidates.stream().filter(each -> singular(each).equals(singular(word))).findFirst();
    return same.or(() -> sameWord)
        .or(() -> fewestEdits(word, candidates))
        .or(() -> beginning(word, candidates));
  }

  private static String letters(String word) {
    return word.toLowerCase(Locale.ROOT).replaceAll("[-_. ]", "");
  }

  private static String singular(String word) {
    return letters(word).replaceFirst("ies$", "y").replaceFirst("s$", "");
  }

  private static Optional<String> beginning(String word, Collection<String> candidates) {
    List<String> longer =
        letters(word).length() < LEAST_BEGINNING
            ? List.of()
            : candidates.stream().filter(each -> letters(each).startsWith(letters(word))).toList();
    return longer.size() == 1 ? Optional.of(longer.get(0)) : Optional.empty();
  }

  private static Optional<String> fewestEdits(String word, Collection<String> candidates) {
    Optional<String> nearest = Optional.empty();
    int fewest = Integer.MAX_VALUE;
    for (String candidate : candidates) {
      int edits = edits(word.toLowerCase(Locale.ROOT), candidate.toLowerCase(Locale.ROOT));
      if (edits < Math.min(fewest, candidate.length())
          && edits <= Math.max(1, candidate.length() / 3)) {
        fewest = edits;
        nearest = Optional.of(candidate);
      }
    }
    return nearest;
  }

  /**
   * Insertions, deletions, replacements, and swaps of neighbours: the optimal string alignment
   * distance.
   */
  private static int edits(String a, String b) {
    int[][] d = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          d[i][j] = i + j;
          continue;
        }
        int replace = d[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        d[i][j] = Math.min(replace, 1 + Math.min(d[i - 1][j], d[i][j - 1]));
        boolean swapped =
            i > 1
                && j > 1
                && a.charAt(i - 1) == b.charAt(j - 2)
                && a.charAt(i - 2) == b.charAt(j - 1);
        if (swapped) {
          d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
        }
      }
    }
    return d[a.length()][b.length()];
  }
}
