package sluice.testkit.selfcheck;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Checker of the meta protocol. Every request has its own O, which its reply must repeat together
 * with the requested flags, in order.
 *
 * <p>An error line has no O. After quiet requests, it may belong to any of them: {@link
 * #openErrors} counts such lines until the next reply with an O shows how many requests they can
 * belong to. If they could be the replies to all requests, one more read is sent to find out.
 */
final class MetaChecker extends CheckedConnection {
  private static final String META = "meta";

  private int openErrors;

  MetaChecker(Plan plan) {
    super(plan);
  }

  /** The length that 250 bytes of base64 leave for the key. */
  @Override
  int longestKey() {
    return 186;
  }

  @Override
  void number(Expectation request) {
    String key = request.counter().key;
    request.flags = "v O" + Long.toString(request.token, 36);
    switch (request.kind) {
      case CREATE -> {
        String first = Long.toString(request.delta);
        request.flags = request.flags.substring(2);
        out.ascii("ms " + key + ' ' + first.length() + ' ' + request.flags + "\r\n")
            .ascii(first + "\r\n");
      }
      case COUNT ->
          out.ascii("ma " + key + ' ' + request.flags)
              .ascii(request.delta < 0 ? " MD D" : " D")
              .ascii(Math.abs(request.delta) + "\r\n");
      default -> out.ascii("mg " + key + ' ' + request.flags + "\r\n");
    }
  }

  @Override
  void requestValue() {
    int kind = random.nextInt(100);
    if (kind < 48) {
      get(false);
    } else if (kind < 76) {
      store(kind < 68 ? Expectation.Mode.SET : mode(), false);
    } else if (kind < 86) {
      delete(false);
    } else if (kind < 97) {
      quietRun();
    } else {
      fence();
    }
  }

  @Override
  String dialect() {
    return META;
  }

  private Expectation.Mode mode() {
    return random.nextBoolean() ? Expectation.Mode.ADD : Expectation.Mode.REPLACE;
  }

  private void quietRun() {
    for (int i = random.nextInt(12); i >= 0; i--) {
      int kind = random.nextInt(10);
      if (kind < 6) {
        get(true);
      } else if (kind < 9) {
        store(kind < 8 ? Expectation.Mode.SET : mode(), true);
      } else {
        delete(true);
      }
    }
    if (random.nextBoolean()) {
      fence();
    } else {
      get(false);
    }
  }

  private void fence() {
    expect(new Expectation(Expectation.Kind.FENCE, nextToken(), false));
    out.ascii("mn\r\n");
  }

  /**
   * MN has no O: only one is sent at a time, as the last request, so that it cannot be mistaken for
   * another.
   */
  @Override
  boolean mayRequest() {
    Expectation last = pending.peekLast();
    return last == null || last.kind != Expectation.Kind.FENCE;
  }

  private Expectation keyed(Expectation.Kind kind, boolean quiet, String... flags) {
    Expectation request = expect(new Expectation(kind, nextToken(), quiet));
    request.keys = new KeyState[] {kind == Expectation.Kind.GET ? readKey() : anyKey()};
    if (kind == Expectation.Kind.DELETE) {
      request.key().asked(Write.ABSENT);
    }
    String key = request.key().key;
    boolean base64 = isBase64(request.key());
    request.wireKey =
        base64
            ? Base64.getEncoder().encodeToString(key.getBytes(StandardCharsets.ISO_8859_1))
            : key;
    List<String> asked = new ArrayList<>(List.of(flags));
    asked.removeIf(flag -> random.nextInt(3) == 0 && !"v".equals(flag));
    asked.add("O" + Long.toString(request.token, 36));
    if (quiet) {
      asked.add("q");
    }
    if (base64) {
      asked.add("b");
    }
    Collections.shuffle(asked, random);
    request.flags = String.join(" ", asked);
    return request;
  }

  /**
   * A key is always written in the same form, because the key that k returns depends on how it was
   * stored.
   */
  private static boolean isBase64(KeyState state) {
    // the same keys in each run, after the part that distinguishes runs
    String key = state.key;
    return state.dialect.equals(META) && key.substring(key.indexOf('-', 3)).hashCode() % 4 == 0;
  }

  private void get(boolean quiet) {
    Expectation get =
        random.nextInt(8) == 0
            ? keyed(Expectation.Kind.GET, quiet, "f", "c", "k", "t", "s")
            : keyed(Expectation.Kind.GET, quiet, "v", "f", "c", "k", "t", "s");
    out.ascii("mg " + get.wireKey + ' ' + get.flags + "\r\n");
  }

  private void store(Expectation.Mode mode, boolean quiet) {
    Expectation store = keyed(Expectation.Kind.STORE, quiet, "k", "c");
    store.mode = orCas(mode);
    store.compared = store.mode == Expectation.Mode.CAS ? store.key().unique() : 0;
    store.write = newWrite(store);
    String asked =
        store.flags
            + (store.isAddition() ? "" : " F" + Integer.toUnsignedString(store.write.flags()))
            + switch (store.mode) {
              case SET -> "";
              case ADD -> " ME";
              case REPLACE -> " MR";
              case CAS -> " C" + store.compared;
              case APPEND -> " MA";
              case PREPEND -> " MP";
            };
    out.ascii("ms " + store.wireKey + ' ' + store.write.length + ' ' + asked + "\r\n")
        .bytes(store.write.value())
        .ascii("\r\n");
  }

  private void delete(boolean quiet) {
    Expectation delete = keyed(Expectation.Kind.DELETE, quiet, "k");
    out.ascii("md " + delete.wireKey + ' ' + delete.flags + "\r\n");
  }

  @Override
  boolean endsSilently() {
    return pending.isEmpty();
  }

  @Override
  void forget() {
    openErrors = 0;
  }

  @Override
  boolean reply() {
    int lf = in.lineFeed();
    if (lf < 0) {
      if (in.length() > 4096) {
        throw new WrongReply("a reply line of more than 4096 bytes");
      }
      return false;
    }
    if (lf == in.start || in.array[lf - 1] != '\r') {
      throw new WrongReply("a reply line that does not end in CRLF");
    }
    String line = in.string(in.start, lf - 1);
    if (line.startsWith("SERVER_ERROR")) {
      in.start = lf + 1;
      error(line);
      return true;
    }
    String[] tokens = line.split(" ", -1);
    Expectation due = "MN".equals(line) ? findFence() : findByO(tokens, line);
    int next = lf + 1;
    if ("VA".equals(tokens[0])) {
      int length = length(tokens, due, line);
      if (in.end - next < length + 2) {
        return false;
      }
      require(in.array[next + length] == '\r' && in.array[next + length + 1] == '\n', due, line);
      settleBefore(due);
      if (due.counter == null) {
        hit(due, tokens, line, next, length);
      } else {
        number(due, tokens, line, in.string(next, next + length));
      }
      next += length + 2;
    } else {
      settleBefore(due);
      outcome(due, tokens, line);
    }
    answered(due);
    in.start = next;
    return true;
  }

  private void error(String line) {
    if (pending.isEmpty() || openErrors >= pending.size()) {
      throw new WrongReply("an error line that nothing asked for");
    }
    if (openErrors == 0 && !pending.peek().quiet) {
      failed(pending.peek(), line);
      return;
    }
    tally.reason(line);
    openErrors++;
    if (pending.stream().filter(expectation -> !expectation.quiet).count() <= openErrors) {
      get(false);
    }
  }

  private Expectation findFence() {
    return pending.stream()
        .filter(expectation -> expectation.kind == Expectation.Kind.FENCE)
        .findFirst()
        .orElseThrow(() -> new WrongReply("an MN that is not due"));
  }

  private Expectation findByO(String[] tokens, String line) {
    String opaque = null;
    for (int i = 1; i < tokens.length; i++) {
      if (tokens[i].startsWith("O")) {
        opaque = tokens[i].substring(1);
      }
    }
    if (opaque == null) {
      throw new WrongReply("'" + line + "' brings no O");
    }
    for (Expectation expectation : pending) {
      if (Long.toString(expectation.token, 36).equals(opaque)) {
        return expectation;
      }
    }
    throw new WrongReply("'" + line + "' brings an O that is not due");
  }

  /** Everything before due has ended: as usual if it was quiet, or with one of the open errors. */
  private void settleBefore(Expectation due) {
    int loud = 0;
    int quiet = 0;
    for (Expectation expectation : pending) {
      if (expectation == due) {
        break;
      }
      if (expectation.quiet) {
        quiet++;
      } else {
        loud++;
      }
    }
    if (loud > openErrors || openErrors > loud + quiet) {
      throw new WrongReply(
          openErrors
              + " errors for "
              + loud
              + " loud and "
              + quiet
              + " quiet requests before "
              + due);
    }
    int unplaced = openErrors - loud;
    tally.errors += openErrors;
    openErrors = 0;
    for (Iterator<Expectation> i = pending.iterator(); ; ) {
      Expectation head = i.next();
      if (head == due) {
        break;
      }
      i.remove();
      if (!head.quiet) {
        head.failed();
      } else if (unplaced == quiet) {
        head.failed();
      } else if (unplaced > 0) {
        // one of several: none of them is certain
        tally.silent++;
        head.failed();
      } else {
        tally.silent++;
        silent(head);
      }
    }
    tally.silent -= unplaced < quiet ? unplaced : 0;
  }

  private void silent(Expectation quiet) {
    switch (quiet.kind) {
      case GET -> {
        quiet.key().missed();
        tally.misses++;
      }
      case STORE -> quiet.stored(0);
      default -> quiet.deleted();
    }
  }

  private static void require(boolean condition, Expectation due, String line) {
    if (!condition) {
      throw new WrongReply("'" + line + "' answers " + due + " with flags " + due.flags);
    }
  }

  private int length(String[] tokens, Expectation due, String line) {
    boolean brings =
        due.kind == Expectation.Kind.GET
            || due.kind == Expectation.Kind.COUNT
            || due.kind == Expectation.Kind.NUMBER;
    require(brings && tokens.length > 1, due, line);
    require(tokens[1].matches("[0-9]{1,9}"), due, line);
    int length = Integer.parseInt(tokens[1]);
    require(length <= longestValue(), due, line);
    return length;
  }

  private void hit(Expectation due, String[] tokens, String line, int from, int length) {
    require((" " + due.flags + " ").contains(" v "), due, line);
    Flags flags = flags(due, tokens, 2, line);
    require(flags.length == null || flags.length == length, due, line);
    if (flags.clientFlags != null) {
      due.key().read(flags.clientFlags, in.array, from, from + length, flags.cas);
    } else {
      due.key().readWithoutFlags(in.array, from, from + length, flags.cas);
    }
    tally.hits++;
  }

  /** A number as it is stored: if it has become shorter, spaces follow it. */
  private void number(Expectation due, String[] tokens, String line, String stored) {
    flags(due, tokens, 2, line);
    String digits = due.kind == Expectation.Kind.NUMBER ? stored.stripTrailing() : stored;
    require(digits.matches("[0-9]{1,19}"), due, line + ' ' + stored);
    due.counted(Long.parseLong(digits));
  }

  private void outcome(Expectation due, String[] tokens, String line) {
    String code = tokens[0];
    switch (due.kind) {
      case CREATE -> {
        flags(due, tokens, 1, line);
        require("HD".equals(code), due, line);
        due.counted(due.delta);
      }
      case COUNT, NUMBER -> {
        require((due.kind == Expectation.Kind.COUNT ? "NF" : "EN").equals(code), due, line);
        due.counter().missed();
      }
      case GET -> {
        if ("EN".equals(code)) {
          require(!due.quiet, due, line);
          flags(due, tokens, 1, line);
          due.key().missed();
          tally.misses++;
        } else {
          require("HD".equals(code) && !(" " + due.flags + " ").contains(" v "), due, line);
          Flags flags = flags(due, tokens, 1, line);
          due.key().hit(flags.clientFlags, flags.length, flags.cas);
          tally.hits++;
        }
      }
      case STORE -> {
        Flags flags = flags(due, tokens, 1, line);
        switch (code) {
          case "HD" -> {
            require(!due.quiet, due, line);
            due.stored(flags.cas);
          }
          case "NS" -> due.notStored();
          case "EX" -> due.exists();
          case "NF" -> {
            require(due.mode == Expectation.Mode.CAS, due, line);
            due.key().missed();
          }
          default -> throw new WrongReply("'" + line + "' answers " + due);
        }
      }
      case DELETE -> {
        flags(due, tokens, 1, line);
        switch (code) {
          case "HD" -> {
            require(!due.quiet, due, line);
            due.deleted();
          }
          case "NF" -> due.key().missed();
          default -> throw new WrongReply("'" + line + "' answers " + due);
        }
      }
      default -> require("MN".equals(line), due, line);
    }
  }

  private static final class Flags {
    @Nullable Integer clientFlags;
    @Nullable Integer length;
    long cas;
  }

  /** The flags of a reply are the requested ones, in order; a miss repeats only O and k. */
  private Flags flags(Expectation due, String[] tokens, int from, String line) {
    Flags found = new Flags();
    boolean base64 = due.counter == null && isBase64(due.key());
    boolean miss = "EN".equals(tokens[0]);
    int at = from;
    for (String asked : due.flags.split(" ", -1)) {
      char letter = asked.charAt(0);
      if (letter == 'v'
          || letter == 'q'
          || letter == 'b'
          || (miss && letter != 'O' && letter != 'k')) {
        continue;
      }
      require(
          at < tokens.length && !tokens[at].isEmpty() && tokens[at].charAt(0) == letter, due, line);
      String value = tokens[at++].substring(1);
      try {
        switch (letter) {
          case 'O' -> require(asked.substring(1).equals(value), due, line);
          case 'k' -> {
            // When memcached appends or prepends to an item, it forgets that the key was in base64.
            boolean forgotten = base64 && plan.additions() && due.key().key.equals(value);
            require(forgotten || due.wireKey.equals(value), due, line);
            if (base64 && !forgotten) {
              require(at < tokens.length && "b".equals(tokens[at++]), due, line);
            }
          }
          case 'f' -> found.clientFlags = Integer.parseUnsignedInt(value);
          case 's' -> found.length = Integer.parseInt(value);
          case 'c' -> found.cas = Long.parseUnsignedLong(value);
          default -> require("-1".equals(value), due, line);
        }
      } catch (NumberFormatException e) {
        throw new WrongReply("'" + line + "' answers " + due + ": not a number");
      }
    }
    require(at == tokens.length, due, line);
    return found;
  }
}
