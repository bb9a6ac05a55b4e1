package sluice.perf.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Request of a checked client, and how its reply is judged. */
abstract class Request {
  /** The reply is not complete. */
  static final String INCOMPLETE = "incomplete";

  /** The reply is right. */
  static final String FINE = "";

  private final String text;
  private final List<CheckedKey> writes;
  private boolean failed;

  /**
   * @param text its bytes
   * @param writes the keys that it changes
   */
  Request(String text, List<CheckedKey> writes) {
    this.text = text;
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

  /** Whether the reply said that it was not carried out. */
  boolean hasFailed() {
    return failed;
  }

  /** It may have been carried out, or may be later. */
  void unknown() {
    writes.forEach(CheckedKey::uncertain);
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
      failed = true;
      unknown();
      return true;
    }
    return false;
  }

  final String unexpected(String line) {
    return "found " + line + " as the reply to " + line();
  }

  /** A get of several keys. */
  static Request get(String command, List<CheckedKey> keys) {
    List<@Nullable String> expected = new ArrayList<>();
    StringBuilder text = new StringBuilder(command);
    for (CheckedKey key : keys) {
      text.append(' ').append(key.name());
      expected.add(key.value());
    }
    return new Request(text.append("\r\n").toString(), List.of()) {
      @Override
      String judge(Replies replies) {
        String[] found = new String[keys.size()];
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
          String[] words = line.split(" ");
          if (!words[0].equals("VALUE") || words.length < 4) {
            return unexpected(line);
          }
          while (next < found.length && !keys.get(next).name().equals(words[1])) {
            next++;
          }
          if (next == found.length) {
            return unexpected(line);
          }
          String value = replies.value(Integer.parseInt(words[3]));
          if (value == null) {
            return INCOMPLETE;
          }
          found[next++] = value;
        }
        for (int i = 0; i < found.length; i++) {
          String wrong = keys.get(i).judge(expected.get(i), found[i]);
          if (wrong != null) {
            return wrong + " (" + line() + ")";
          }
        }
        return FINE;
      }
    };
  }

  /** A request whose reply is one line. */
  static Request line(
      String text, CheckedKey key, boolean writes, Set<String> certain, Set<String> any) {
    return new Request(text, writes ? List.of(key) : List.of()) {
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

  /** A meta get of one key, with its value, key and an opaque. */
  static Request metaGet(CheckedKey key, String opaque) {
    String expected = key.value();
    String flags = " k" + key.name() + " O" + opaque;
    return new Request("mg " + key.name() + " k v O" + opaque + "\r\n", List.of()) {
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
        if (line.startsWith("VA ")) {
          String[] words = line.split(" ", 3);
          if (!(" " + words[2]).equals(flags)) {
            return unexpected(line);
          }
          found = replies.value(Integer.parseInt(words[1]));
          if (found == null) {
            return INCOMPLETE;
          }
        } else if (!line.equals("EN") && !line.equals("EN" + flags)) {
          return unexpected(line);
        }
        String wrong = key.judge(expected, found);
        return wrong == null ? FINE : wrong + " (" + line() + ")";
      }
    };
  }
}
