package sluice.gateway.differential;

import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Which operations are seen to be the same where values are compressed on their way, or are split:
 * all but those of docs/reference/values.md, "Differences from a pool without compression" and
 * "Differences from whole items".
 */
final class Compressed {
  /** Values far below what servers take, where compressing decides what fits. */
  private static final int MOST = 500_000;

  /** The same for what is put together on the servers, several times. */
  private static final int MOST_JOINED = 70_000;

  private static final int FLAG = 0x1_0000;
  private static final Pattern NUMBER = Pattern.compile("[0-9].*", Pattern.DOTALL);
  private static final Pattern BEFORE_A_NUMBER = Pattern.compile("([\\s+-].*)?", Pattern.DOTALL);

  private Compressed() {}

  /** The operations for a pair whose pool compresses, or whose rule splits. */
  static Predicate<Operation> of(Pair pair) {
    boolean chunks = !pair.rule().isEmpty();
    return operation ->
        !(chunks && isChunkedNumber(operation))
            && isTheSame(
                operation, pair.pool().isEmpty() || pair.pool().contains("onCorrupt: pass"));
  }

  private static boolean isTheSame(Operation operation, boolean passesForeign) {
    if (Features.isMe(operation)) {
      return false; // shows the item as it is stored
    }
    Value value = operation.value();
    if (value == null) {
      return true;
    }
    boolean prepends = prepends(operation);
    boolean joins = prepends || appends(operation);
    if (value.length() > (joins ? MOST_JOINED : MOST)) {
      return false;
    }
    String start = value.start();
    boolean number = NUMBER.matcher(start).matches();
    boolean beforeNumber = BEFORE_A_NUMBER.matcher(start).matches();
    // A number that is put together around the mark is none for the server.
    if (prepends) {
      return value.length() == 0 || !(number || beforeNumber);
    }
    boolean marked = !joins && (Features.flags(operation) & FLAG) != 0;
    return !marked || !(beforeNumber || (number && !passesForeign));
  }

  /** Whether memcached would count with an item that the gateway stores in chunks, and refuses. */
  private static boolean isChunkedNumber(Operation operation) {
    Value value = operation.value();
    return value != null
        && value.length() > Pair.CHUNK
        && (NUMBER.matcher(value.start()).matches()
            || BEFORE_A_NUMBER.matcher(value.start()).matches());
  }

  private static boolean appends(Operation operation) {
    return Features.isAppend(operation)
        || Features.is(operation, Set.of(Opcode.APPEND))
        || operation.command().equals("append");
  }

  private static boolean prepends(Operation operation) {
    return Features.isPrepend(operation)
        || Features.is(operation, Set.of(Opcode.PREPEND))
        || operation.command().equals("prepend");
  }
}
