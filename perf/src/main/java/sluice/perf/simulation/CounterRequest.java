package sluice.perf.simulation;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import sluice.perf.simulation.history.CounterHistory;
import sluice.perf.simulation.history.CounterHistory.Count;
import sluice.perf.simulation.history.Step;

/** Request to a number that several clients count, and how its reply is judged. */
abstract class CounterRequest extends Request {
  final SharedCounter counter;

  private CounterRequest(String text, SharedCounter counter) {
    super(text, List.of(), false);
    this.counter = counter;
  }

  @Override
  final boolean isExact() {
    return counter.isCertain();
  }

  final String verdict(@Nullable String wrong) {
    String name = "shared counter " + counter.name();
    return wrong == null ? FINE : name + ": " + wrong + " (" + line() + ")";
  }

  /** A write of the first number. */
  static CounterRequest begin(SharedCounter counter) {
    counter.begins();
    String number = Long.toString(CounterHistory.INITIAL);
    String line =
        "set " + counter.name() + " " + SharedCounter.FLAGS + " 0 " + number.length() + "\r\n";
    return new CounterRequest(line + number + "\r\n", counter) {
      @Override
      String judge(Replies replies) {
        String line = replies.line();
        if (line == null) {
          return INCOMPLETE;
        }
        if (isFailure(line)) {
          return FINE;
        }
        boolean done = line.equals("STORED");
        counter.hasBegun(done);
        return done ? FINE : unexpected(line);
      }

      @Override
      void unknown() {
        counter.hasBegun(false);
      }
    };
  }

  /** A classic read. */
  static CounterRequest get(SharedCounter counter, Step step) {
    Pattern ofHit =
        Pattern.compile("VALUE " + counter.name() + " " + SharedCounter.FLAGS + " ([0-9]+)");
    return new CounterRequest("get " + counter.name() + "\r\n", counter) {
      @Override
      String judge(Replies replies) {
        String found = null;
        while (true) {
          String line = replies.line();
          if (line == null) {
            return INCOMPLETE;
          }
          if (isFailure(line)) {
            return FINE;
          }
          if (line.equals("END")) {
            return verdict(counter.judge(step, found));
          }
          Matcher hit = ofHit.matcher(line);
          if (!hit.matches() || found != null) {
            return unexpected(line);
          }
          found = replies.value(Integer.parseInt(hit.group(1)));
          if (found == null) {
            return INCOMPLETE;
          }
        }
      }

      @Override
      void unknown() {
        step.fails();
      }
    };
  }

  /** A change. */
  static CounterRequest count(SharedCounter counter, Count count) {
    String command = count.isUp() ? "incr " : "decr ";
    String text = command + counter.name() + " " + count.delta() + "\r\n";
    return new CounterRequest(text, counter) {
      @Override
      String judge(Replies replies) {
        String line = replies.line();
        if (line == null) {
          return INCOMPLETE;
        }
        return isFailure(line) ? FINE : judgeCount(count, line.equals("NOT_FOUND") ? null : line);
      }

      @Override
      void unknown() {
        count.fails();
      }
    };
  }

  /** A change by a meta request, which asks for the number. */
  static CounterRequest metaCount(SharedCounter counter, Count count, String opaque) {
    Pattern ofHit = Pattern.compile("VA ([0-9]+) O" + opaque);
    String mode = count.isUp() ? "MI" : "MD";
    String flags = " D" + count.delta() + " " + mode + " v O" + opaque;
    return new CounterRequest("ma " + counter.name() + flags + "\r\n", counter) {
      @Override
      String judge(Replies replies) {
        String line = replies.line();
        if (line == null) {
          return INCOMPLETE;
        }
        if (isFailure(line)) {
          return FINE;
        }
        if (line.equals("NF O" + opaque)) {
          return judgeCount(count, null);
        }
        Matcher hit = ofHit.matcher(line);
        if (!hit.matches()) {
          return unexpected(line);
        }
        String found = replies.value(Integer.parseInt(hit.group(1)));
        return found == null ? INCOMPLETE : judgeCount(count, found);
      }

      @Override
      void unknown() {
        count.fails();
      }
    };
  }

  final String judgeCount(Count count, @Nullable String digits) {
    if (digits == null) {
      count.refused();
    } else {
      counter.done(count);
    }
    return verdict(counter.judge(count, digits));
  }
}
