package sluice.testkit.model;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigInteger;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import sluice.testkit.hostile.Bytes;

/** Connection to a model; each subclass reads lines as its versions do. */
abstract class Conversation {
  static final int MAX_KEY = 250;
  static final int MAX_OPAQUE = 32;
  static final int MAX_FLAGS = 20;
  static final String BAD_FORMAT = "CLIENT_ERROR bad command line format";

  private static final String DIGITS =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  private static final int LARGE = 64 * 1024;

  /** A number as strtoull reads it: after white space, anything may follow the digits. */
  private static final Pattern COUNTABLE =
      Pattern.compile("(?s)[ \\t-\\r]*([+-]?[0-9]+)([\\x00 \\t-\\r].*)?");

  private static final BigInteger MODULUS = BigInteger.ONE.shiftLeft(64);

  final Items items;

  /** Whether further output is suppressed. */
  boolean silent;

  private final InputStream in;
  private final OutputStream out;
  private final ByteArrayOutputStream replies = new ByteArrayOutputStream();
  private long unread; // bytes of a data block that is discarded

  Conversation(Items items, InputStream in, OutputStream out) {
    this.items = items;
    this.in = in;
    this.out = out;
  }

  /**
   * Carries out a line, which includes its end.
   *
   * @return whether the connection goes on
   */
  abstract boolean handle(byte[] line) throws IOException;

  /** Whether a quiet ma that creates a counter gets a reply anyway. */
  abstract boolean saysThatItCreates();

  final void say(String reply) {
    if (!silent) {
      replies.writeBytes(Bytes.of(reply + "\r\n"));
    }
  }

  /** Sends the replies that quiet requests get, too. */
  final void insist(String reply) {
    replies.writeBytes(Bytes.of(reply + "\r\n"));
  }

  final void write(byte[] bytes) {
    replies.writeBytes(bytes);
  }

  /** Forgets replies that wait to be sent, as memcached does when it cannot continue a get. */
  final void forget() {
    replies.reset();
  }

  final boolean isLarge() {
    return replies.size() > LARGE;
  }

  final void flush() throws IOException {
    out.write(replies.toByteArray());
    replies.reset();
  }

  /** The data block that follows is discarded. */
  final void throwAway(long count) {
    unread = count;
  }

  final void discard() throws IOException {
    if (in.available() < unread) {
      flush();
    }
    while (unread > 0) {
      long skipped = in.skip(unread);
      if (skipped == 0 && in.read() < 0) {
        throw new IOException("closed");
      }
      unread -= Math.max(1, skipped);
    }
  }

  /** The next count bytes: a data block with its end. */
  final byte[] block(int count) throws IOException {
    if (in.available() < count) {
      flush(); // its sender may expect the earlier replies
    }
    byte[] block = in.readNBytes(count);
    if (block.length < count) {
      throw new IOException("closed");
    }
    return block;
  }

  static boolean endsWell(byte[] block) {
    return block[block.length - 2] == '\r' && block[block.length - 1] == '\n';
  }

  static byte[] value(byte[] block) {
    return java.util.Arrays.copyOf(block, block.length - 2);
  }

  // --- what is the same in all versions --------------------------------------------------------

  /** Stores by a command of classic text; returns the reply. */
  final String store(String command, String key, byte[] value, long flags, long cas, int exptime) {
    synchronized (items) {
      String result = stored(command, key, value, flags, cas);
      if (result.equals("STORED") && !command.endsWith("pend")) {
        live(key, exptime);
      }
      return result;
    }
  }

  /** Sets the time to live of the item of key, if there is one. */
  final void live(String key, int exptime) {
    items.live(key, exptime);
  }

  private String stored(String command, String key, byte[] value, long flags, long cas) {
    Items.Item held = items.get(key);
    switch (command) {
      case "add" -> {
        if (held != null) {
          return "NOT_STORED";
        }
      }
      case "replace" -> {
        if (held == null) {
          return "NOT_STORED";
        }
      }
      case "append", "prepend" -> {
        if (held == null || held.value().length + value.length > Items.MAX_VALUE) {
          return "NOT_STORED";
        }
        byte[] joined =
            command.equals("append")
                ? Bytes.concat(held.value(), value)
                : Bytes.concat(value, held.value());
        items.change(key, joined, value);
        return "STORED";
      }
      case "cas" -> {
        if (held == null) {
          return "NOT_FOUND";
        }
        if (held.cas() != cas) {
          return "EXISTS";
        }
      }
      default -> {
        // set
      }
    }
    items.put(key, value, flags);
    return "STORED";
  }

  /** Counts up or down; null if there is no such item, an empty text if it is no number. */
  final @Nullable String count(String key, boolean up, BigInteger delta) {
    synchronized (items) {
      return counted(key, up, delta);
    }
  }

  private @Nullable String counted(String key, boolean up, BigInteger delta) {
    Items.Item held = items.get(key);
    if (held == null) {
      return null;
    }
    String text = new String(held.value(), java.nio.charset.StandardCharsets.ISO_8859_1);
    Matcher counted = COUNTABLE.matcher(text);
    BigInteger number = counted.matches() ? new BigInteger(counted.group(1)) : MODULUS;
    if (number.signum() < 0 || number.compareTo(MODULUS) >= 0) {
      return "";
    }
    BigInteger result =
        up ? number.add(delta).mod(MODULUS) : number.subtract(delta).max(BigInteger.ZERO);
    String digits = result.toString();
    String padded = digits + " ".repeat(Math.max(0, held.value().length - digits.length()));
    items.change(key, Bytes.of(padded), null);
    return digits;
  }

  /** A VALUE line and its value, nothing on a miss. */
  final void writeValue(String key, boolean withCas) {
    Items.Item held = items.get(key);
    if (held != null) {
      String unique = withCas ? " " + held.cas() : "";
      String line = "VALUE " + key + " " + held.flags() + " " + held.value().length + unique;
      write(Bytes.concat(Bytes.of(line + "\r\n"), held.value(), Bytes.of("\r\n")));
    }
  }

  /**
   * The bytes that a base64 key encodes; null if it is no base64. Meaningless bytes are skipped
   * anywhere.
   */
  static @Nullable String decoded(String key) {
    String digits = key.replaceAll("[^A-Za-z0-9+/=]", "");
    if (digits.isEmpty() || digits.length() % 4 != 0) {
      return null;
    }
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < digits.length(); i += 4) {
      int block = 0;
      int padding = 0;
      for (int j = i; j < i + 4; j++) {
        char digit = digits.charAt(j);
        padding += digit == '=' ? 1 : 0;
        block = block << 6 | Math.max(0, DIGITS.indexOf(digit));
      }
      for (int j = 0; j < 3 - padding; j++) {
        text.append((char) (block >> (16 - 8 * j) & 0xff));
      }
      if (padding > 2) {
        return null;
      }
      if (padding > 0) {
        break;
      }
    }
    return text.isEmpty() ? null : text.toString();
  }

  /**
   * Flags of a reply to a meta request, in their order: opaque, key, and the known facts about the
   * item.
   *
   * @param item null for none
   */
  static String echoed(MetaFlags flags, Items.@Nullable Item item) {
    StringBuilder text = new StringBuilder();
    for (String flag : flags.tokens()) {
      switch (flag.charAt(0)) {
        case 'O' -> text.append(' ').append(flag);
        case 'k' -> text.append(" k").append(flags.echoedKey());
        case 'c' -> text.append(item == null ? "" : " c" + item.cas());
        case 'f' -> text.append(item == null ? "" : " f" + item.flags());
        case 's' -> text.append(item == null ? "" : " s" + item.value().length);
        case 't' -> text.append(item == null ? "" : " t-1");
        case 'h', 'l' -> text.append(item == null ? "" : " " + flag.charAt(0) + "0");
        default -> {
          // not echoed
        }
      }
    }
    return text.toString();
  }

  final void mg(MetaFlags flags) {
    Items.Item held = items.get(flags.key());
    if (held == null && flags.has('N')) {
      held = items.put(flags.key(), new byte[0], 0);
      live(flags.key(), (int) flags.number('N', 0));
    }
    if (held != null && flags.has('T')) {
      live(flags.key(), (int) flags.number('T', 0));
    }
    if (held == null) {
      if (!flags.has('q')) {
        insist("EN" + echoed(flags, null));
      }
    } else if (flags.has('v')) {
      insist("VA " + held.value().length + echoed(flags, held));
      write(held.value());
      insist("");
    } else {
      insist("HD" + echoed(flags, held));
    }
  }

  final void ms(MetaFlags flags, byte[] value) {
    String command =
        switch (flags.mode("S").toUpperCase(Locale.ROOT)) {
          case "E" -> "add";
          case "A" -> "append";
          case "P" -> "prepend";
          case "R" -> "replace";
          default -> flags.has('C') ? "cas" : "set";
        };
    int exptime = (int) flags.number('T', 0);
    String result =
        store(
            command,
            flags.key(),
            value,
            flags.number('F', 0) & 0xffff_ffffL,
            flags.number('C', 0),
            exptime);
    String code =
        switch (result) {
          case "STORED" -> "HD";
          case "EXISTS" -> "EX";
          case "NOT_FOUND" -> "NF";
          default -> "NS";
        };
    if (!code.equals("HD") || !flags.has('q')) {
      Items.Item held = items.get(flags.key());
      Items.Item told = held == null ? new Items.Item(value, 0, 0) : held;
      insist(code + echoed(flags.only("Okcs"), told));
    }
  }

  final void md(MetaFlags flags) {
    boolean found = items.get(flags.key()) != null;
    if (found && !flags.has('I') && !flags.has('x')) {
      items.remove(flags.key());
    }
    if (!found || !flags.has('q')) {
      insist((found ? "HD" : "NF") + echoed(flags.only("Ok"), null));
    }
  }

  final void ma(MetaFlags flags) {
    boolean up = !flags.mode("I").matches("[D-]");
    String digits = count(flags.key(), up, flags.big('D', BigInteger.ONE));
    boolean creates = digits == null && flags.has('N');
    if (creates) {
      digits = flags.big('J', BigInteger.ZERO).toString();
      items.put(flags.key(), Bytes.of(digits), 0);
      live(flags.key(), (int) flags.number('N', 0));
    } else if (digits != null && !digits.isEmpty() && flags.has('T')) {
      live(flags.key(), (int) flags.number('T', 0));
    }
    if (digits == null) {
      insist("NF" + echoed(flags.only("Ok"), null));
    } else if (digits.isEmpty()) {
      insist("CLIENT_ERROR cannot increment or decrement non-numeric value");
    } else if (!flags.has('q') || (creates && saysThatItCreates())) {
      String rest = echoed(flags.only("Okct"), items.get(flags.key()));
      insist(flags.has('v') ? "VA " + digits.length() + rest + "\r\n" + digits : "HD" + rest);
    }
  }
}
