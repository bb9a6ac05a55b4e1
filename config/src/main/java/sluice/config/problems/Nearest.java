package sluice.config.problems;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** Suggestions for misspelt words. */
public final class Nearest {
  private static final int LONGEST = 64;

  private Nearest() {}

  /**
   * The candidate with the fewest edits; empty if even that one needs edits of more than a third of
   * its letters.
   */
  public static Optional<String> to(String word, Collection<String> candidates) {
    if (word.length() > LONGEST) {
      return Optional.empty();
    }
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
