package sluice.gateway.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * One line with its data, or one packet, of a reply. What two servers rightly tell differently
 * stands apart.
 *
 * @param text the line without its end, or the packet's header and key, {@code #} in place of what
 *     stands apart
 * @param data the value, as ISO 8859-1; null where none belongs to it
 * @param cas the cas uniques in it
 * @param times seconds: times to live, times since an access
 */
record Unit(String text, String data, List<Long> cas, List<Long> times) {
  static final String FENCE = "MN";
  private static final Pattern NUMBER = Pattern.compile("(?!-1$)-?[0-9]+");

  static Unit of(String text) {
    return new Unit(text, null, List.of(), List.of());
  }

  /** How many bytes of data follow a line. */
  static int dataLength(String line) {
    String[] tokens = line.split(" ", -1);
    if (tokens.length >= 4 && tokens[0].equals("VALUE")) {
      return Integer.parseInt(tokens[3]);
    }
    return tokens.length >= 2 && tokens[0].equals("VA") ? Integer.parseInt(tokens[1]) : -1;
  }

  /** A line of a reply, taken apart. */
  static Unit of(String line, String data) {
    String[] tokens = line.split(" ", -1);
    List<Long> cas = new ArrayList<>();
    List<Long> times = new ArrayList<>();
    int first = tokens[0].equals("VA") ? 2 : 1;
    switch (tokens[0]) {
      case "VALUE" -> {
        if (tokens.length == 5) {
          tokens[4] = apart(tokens[4], 0, cas);
        }
      }
      case "HD", "VA", "EN", "NF", "NS", "EX" -> {
        for (int i = first; i < tokens.length; i++) {
          char flag = tokens[i].isEmpty() ? ' ' : tokens[i].charAt(0);
          if (flag == 'c') {
            tokens[i] = apart(tokens[i], 1, cas);
          } else if (flag == 't' || flag == 'l') {
            tokens[i] = apart(tokens[i], 1, times);
          }
        }
      }
      case "ME" -> {
        for (int i = 2; i < tokens.length; i++) {
          if (tokens[i].startsWith("cas=")) {
            tokens[i] = apart(tokens[i], 4, cas);
          } else if (tokens[i].startsWith("exp=") || tokens[i].startsWith("la=")) {
            tokens[i] = apart(tokens[i], tokens[i].indexOf('=') + 1, times);
          }
        }
      }
      default -> {
        // nothing that differs
      }
    }
    return new Unit(String.join(" ", tokens), data, List.copyOf(cas), List.copyOf(times));
  }

  // -1, no time to live at all, is the same everywhere and stays. Some versions tell the time to
  // live negative.
  private static String apart(String token, int from, List<Long> numbers) {
    String number = token.substring(from);
    if (!NUMBER.matcher(number).matches()) {
      return token;
    }
    numbers.add(number.startsWith("-") ? Long.parseLong(number) : Long.parseUnsignedLong(number));
    return token.substring(0, from) + '#';
  }

  Unit withText(String other) {
    return new Unit(other, data, cas, times);
  }

  boolean isFence() {
    return text.equals(FENCE);
  }

  /** Whether it is a line of error. */
  boolean isError() {
    return text.startsWith("ERROR")
        || text.startsWith("CLIENT_ERROR")
        || text.startsWith("SERVER_ERROR");
  }

  /** Whether it is a line of a meta reply that has this token. */
  boolean hasToken(String token) {
    return (' ' + text + ' ').contains(' ' + token + ' ');
  }

  /** Whether a packet has this opaque. */
  boolean hasOpaque(int opaque) {
    return text.startsWith(opaqueText(opaque));
  }

  static String opaqueText(int opaque) {
    return String.format("opaque %08x", opaque);
  }

  @Override
  public String toString() {
    return Escapes.of(text)
        + (data == null ? "" : " \"" + Escapes.of(data) + '"')
        + (cas.isEmpty() ? "" : " cas " + cas)
        + (times.isEmpty() ? "" : " s " + times);
  }
}
