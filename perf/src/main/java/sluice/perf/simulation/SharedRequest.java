package sluice.perf.simulation;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import sluice.perf.simulation.history.Step;
import sluice.perf.simulation.history.ValueHistory.Change;

/** Request to a key that other clients use, too, and how its reply is judged. */
abstract class SharedRequest extends Request {
  final SharedKey key;
  private final Step step;

  private SharedRequest(String text, SharedKey key, Step step) {
    super(text, List.of(), false);
    this.key = key;
    this.step = step;
  }

  @Override
  final boolean isExact() {
    return key.isCertain();
  }

  @Override
  final void unknown() {
    step.fails();
  }

  final @Nullable String judged(@Nullable String found, long flags, long unique) {
    String wrong = key.judge(step, found, flags);
    return wrong == null && found != null && unique != 0 ? key.judgeUnique(found, unique) : wrong;
  }

  final String verdict(@Nullable String wrong) {
    return wrong == null ? FINE : "shared key " + key.name() + ": " + wrong + " (" + line() + ")";
  }

  /**
   * A classic read of one key.
   *
   * @param command with what stands before the key
   */
  static SharedRequest get(String command, SharedKey key, Step step) {
    int words = command.startsWith("gets") || command.startsWith("gats") ? 5 : 4;
    return new SharedRequest(command + " " + key.name() + "\r\n", key, step) {
      @Override
      String judge(Replies replies) {
        String found = null;
        long flags = 0;
        long unique = 0;
        while (true) {
          String line = replies.line();
          if (line == null) {
            return INCOMPLETE;
          }
          if (isFailure(line)) {
            return FINE;
          }
          if (line.equals("END")) {
            return verdict(judged(found, flags, unique));
          }
          String[] told = line.split(" ");
          boolean fits = told.length == words && told[0].equals("VALUE");
          if (!fits || !told[1].equals(key.name()) || found != null) {
            return unexpected(line);
          }
          found = replies.value(Integer.parseInt(told[3]));
          flags = Long.parseLong(told[2]);
          unique = words == 5 ? Long.parseLong(told[4]) : 0;
          if (found == null) {
            return INCOMPLETE;
          }
        }
      }
    };
  }

  /**
   * A meta read of the value, flags, key, and perhaps more.
   *
   * @param more a further flag, such as the cas unique; empty for none
   */
  static SharedRequest metaGet(SharedKey key, Step step, String more, String opaque) {
    Pattern ofMiss = Pattern.compile("EN(?:" + key.repeated() + " O" + opaque + ")?");
    Pattern ofHit =
        Pattern.compile(
            "VA ([0-9]+)" + key.repeated() + " f([0-9]+)(?: c([0-9]+))?(?: t-1)? O" + opaque);
    String text = "mg " + key.name() + " k f v" + more + " O" + opaque + "\r\n";
    return new SharedRequest(text, key, step) {
      @Override
      String judge(Replies replies) {
        String line = replies.line();
        if (line == null) {
          return INCOMPLETE;
        }
        if (isFailure(line)) {
          return FINE;
        }
        if (ofMiss.matcher(line).matches()) {
          return verdict(judged(null, 0, 0));
        }
        Matcher hit = ofHit.matcher(line);
        if (!hit.matches()) {
          return unexpected(line);
        }
        String found = replies.value(Integer.parseInt(hit.group(1)));
        if (found == null) {
          return INCOMPLETE;
        }
        long unique = hit.group(3) == null ? 0 : Long.parseLong(hit.group(3));
        return verdict(judged(found, Long.parseLong(hit.group(2)), unique));
      }
    };
  }

  /** A write. */
  static SharedRequest set(String text, SharedKey key, Change write, String opaque) {
    long flags = key.flags();
    return new OfLine(text, key, write, opaque) {
      @Override
      @Nullable String judge(String word) {
        return isDone(word) ? stored(write, flags) : unexpected(word);
      }
    };
  }

  /** A write that there must be no item for. */
  static SharedRequest add(String text, SharedKey key, Change write, String opaque) {
    long flags = key.flags();
    return new OfLine(text, key, write, opaque) {
      @Override
      @Nullable String judge(String word) {
        if (isDone(word)) {
          String wrong = key.judge(write, false);
          return wrong == null ? stored(write, flags) : wrong;
        }
        if (!word.equals("NOT_STORED") && !word.equals("NS")) {
          return unexpected(word);
        }
        write.refused();
        return key.judge(write, true);
      }
    };
  }

  /** A write that must find the item of another one. */
  static SharedRequest cas(
      String text, SharedKey key, Change write, Change compared, String opaque) {
    long flags = key.flags();
    return new OfLine(text, key, write, opaque) {
      @Override
      @Nullable String judge(String word) {
        if (isDone(word)) {
          String wrong = key.judgeCas(write, compared, true);
          return wrong == null ? stored(write, flags) : wrong;
        }
        write.refused();
        if (isMissing(word)) {
          return key.judge(write, false);
        }
        return word.equals("EXISTS") || word.equals("EX")
            ? key.judgeCas(write, compared, false)
            : unexpected(word);
      }
    };
  }

  /** A delete. */
  static SharedRequest delete(String text, SharedKey key, Change delete, String opaque) {
    return new OfLine(text, key, delete, opaque) {
      @Override
      @Nullable String judge(String word) {
        if (!isDone(word) && !isMissing(word)) {
          return unexpected(word);
        }
        key.done(delete); // where there was nothing, it has changed nothing
        return key.judge(delete, isDone(word));
      }
    };
  }

  /** A touch. */
  static SharedRequest touch(String text, SharedKey key, Step step) {
    return new OfLine(text, key, step, "") {
      @Override
      @Nullable String judge(String word) {
        return isDone(word) || isMissing(word) ? key.judge(step, isDone(word)) : unexpected(word);
      }
    };
  }

  /** A request whose reply is one line. */
  private abstract static class OfLine extends SharedRequest {
    private final String end; // of the line: the opaque of a meta request

    OfLine(String text, SharedKey key, Step step, String opaque) {
      super(text, key, step);
      end = opaque.isEmpty() ? "" : " O" + opaque;
    }

    @Override
    final String judge(Replies replies) {
      String line = replies.line();
      if (line == null) {
        return INCOMPLETE;
      }
      if (isFailure(line)) {
        return FINE;
      }
      return line.endsWith(end)
          ? verdict(judge(line.substring(0, line.length() - end.length())))
          : unexpected(line);
    }

    /** Judges the word of a classic reply, or the code of a meta one. */
    abstract @Nullable String judge(String word);

    static boolean isDone(String word) {
      return switch (word) {
        case "STORED", "DELETED", "TOUCHED", "HD" -> true;
        default -> false;
      };
    }

    static boolean isMissing(String word) {
      return word.equals("NOT_FOUND") || word.equals("NF");
    }

    /** A server must have carried it out. */
    final @Nullable String stored(Change write, long flags) {
      key.done(write);
      return key.mayHold(flags) ? null : "no server has carried it out";
    }
  }
}
