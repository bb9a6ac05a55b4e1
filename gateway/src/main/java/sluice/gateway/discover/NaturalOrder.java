package sluice.gateway.discover;

/**
 * Order of text with numbers by value: {@code pod-9} comes before {@code pod-10}. The servers of a
 * growing group are thus added at its end, which suits distributions that use the index.
 */
final class NaturalOrder {
  private NaturalOrder() {}

  static int compare(String one, String other) {
    int i = 0;
    int j = 0;
    while (i < one.length() && j < other.length()) {
      int iEnd = digits(one, i);
      int jEnd = digits(other, j);
      int order =
          iEnd > i && jEnd > j
              ? compareNumbers(one.substring(i, iEnd), other.substring(j, jEnd))
              : Character.compare(one.charAt(i), other.charAt(j));
      if (order != 0) {
        return order;
      }
      i = Math.max(i + 1, iEnd);
      j = Math.max(j + 1, jEnd);
    }
    int rest = Integer.compare(one.length() - i, other.length() - j);
    return rest != 0 ? rest : one.compareTo(other); // 01 and 1 are different texts
  }

  private static int digits(String text, int from) {
    int end = from;
    while (end < text.length() && '0' <= text.charAt(end) && text.charAt(end) <= '9') {
      end++;
    }
    return end;
  }

  private static int compareNumbers(String one, String other) {
    String a = one.replaceFirst("^0+", "");
    String b = other.replaceFirst("^0+", "");
    return a.length() != b.length() ? Integer.compare(a.length(), b.length()) : a.compareTo(b);
  }
}
