package sluice.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

/**
 * The replies of a memcached server where the value of each key is the key. What is no request, or
 * stores another value, fails the test: some of it was another's.
 */
final class MemcachedAnswers {
  private final String asked;
  private final StringBuilder answers = new StringBuilder();
  private int at;

  private MemcachedAnswers(String asked) {
    this.asked = asked;
  }

  /** The replies to whole requests, classic and meta. */
  static String to(String asked) {
    MemcachedAnswers all = new MemcachedAnswers(asked);
    while (all.at < asked.length()) {
      all.answerOne();
    }
    return all.answers.toString();
  }

  private String line() {
    int end = asked.indexOf("\r\n", at);
    assertThat(end).as("the end of a line of <%s>", asked).isNotNegative();
    String line = asked.substring(at, end);
    at = end + 2;
    return line;
  }

  private void block(String key, int length) {
    // The key, again and again.
    String value = key.repeat(length / key.length() + 1).substring(0, length);
    assertThat(length).isGreaterThanOrEqualTo(key.length());
    assertThat(asked.substring(at)).as("value of %s", key).startsWith(value + "\r\n");
    at += length + 2;
  }

  private void answerOne() {
    String[] words = line().split(" ");
    switch (words[0]) {
      case "get", "gets" -> {
        String unique = words[0].equals("gets") ? " 1" : "";
        for (int i = 1; i < words.length; i++) {
          line("VALUE " + words[i] + " 0 " + words[i].length() + unique);
          line(words[i]);
        }
        line("END");
      }
      case "set" -> {
        block(words[1], Integer.parseInt(words[4]));
        line("STORED");
      }
      case "delete" -> line("DELETED");
      case "flush_all" -> line("OK");
      case "version" -> line("VERSION 1.6.45");
      case "incr" -> line(words[2]);
      case "mg" -> {
        boolean value = List.of(words).contains("v");
        line((value ? "VA " + words[1].length() : "HD") + flags(words, 2));
        if (value) {
          line(words[1]);
        }
      }
      case "ms" -> {
        block(words[1], Integer.parseInt(words[2]));
        line("HD" + flags(words, 3));
      }
      case "md" -> line("HD" + flags(words, 2));
      default -> throw new AssertionError("no request: " + String.join(" ", words));
    }
  }

  private void line(String text) {
    answers.append(text).append("\r\n");
  }

  /** The flags that a meta reply repeats or fills in. */
  private static String flags(String[] words, int first) {
    StringBuilder flags = new StringBuilder();
    for (int i = first; i < words.length; i++) {
      switch (words[i].charAt(0)) {
        case 'O' -> flags.append(' ').append(words[i]);
        case 'k' -> flags.append(" k").append(words[1]);
        case 'f' -> flags.append(" f0");
        case 'c' -> flags.append(" c1");
        case 't' -> flags.append(" t-1");
        case 's' -> flags.append(" s").append(words[1].length());
        default -> {} // is not repeated
      }
    }
    return flags.toString();
  }
}
