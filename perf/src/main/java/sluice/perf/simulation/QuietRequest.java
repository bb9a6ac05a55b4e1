package sluice.perf.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Quiet meta requests of a checked client, with an mn behind them: those without a reply when that
 * comes were a miss, or a success.
 */
final class QuietRequest extends Request {
  /** An mg, which has no reply if it misses. */
  private record Read(CheckedKey key, @Nullable String expected, int changes, Pattern hit) {}

  private final List<Read> reads;

  private QuietRequest(String text, List<CheckedKey> keys, List<Read> reads, boolean writes) {
    super(text, keys, writes);
    this.reads = reads;
  }

  /**
   * Reads of keys, maybe behind a write of the first one.
   *
   * @param writes length of the value; 0 for no write
   * @param opaque what the opaques begin with
   */
  static QuietRequest of(List<CheckedKey> keys, int writes, String opaque) {
    StringBuilder text = new StringBuilder();
    List<Read> reads = new ArrayList<>();
    CheckedKey first = keys.get(0);
    if (writes > 0) {
      String value = first.next(writes);
      first.writes(value);
      text.append("ms %s %d F%d q\r\n".formatted(first.name(), value.length(), first.flags()));
      text.append(value).append("\r\n");
    }
    for (CheckedKey key : keys) {
      String token = opaque + reads.size();
      text.append("mg %s k f v q O%s\r\n".formatted(key.name(), token));
      Pattern hit = Pattern.compile("VA ([0-9]+)" + key.repeated() + " f([0-9]+) O" + token);
      reads.add(new Read(key, key.value(), key.changes(), hit));
    }
    return new QuietRequest(text.append("mn\r\n").toString(), keys, reads, writes > 0);
  }

  @Override
  boolean isOne() {
    return false;
  }

  @Override
  boolean isRead() {
    return true;
  }

  @Override
  String judge(Replies replies) {
    @Nullable String[] found = new String[reads.size()];
    long[] flags = new long[found.length];
    int next = 0;
    for (String line = replies.line(); !"MN".equals(line); line = replies.line()) {
      if (line == null) {
        return INCOMPLETE;
      }
      if (isFailure(line)) {
        continue; // of any of them
      }
      Matcher hit = null;
      while (next < found.length && (hit == null || !hit.matches())) {
        hit = reads.get(next++).hit().matcher(line);
      }
      if (hit == null || !hit.matches()) {
        return unexpected(line);
      }
      String value = replies.value(Integer.parseInt(hit.group(1)));
      if (value == null) {
        return INCOMPLETE;
      }
      found[next - 1] = value;
      flags[next - 1] = Long.parseLong(hit.group(2));
    }
    for (int i = 0; i < found.length; i++) {
      Read read = reads.get(i);
      boolean known = found[i] != null || error() == null; // a read that failed is not there either
      String wrong =
          known ? read.key().judge(read.expected(), read.changes(), found[i], flags[i]) : null;
      if (wrong != null) {
        return wrong + " (" + line() + ", quiet)";
      }
    }
    return FINE;
  }
}
