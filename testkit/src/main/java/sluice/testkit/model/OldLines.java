package sluice.testkit.model;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import sluice.testkit.hostile.Bytes;

/**
 * Reader of lines as in memcached until 1.6.39: C strings, which end at a NUL, and are split at
 * spaces into at most 23 tokens. Numbers are read by strtol.
 */
final class OldLines extends Conversation {
  private static final int MAX_TOKENS = 23;
  private static final Pattern NUMBER =
      Pattern.compile(
          "[ \\t\\n\\x0b\\f\\r]*([+-]?[0-9]+)(?:[ \\t\\n\\x0b\\f\\r].*)?", Pattern.DOTALL);
  private static final BigInteger LONG_MAX = BigInteger.valueOf(Long.MAX_VALUE);
  private static final BigInteger LONG_MIN = BigInteger.valueOf(Long.MIN_VALUE);
  private static final BigInteger MODULUS = BigInteger.ONE.shiftLeft(64);

  private final boolean meta;
  private @Nullable String rest; // after the last token; null if there is nothing

  OldLines(Items items, InputStream in, OutputStream out) {
    super(items, in, out);
    meta = items.lines() != Lines.V1_4;
  }

  @Override
  boolean saysThatItCreates() {
    return true;
  }

  @Override
  boolean handle(byte[] bytes) throws IOException {
    int end = bytes.length - 1;
    if (end > 1 && bytes[end - 1] == '\r') {
      end--;
    }
    int zero = 0;
    while (zero < end && bytes[zero] != 0) {
      zero++;
    }
    silent = false;
    String line = new String(bytes, 0, zero, java.nio.charset.StandardCharsets.ISO_8859_1);
    List<String> tokens = tokens(line);
    int count = tokens.size() + 1; // with the one that ends them, as memcached counts
    String command = tokens.isEmpty() ? "" : tokens.get(0);
    switch (command) {
      case "get", "gets", "gat", "gats" -> {
        if (count < 3 || (!meta && command.startsWith("gat"))) {
          say("ERROR");
        } else {
          get(tokens);
        }
      }
      case "set", "add", "replace", "append", "prepend" -> {
        if (count == 6 || count == 7) {
          update(tokens);
        } else {
          say("ERROR");
        }
      }
      case "cas" -> {
        if (count == 7 || count == 8) {
          update(tokens);
        } else {
          say("ERROR");
        }
      }
      case "incr", "decr", "touch" -> {
        if (count == 4 || count == 5) {
          change(tokens);
        } else {
          say("ERROR");
        }
      }
      case "delete" -> delete(tokens, count);
      case "flush_all" -> flushAll(tokens, count);
      case "verbosity", "cache_memlimit" -> setting(tokens, count);
      case "version" -> say(meta || count == 2 ? "VERSION " + items.lines().version() : "ERROR");
      case "stats" -> stats(tokens);
      case "lru_crawler" -> {
        if (tokens.size() == 3 && tokens.get(1).equals("metadump")) {
          write(Bytes.of(items.stats("metadump")));
        } else {
          say("ERROR");
        }
      }
      case "quit" -> {
        return false;
      }
      case "mg", "ms", "md", "ma", "mn", "me" -> {
        if (meta) {
          meta(command, tokens, count);
        } else {
          say("ERROR");
        }
      }
      default -> {
        boolean early = "gsacidt".indexOf(command.isEmpty() ? 'g' : command.charAt(0)) >= 0;
        if (meta
            && !early
            && command.length() > 1
            && !tokens.isEmpty()
            && tokens.get(tokens.size() - 1).startsWith("HTTP/")) {
          return false;
        }
        say("ERROR");
      }
    }
    return true;
  }

  private List<String> tokens(String line) {
    List<String> tokens = new ArrayList<>();
    int at = 0;
    rest = null;
    while (at < line.length()) {
      if (line.charAt(at) == ' ') {
        at++;
        continue;
      }
      int end = line.indexOf(' ', at);
      tokens.add(line.substring(at, end < 0 ? line.length() : end));
      at = end < 0 ? line.length() : end + 1;
      if (tokens.size() == MAX_TOKENS && end >= 0) {
        rest = at < line.length() ? line.substring(at) : null;
        break;
      }
    }
    return tokens;
  }

  private void noreply(List<String> tokens) {
    silent = tokens.get(tokens.size() - 1).equals("noreply");
  }

  private static boolean isTooLong(String key) {
    return key.length() > MAX_KEY;
  }

  private static @Nullable BigInteger digits(String token) {
    Matcher matcher = NUMBER.matcher(token);
    return matcher.matches() ? new BigInteger(matcher.group(1).replace("+", "")) : null;
  }

  // strtol and a cast to 32 bits; null if it is no number
  private static @Nullable Integer signed(String token) {
    BigInteger number = digits(token);
    return number == null || number.compareTo(LONG_MAX) > 0 || number.compareTo(LONG_MIN) < 0
        ? null
        : number.intValue();
  }

  // strtoull
  private static @Nullable BigInteger unsigned(String token) {
    BigInteger number = digits(token);
    if (number == null || number.abs().compareTo(MODULUS) >= 0) {
      return null;
    }
    BigInteger wrapped = number.mod(MODULUS);
    return wrapped.compareTo(LONG_MAX) > 0 && token.indexOf('-') >= 0 ? null : wrapped;
  }

  private void get(List<String> first) {
    String command = first.get(0);
    List<String> tokens = first;
    int at = 1;
    int exptime = 0;
    if (command.startsWith("gat")) {
      Integer given = signed(tokens.get(1));
      if (given == null) {
        say("CLIENT_ERROR invalid exptime argument");
        return;
      }
      exptime = given;
      at = 2;
    }
    List<String> keys = new ArrayList<>(tokens.subList(at, tokens.size()));
    while (rest != null) {
      tokens = tokens(rest);
      keys.addAll(tokens);
    }
    if (keys.stream().anyMatch(OldLines::isTooLong)) {
      if (meta) {
        forget();
      }
      say(BAD_FORMAT);
      return;
    }
    for (String key : keys) {
      writeValue(key, command.endsWith("s"));
      if (at == 2) {
        live(key, exptime);
      }
    }
    insist("END");
  }

  private void update(List<String> tokens) throws IOException {
    noreply(tokens);
    String command = tokens.get(0);
    String key = tokens.get(1);
    BigInteger flags = unsigned(tokens.get(2));
    Integer exptime = signed(tokens.get(3));
    Integer length = signed(tokens.get(4));
    BigInteger cas = command.equals("cas") ? unsigned(tokens.get(5)) : BigInteger.ZERO;
    if (isTooLong(key)
        || flags == null
        || exptime == null
        || length == null
        || cas == null
        || length < 0
        || length > Integer.MAX_VALUE - 2) {
      say(BAD_FORMAT);
      return;
    }
    if (length > Items.MAX_VALUE) {
      if (command.equals("set")) {
        items.remove(key);
      }
      say("SERVER_ERROR object too large for cache");
      if (meta || !silent) { // 1.4 forgets to
        throwAway(length + 2L);
      }
      return;
    }
    byte[] block = block(length + 2);
    say(
        endsWell(block)
            ? store(
                command,
                key,
                value(block),
                flags.longValue() & 0xffff_ffffL,
                cas.longValue(),
                exptime)
            : "CLIENT_ERROR bad data chunk");
  }

  private void change(List<String> tokens) {
    noreply(tokens);
    String key = tokens.get(1);
    if (isTooLong(key)) {
      say(BAD_FORMAT);
    } else if (tokens.get(0).equals("touch")) {
      Integer exptime = signed(tokens.get(2));
      if (exptime == null) {
        say("CLIENT_ERROR invalid exptime argument");
      } else {
        say(items.get(key) == null ? "NOT_FOUND" : "TOUCHED");
        live(key, exptime);
      }
    } else {
      BigInteger delta = unsigned(tokens.get(2));
      say(delta == null ? "CLIENT_ERROR invalid numeric delta argument" : counted(tokens, delta));
    }
  }

  private String counted(List<String> tokens, BigInteger delta) {
    String digits = count(tokens.get(1), tokens.get(0).equals("incr"), delta);
    return digits == null
        ? "NOT_FOUND"
        : digits.isEmpty()
            ? "CLIENT_ERROR cannot increment or decrement non-numeric value"
            : digits;
  }

  private void delete(List<String> tokens, int count) {
    if (count < 3 || count > 5) {
      say("ERROR");
      return;
    }
    if (count > 3) {
      boolean zero = tokens.get(2).equals("0");
      noreply(tokens);
      if (!(count == 4 && (zero || silent)) && !(count == 5 && zero && silent)) {
        say("CLIENT_ERROR bad command line format.  Usage: delete <key> [noreply]");
        return;
      }
    }
    String key = tokens.get(1);
    if (isTooLong(key)) {
      say(BAD_FORMAT);
    } else {
      say(items.get(key) == null ? "NOT_FOUND" : "DELETED");
      items.remove(key);
    }
  }

  private void flushAll(List<String> tokens, int count) {
    if (count > 4) {
      say("ERROR");
      return;
    }
    noreply(tokens);
    if (meta && count != (silent ? 3 : 2) && signed(tokens.get(1)) == null) {
      say("CLIENT_ERROR invalid exptime argument");
      return;
    }
    items.flushAll();
    say("OK");
  }

  private void setting(List<String> tokens, int count) {
    if (count != 3 && count != 4) {
      say("ERROR");
      return;
    }
    noreply(tokens);
    BigInteger number = unsigned(tokens.get(1));
    boolean verbosity = tokens.get(0).equals("verbosity");
    if (number == null && verbosity && !meta) {
      number = BigInteger.ZERO; // it was not looked at
    }
    if (number == null) {
      say(verbosity ? BAD_FORMAT : "ERROR");
      return;
    }
    if (verbosity) {
      items.verbosity(number.longValue());
    } else {
      items.limit(number.longValue());
    }
    say("OK");
  }

  private void stats(List<String> tokens) {
    String what = tokens.size() < 2 ? "" : tokens.get(1);
    switch (what) {
      case "reset" -> say("RESET");
      case "detail" -> {
        String how = tokens.size() < 3 ? "" : tokens.get(2);
        switch (how) {
          case "on", "off" -> say("OK");
          case "dump" -> say("END");
          default -> say("CLIENT_ERROR usage: stats detail on|off|dump");
        }
      }
      case "cachedump" -> {
        if (tokens.size() < 4) {
          say("CLIENT_ERROR bad command line");
        } else if (unsigned(tokens.get(2)) == null || unsigned(tokens.get(3)) == null) {
          say(BAD_FORMAT);
        } else {
          write(Bytes.of(items.stats("cachedump")));
        }
      }
      case "", "settings", "conns", "items", "slabs", "sizes" -> write(Bytes.of(items.stats(what)));
      default -> say("ERROR");
    }
  }

  // --- meta commands ---------------------------------------------------------------------------

  private void meta(String command, List<String> tokens, int count) throws IOException {
    if (command.equals("mn")) {
      say("MN");
      return;
    }
    if (command.equals("me")) {
      say(count < 3 || isTooLong(tokens.get(1)) ? BAD_FORMAT : "EN");
      return;
    }
    if (count < 3) {
      say("ERROR");
      return;
    }
    String token = tokens.get(1);
    boolean stores = command.equals("ms");
    if (isTooLong(token) || (stores && count == 3)) {
      say(BAD_FORMAT);
      return;
    }
    if (count > MAX_FLAGS) {
      say("CLIENT_ERROR options flags " + (command.equals("mg") ? "are too long" : "too long"));
      return;
    }
    Integer length = stores ? signed(tokens.get(2)) : Integer.valueOf(0);
    if (length == null || length < 0 || length > Integer.MAX_VALUE - 2) {
      say(BAD_FORMAT);
      return;
    }
    List<String> given = tokens.subList(stores ? 3 : 2, tokens.size());
    String wrong = wrong(given);
    String decoded = given.contains("b") || isBase64(given) ? decoded(token) : token;
    if (wrong == null && decoded == null) {
      wrong = "CLIENT_ERROR error decoding key";
    }
    if (wrong == null
        && given.stream().anyMatch(t -> t.charAt(0) == 'O' && t.length() > MAX_OPAQUE)) {
      wrong = "CLIENT_ERROR opaque token too long";
    }
    String key = decoded == null ? token : decoded; // if it is none, the line is invalid
    MetaFlags flags = new MetaFlags(given, key);
    if (wrong == null && stores && !flags.mode("S").matches("[EAPRS]")) {
      wrong = "CLIENT_ERROR invalid mode for ms M token";
    }
    if (wrong == null && stores && length > Items.MAX_VALUE) {
      items.remove(key);
      wrong = "SERVER_ERROR object too large for cache";
    }
    if (wrong != null) {
      say(wrong);
      throwAway(stores ? length + 2L : 0);
      return;
    }
    switch (command) {
      case "mg" -> mg(flags);
      case "ms" -> {
        byte[] block = block(length + 2);
        if (endsWell(block)) {
          ms(flags.without('s'), value(block)); // since 1.6.20
        } else {
          say("CLIENT_ERROR bad data chunk");
        }
      }
      case "md" -> md(flags);
      default -> {
        if (flags.mode("I").matches("[ID+-]")) {
          ma(flags);
        } else {
          say("CLIENT_ERROR invalid mode for ma M token");
        }
      }
    }
  }

  private static boolean isBase64(List<String> flags) {
    return flags.stream().anyMatch(t -> t.charAt(0) == 'b');
  }

  // memcached's error for flags; null if they are valid.
  private static @Nullable String wrong(List<String> flags) {
    boolean[] seen = new boolean[128];
    String wrong = null;
    for (String token : flags) {
      char letter = token.charAt(0);
      if (letter >= 127 || seen[letter]) {
        return "CLIENT_ERROR duplicate flag";
      }
      seen[letter] = true;
      String argument = token.substring(1);
      boolean bad =
          switch (letter) {
            case 'N', 'T', 'R' -> signed(argument) == null;
            case 'F', 'C', 'J', 'D' -> unsigned(argument) == null;
            case 'M' -> token.length() != 2;
            default -> false;
          };
      if (bad) {
        wrong = "CLIENT_ERROR bad token in command line format";
      }
      if ("bNTRlOPLkstcfvhuqFCMJDI".indexOf(letter) < 0) {
        return "CLIENT_ERROR invalid flag";
      }
    }
    return wrong;
  }
}
