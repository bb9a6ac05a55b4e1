package sluice.testkit.model;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import sluice.testkit.hostile.Bytes;

/**
 * Reader of lines as in memcached since 1.6.40. It reads their whole length, including NULs, and at
 * most 23 tokens. Most numbers have no sign, and no more than 11 or 22 digits, including leading
 * zeros.
 */
final class NewLines extends Conversation {
  private static final int MAX_TOKENS = 23;
  private static final int MAX_32 = 11;
  private static final int MAX_64 = 22;
  private static final Pattern STRTOL =
      Pattern.compile("[\\t\\x0b\\f\\r]*[+-]?[0-9]+(?:[\\t\\x0b\\f\\r\\x00].*)?", Pattern.DOTALL);
  private static final BigInteger MODULUS = BigInteger.ONE.shiftLeft(64);

  NewLines(Items items, InputStream in, OutputStream out) {
    super(items, in, out);
  }

  @Override
  boolean saysThatItCreates() {
    return false;
  }

  @Override
  boolean handle(byte[] bytes) throws IOException {
    silent = false;
    if (bytes.length < 4) {
      say(BAD_FORMAT);
      return true;
    }
    int end = bytes[bytes.length - 2] == '\r' ? bytes.length - 2 : bytes.length - 1;
    String line = new String(bytes, 0, end, java.nio.charset.StandardCharsets.ISO_8859_1);
    int space = line.indexOf(' ');
    String command = space < 0 ? line : line.substring(0, space);
    List<String> tokens = tokens(line);
    switch (command) {
      case "mg", "md", "ma", "me", "ms" -> meta(command, tokens, line);
      case "mn" -> say("MN");
      case "get", "gets" -> get(tokens, 1, line);
      case "gat", "gats" -> get(tokens, 2, line);
      case "set", "add", "replace", "append", "prepend", "cas" -> update(tokens);
      case "incr", "decr", "touch" -> {
        if (tokens.size() < 3) {
          say(BAD_FORMAT);
        } else {
          noreply(tokens);
          change(tokens);
        }
      }
      case "delete" -> {
        if (tokens.size() < 2) {
          say(BAD_FORMAT);
        } else {
          noreply(tokens);
          delete(tokens.get(1));
        }
      }
      case "version" -> say("VERSION " + items.lines().version());
      case "stats" -> stats(tokens);
      case "quit" -> {
        return false;
      }
      case "watch" -> say("ERROR"); // it would be a stream from here on
      default -> {
        return other(tokens);
      }
    }
    return true;
  }

  private static List<String> tokens(String line) {
    List<String> tokens = new ArrayList<>();
    for (String token : line.split(" ", -1)) {
      if (!token.isEmpty() && tokens.size() < MAX_TOKENS) {
        tokens.add(token);
      }
    }
    return tokens;
  }

  private void noreply(List<String> tokens) {
    silent = !tokens.isEmpty() && tokens.get(tokens.size() - 1).equals("noreply");
  }

  private static boolean isTooLong(String key) {
    return key.length() > MAX_KEY;
  }

  private static @Nullable Integer signed(String token) {
    if (token.length() > MAX_32 || !token.matches("-?[0-9]*")) {
      return null;
    }
    long number = token.isEmpty() || token.equals("-") ? 0 : Long.parseLong(token);
    return number == (int) number ? (int) number : null;
  }

  private static @Nullable BigInteger unsigned(String token, int most, int bits) {
    if (token.length() > most || !token.matches("[0-9]*")) {
      return null;
    }
    BigInteger number = token.isEmpty() ? BigInteger.ZERO : new BigInteger(token);
    return number.bitLength() > bits ? null : number;
  }

  // Flags and times of storage lines are read as before.
  private static boolean isLoose(String token, boolean signed) {
    if (!STRTOL.matcher(token).matches()) {
      return false;
    }
    BigInteger number = loose(token);
    return signed
        ? number.bitLength() < 64
        : number.signum() >= 0
            ? number.compareTo(MODULUS) < 0
            : number.negate().bitLength() <= 64 && number.mod(MODULUS).bitLength() < 64;
  }

  private static BigInteger loose(String token) {
    return new BigInteger(token.strip().replaceAll("(?s)(?<=.)[^0-9].*", "").replace("+", ""));
  }

  private boolean other(List<String> tokens) {
    noreply(tokens);
    switch (tokens.isEmpty() ? "" : tokens.get(0)) {
      case "flush_all" -> {
        if (tokens.size() != (silent ? 2 : 1)
            && (tokens.size() < 2 || signed(tokens.get(1)) == null)) {
          say("CLIENT_ERROR invalid exptime argument");
        } else {
          items.flushAll();
          say("OK");
        }
      }
      case "verbosity", "cache_memlimit" -> setting(tokens);
      case "lru_crawler" -> {
        if (tokens.size() == 3 && tokens.get(1).equals("metadump")) {
          write(Bytes.of(items.stats("metadump")));
        } else {
          say("ERROR");
        }
      }
      default -> {
        if (tokens.size() > 1 && tokens.get(tokens.size() - 1).startsWith("HTTP/")) {
          return false;
        }
        say("ERROR");
      }
    }
    return true;
  }

  private void setting(List<String> tokens) {
    BigInteger number = tokens.size() < 2 ? null : unsigned(tokens.get(1), MAX_32, 32);
    boolean verbosity = tokens.get(0).equals("verbosity");
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

  private void get(List<String> tokens, int keyToken, String line) {
    if (tokens.size() <= keyToken) {
      say(BAD_FORMAT);
      return;
    }
    int exptime = 0;
    if (keyToken == 1) {
      noreply(tokens);
    } else {
      Integer given = signed(tokens.get(1));
      if (given == null) {
        say("CLIENT_ERROR invalid exptime argument");
        return;
      }
      exptime = given;
    }
    List<String> keys = new ArrayList<>(List.of(line.split(" +", -1)));
    keys.removeIf(String::isEmpty);
    keys.subList(0, keyToken).clear();
    for (String key : keys) {
      if (isTooLong(key)) {
        forget();
        insist(silent ? "" : BAD_FORMAT + "\r\n"); // as this version does: an empty line after it
        return;
      }
    }
    boolean withCas = tokens.get(0).endsWith("s");
    for (String key : keys) {
      writeValue(key, withCas);
      if (keyToken == 2) {
        live(key, exptime);
      }
    }
    insist("END");
  }

  private void update(List<String> tokens) throws IOException {
    Integer length = tokens.size() < 5 ? null : signed(tokens.get(4));
    if (length == null || length < 0 || length > Integer.MAX_VALUE - 2) {
      say(BAD_FORMAT);
      return;
    }
    noreply(tokens);
    String command = tokens.get(0);
    String key = tokens.get(1);
    BigInteger cas = BigInteger.ZERO;
    if (command.equals("cas")) {
      cas = tokens.size() < 6 ? null : unsigned(tokens.get(5), MAX_64, 64);
    }
    if (isTooLong(key)
        || !isLoose(tokens.get(2), false)
        || !isLoose(tokens.get(3), true)
        || cas == null) {
      say(BAD_FORMAT);
      throwAway(length + 2L);
      return;
    }
    if (length > Items.MAX_VALUE) {
      if (command.equals("set")) {
        items.remove(key);
      }
      say("SERVER_ERROR object too large for cache");
      throwAway(length + 2L);
      return;
    }
    byte[] block = block(length + 2);
    long flags = loose(tokens.get(2)).longValue() & 0xffff_ffffL;
    int exptime = loose(tokens.get(3)).intValue();
    say(
        endsWell(block)
            ? store(command, key, value(block), flags, cas.longValue(), exptime)
            : "CLIENT_ERROR bad data chunk");
  }

  private void change(List<String> tokens) {
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
      BigInteger delta = unsigned(tokens.get(2), MAX_64, 64);
      if (delta == null) {
        say("CLIENT_ERROR invalid numeric delta argument");
        return;
      }
      String digits = count(key, tokens.get(0).equals("incr"), delta);
      say(
          digits == null
              ? "NOT_FOUND"
              : digits.isEmpty()
                  ? "CLIENT_ERROR cannot increment or decrement non-numeric value"
                  : digits);
    }
  }

  private void delete(String key) {
    if (isTooLong(key)) {
      say(BAD_FORMAT);
    } else {
      say(items.get(key) == null ? "NOT_FOUND" : "DELETED");
      items.remove(key);
    }
  }

  // A name is compared only as far as it was given.
  private void stats(List<String> tokens) {
    String what = tokens.size() < 2 ? "" : tokens.get(1);
    if (what.isEmpty()) {
      write(Bytes.of(items.stats("")));
    } else if ("reset".startsWith(what)) {
      say("RESET");
    } else if ("detail".startsWith(what)) {
      String how = tokens.size() < 3 ? "-" : tokens.get(2);
      if ("on".startsWith(how) || "off".startsWith(how)) {
        say("OK");
      } else {
        say("dump".startsWith(how) ? "END" : "CLIENT_ERROR usage: stats detail on|off|dump");
      }
    } else if ("settings".startsWith(what)) {
      write(Bytes.of(items.stats("settings")));
    } else if ("cachedump".startsWith(what)) {
      if (tokens.size() < 4) {
        say("CLIENT_ERROR bad command line");
      } else if (unsigned(tokens.get(2), MAX_32, 32) == null
          || unsigned(tokens.get(3), MAX_32, 32) == null) {
        say(BAD_FORMAT);
      } else {
        write(Bytes.of(items.stats("cachedump")));
      }
    } else if ("conns".startsWith(what)) {
      write(Bytes.of(items.stats("conns")));
    } else if (List.of("items", "slabs", "sizes").contains(what)) {
      write(Bytes.of(items.stats(what)));
    } else {
      say("ERROR");
    }
  }

  // --- meta commands ---------------------------------------------------------------------------

  private void meta(String command, List<String> given, String line) throws IOException {
    boolean stores = command.equals("ms");
    int first = stores ? 3 : 2;
    List<String> tokens = given;
    boolean unread =
        tokens.stream().skip(first).anyMatch(t -> !isFlag(t.charAt(0))) || (line.charAt(0) == ' ');
    if (tokens.size() < first || unread) {
      say(BAD_FORMAT);
      return;
    }
    Integer length = stores ? signed(tokens.get(2)) : Integer.valueOf(0);
    if (length == null || length < 0 || length > Integer.MAX_VALUE - 2) {
      say(BAD_FORMAT);
      return;
    }
    String token = tokens.get(1);
    if (command.equals("me")) {
      say(isTooLong(token) ? BAD_FORMAT : "EN");
      return;
    }
    List<String> flagTokens = tokens.subList(first, tokens.size());
    String wrong = null;
    if (isTooLong(token)) {
      wrong = BAD_FORMAT;
    } else if (tokens.size() > MAX_FLAGS) {
      wrong = "CLIENT_ERROR options flags are too long";
    } else {
      wrong = wrong(flagTokens);
    }
    boolean base64 = flagTokens.stream().anyMatch(t -> t.charAt(0) == 'b');
    String decoded = base64 ? decoded(token) : token;
    if (wrong == null && decoded == null) {
      wrong = "CLIENT_ERROR error decoding key";
    }
    if (wrong == null
        && flagTokens.stream().anyMatch(t -> t.charAt(0) == 'O' && t.length() > MAX_OPAQUE)) {
      wrong = "CLIENT_ERROR opaque token too long";
    }
    String key = decoded == null ? token : decoded; // if it is none, the line is invalid
    MetaFlags flags = new MetaFlags(flagTokens, key);
    if (wrong == null && flags.tokens().contains("M")) { // it is the byte after it: no mode
      wrong = command.matches("m[sa]") ? "CLIENT_ERROR invalid mode" : null;
    }
    if (wrong == null && stores && flags.has('M') && !flags.mode("\0").matches("[EAPRS\0]")) {
      wrong = "CLIENT_ERROR invalid mode for ms M token";
    }
    if (wrong == null && stores && length > Items.MAX_VALUE) {
      items.remove(key);
      wrong = "SERVER_ERROR object too large for cache";
    }
    if (wrong != null) {
      say(command.equals("ma") ? "CLIENT_ERROR invalid or duplicate flag" : wrong);
      throwAway(stores ? length + 2L : 0);
      return;
    }
    switch (command) {
      case "mg" -> mg(flags);
      case "ms" -> {
        byte[] block = block(length + 2);
        if (endsWell(block)) {
          ms(flags, value(block));
        } else {
          say("CLIENT_ERROR bad data chunk");
        }
      }
      case "md" -> md(flags);
      default -> {
        if (!flags.has('M') || flags.mode("\0").matches("[ID+\0-]")) {
          ma(flags);
        } else {
          say("CLIENT_ERROR invalid mode for ma M token");
        }
      }
    }
  }

  // Bytes that the tokenizer accepts as the first of a flag; without one, it reads no token at all.
  private static boolean isFlag(char letter) {
    return (letter > 64 && letter < 123) || (letter >= '0' && letter <= '9');
  }

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
            case 'N', 'T', 'R' -> argument.isEmpty() || signed(argument) == null;
            case 'F' -> argument.isEmpty() || unsigned(argument, MAX_32, 32) == null;
            case 'C', 'E', 'J', 'D' -> argument.isEmpty() || unsigned(argument, MAX_64, 64) == null;
            default -> false;
          };
      if (bad) {
        wrong = "CLIENT_ERROR bad token in command line format";
      }
      if ("bNTRlOPLkstcfvhuqxFCEMJDI".indexOf(letter) < 0) {
        return "CLIENT_ERROR invalid flag";
      }
    }
    return wrong;
  }
}
