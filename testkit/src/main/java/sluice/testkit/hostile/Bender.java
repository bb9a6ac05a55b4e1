package sluice.testkit.hostile;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;

/** Generator of text-protocol requests that are almost valid, or completely invalid. */
public final class Bender {
  private static final String[] KEYS = {
    "a", "b", "c", "noreply", "get", "", "0", "1", "\0", "a\0b", "a\tb", "a\rb", "\u00e9", "a\nb",
  };
  private static final String[] FOREIGN = {
    "noreply", "canary:0", "canary:1", "canary:2", "get", "mn", "END", "a", "\0", "set", "",
  };
  private static final String[] NUMBERS = {
    "0",
    "0",
    "0",
    "0",
    "1",
    "1",
    "2",
    "60",
    "100",
    "+1",
    "-1",
    "-0",
    "00",
    "007",
    "0000000000000000017",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999",
    "-2147483649",
    "1x",
    "x",
    "0x10",
    "1e3",
    "2592000",
    "2592001",
    "noreply",
    "1\0",
    "\0001",
    "1\t",
    "17\r",
  };
  private static final String[] SLICES = {
    "flush_all\r\n",
    "flush_all 0 noreply\r\n",
    "delete canary:0\r\n",
    "delete canary:1 noreply\r\n",
    "set canary:2 0 0 1\r\nx\r\n",
    "incr canary:0 5\r\n",
    "set smuggled 0 0 1\r\nx\r\n",
    "ms smuggled 1\r\nx\r\n",
    "verbosity 2\r\n",
    "cache_memlimit 99\r\n",
    "stats detail on\r\n",
    "MN\r\n",
    "MN\r\nSTORED\r\n",
    "END\r\n",
    "HD\r\n",
    "EN\r\n",
    "STORED\r\n",
    "ERROR\r\n",
    "VALUE nb:a0:0 7 3\r\nxxx\r\nEND\r\n",
    "mn\r\n",
    "get canary:0\r\n",
    "quit\r\n",
    "\r\n",
    "\0",
    "x",
    "17",
    "plain",
    "flush",
  };
  private static final String[] KEYLESS = {
    "stats",
    "stats items",
    "stats slabs",
    "stats settings",
    "stats sizes",
    "stats conns",
    "stats detail dump",
    "stats detail on",
    "stats detail off",
    "stats detail",
    "stats cachedump 1 0",
    "stats cachedump 2 0",
    "stats cachedump 3 10",
    "stats cachedump",
    "stats reset",
    "stats extstore",
    "stats proxy",
    "stats noreply",
    "stats a b c",
    "version",
    "version noreply",
    "flush_all",
    "flush_all noreply",
    "flush_all 0",
    "flush_all 0 noreply",
    "flush_all noreply noreply",
    "flush_all -1",
    "verbosity 1",
    "verbosity",
    "verbosity noreply",
    "verbosity 1 noreply",
    "verbosity 1 noreply noreply",
    "cache_memlimit 100",
    "cache_memlimit 100 noreply",
    "slabs automove 1",
    "slabs reassign 1 2",
    "lru tune 10 20 1 2",
    "lru mode flat",
    "lru_crawler enable",
    "lru_crawler metadump all",
    "lru_crawler mgdump all",
    "lru_crawler crawl all",
    "watch",
    "watch fetchers",
    "watch mutations",
    "shutdown",
    "quit",
    "shutdown graceful",
    "extstore free_memchunks 1 2",
    "refresh_certs",
    "misbehave",
    "debugtime",
    "mn",
    "mn x",
    "mn noreply",
    "me",
    "mg",
    "ms",
    "md",
    "ma",
    "get",
    "gets",
    "gat",
    "set",
    "cas",
    "delete",
    "incr",
    "touch",
    "noreply",
    "",
    " ",
    "\0",
    "\0 mn",
    "x",
    "GET a",
    "Set",
    "getx a",
    "mx a",
    "m",
    "nothing noreply",
    "a HTTP/1.1",
  };
  private static final String[] STORAGE = {
    "set", "set", "set", "add", "replace", "append", "prepend", "cas",
  };
  private static final String[] META_FLAGS = {
    "v",
    "k",
    "f",
    "c",
    "t",
    "s",
    "h",
    "l",
    "u",
    "q",
    "b",
    "x",
    "I",
    "Oab",
    "O",
    "O0",
    "Oab Oab",
    "MS",
    "MA",
    "MI",
    "ME",
    "MR",
    "Mx",
    "M",
    "MSx",
    "ms",
    "T0",
    "T60",
    "T-1",
    "T2147483648",
    "T",
    "N0",
    "N60",
    "N",
    "R30",
    "R",
    "J5",
    "J",
    "J18446744073709551616",
    "D1",
    "D",
    "Dx",
    "C0",
    "C1",
    "Cx",
    "C",
    "E5",
    "E",
    "F5",
    "F4294967296",
    "F",
    "S2",
    "S",
    "Px",
    "P",
    "Lx",
    "L",
    "noreply",
    "\0",
    "v\0",
    "O\0",
    "Ox\0y",
    "z",
    "Z",
    "1",
    "W",
    "X",
    "-",
    "O:",
    "O\t",
    "k\r",
    "vk",
    "qq",
    "G",
  };

  private final Random random;
  private final String prefix;

  /**
   * A generator whose keys mostly begin with prefix.
   *
   * @param random source of all choices
   */
  public Bender(Random random, String prefix) {
    this.random = random;
    this.prefix = prefix;
  }

  /** The next request, including its data block. */
  public byte[] next() {
    int kind = random.nextInt(100);
    if (kind < 12) {
      return end(bend(split(one(KEYLESS))));
    }
    if (kind < 40) {
      return storage();
    }
    if (kind < 62) {
      return end(bend(simple()));
    }
    return meta();
  }

  private static List<String> split(String line) {
    return new ArrayList<>(List.of(line.split(" ", -1)));
  }

  private List<String> simple() {
    List<String> tokens = new ArrayList<>();
    switch (random.nextInt(9)) {
      case 0, 1 -> {
        tokens.add(random.nextBoolean() ? "get" : "gets");
        keys(tokens);
      }
      case 2 -> {
        tokens.add(random.nextBoolean() ? "gat" : "gats");
        tokens.add(number());
        keys(tokens);
      }
      case 3, 4 -> {
        tokens.add("delete");
        tokens.add(key());
        if (rarely()) {
          tokens.add(number());
        }
      }
      case 5, 6 -> {
        tokens.add(random.nextBoolean() ? "incr" : "decr");
        tokens.add(key());
        tokens.add(number());
      }
      default -> {
        tokens.add("touch");
        tokens.add(key());
        tokens.add(number());
      }
    }
    noreply(tokens);
    return tokens;
  }

  private void keys(List<String> tokens) {
    int count = random.nextInt(8) == 0 ? 20 + random.nextInt(10) : 1 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      tokens.add(key());
    }
  }

  private void noreply(List<String> tokens) {
    int kind = random.nextInt(10);
    if (kind < 2) {
      tokens.add("noreply");
    } else if (kind == 2) {
      tokens.add("noreply");
      tokens.add(random.nextBoolean() ? "noreply" : "");
    }
  }

  private byte[] storage() {
    byte[] value = value();
    String command = one(STORAGE);
    List<String> tokens = new ArrayList<>();
    tokens.add(command);
    tokens.add(key());
    tokens.add(random.nextInt(5) == 0 ? number() : "0");
    tokens.add(random.nextInt(5) == 0 ? number() : "0");
    tokens.add(length(value.length));
    if (command.equals("cas")) {
      tokens.add(random.nextInt(3) == 0 ? number() : "1");
    }
    noreply(tokens);
    return Bytes.concat(end(bend(tokens)), value, chunkEnd());
  }

  private byte[] meta() {
    List<String> tokens = new ArrayList<>();
    byte[] value = null;
    boolean base64 = random.nextInt(5) == 0;
    String key = base64 ? encoded() : key();
    switch (random.nextInt(8)) {
      case 0, 1, 2 -> {
        value = value();
        tokens.add("ms");
        tokens.add(key);
        tokens.add(length(value.length));
      }
      case 3 -> {
        tokens.add("md");
        tokens.add(key);
      }
      case 4 -> {
        tokens.add("ma");
        tokens.add(key);
      }
      case 5 -> {
        tokens.add("me");
        tokens.add(key);
      }
      default -> {
        tokens.add("mg");
        tokens.add(key);
      }
    }
    int count = random.nextInt(12) == 0 ? 20 + random.nextInt(8) : random.nextInt(5);
    for (int i = 0; i < count; i++) {
      tokens.addAll(split(one(META_FLAGS)));
    }
    if (base64) {
      tokens.add(tokens.size() > 3 && random.nextBoolean() ? 3 : tokens.size(), "b");
    }
    if (random.nextInt(6) == 0) {
      tokens.add("O" + "o".repeat(29 + random.nextInt(5)));
    }
    byte[] line = end(bend(tokens));
    return value == null ? line : Bytes.concat(line, value, chunkEnd());
  }

  private byte[] chunkEnd() {
    return switch (random.nextInt(25)) {
      case 0 -> Bytes.of("\n");
      case 1 -> Bytes.of("x\r\n");
      case 2 -> Bytes.of("");
      case 3 -> Bytes.of("\r\n\r\n");
      default -> Bytes.of("\r\n");
    };
  }

  private String key() {
    int kind = random.nextInt(20);
    if (kind == 0) {
      return one(FOREIGN);
    }
    if (kind == 1) {
      int length = 185 + random.nextInt(68);
      return prefix + "k".repeat(Math.max(0, length - prefix.length()));
    }
    if (kind < 8) {
      return prefix + one(KEYS);
    }
    return prefix + KEYS[random.nextInt(3)];
  }

  private String encoded() {
    String raw =
        switch (random.nextInt(8)) {
          case 0 -> prefix + "\r\nSTORED\r\n";
          case 1 -> prefix + "a\r\nEND\r\nVALUE nb:a0:0 7 3\r\nxxx\r\nEND";
          case 2 -> prefix + "k".repeat(130 + random.nextInt(60) - prefix.length());
          case 3 -> prefix + " ";
          case 4 -> one(FOREIGN);
          case 5 -> prefix + "\nflush_all\n";
          default -> prefix + one(KEYS);
        };
    String encoded = Base64.getEncoder().encodeToString(Bytes.of(raw));
    return switch (random.nextInt(10)) {
      case 0 -> encoded.replace("=", "");
      case 1 -> encoded + "=";
      case 2 -> encoded + "!";
      case 3 -> "=" + encoded;
      default -> encoded;
    };
  }

  private byte[] value() {
    int kind = random.nextInt(30);
    if (kind == 0) {
      return Bytes.of("x".repeat(4_090 + random.nextInt(12))); // around itemSize
    }
    if (kind == 1) {
      return Bytes.of((one(SLICES) + "y").repeat(200)); // compressed, or in chunks
    }
    StringBuilder value = new StringBuilder();
    for (int i = random.nextInt(4); i > 0; i--) {
      value.append(one(SLICES));
    }
    String text = value.toString();
    if (text.endsWith("\r\n") && random.nextBoolean()) {
      text = text.substring(0, text.length() - 2); // then the end of the chunk ends the command
    }
    return Bytes.of(text);
  }

  private String length(int length) {
    return switch (random.nextInt(16)) {
      case 0 -> number();
      case 1 -> "0".repeat(1 + random.nextInt(14)) + length;
      case 2 -> "0".repeat(Math.max(1, 12 - Integer.toString(length).length())) + length;
      case 3 -> "+" + length;
      case 4 -> Integer.toString(Math.max(0, length - 1 - random.nextInt(2)));
      case 5 -> Integer.toString(length + 1 + random.nextInt(2));
      case 6 -> Long.toString((1L << 32) + length);
      default -> Integer.toString(length);
    };
  }

  private String number() {
    return one(NUMBERS);
  }

  private String one(String[] of) {
    return of[random.nextInt(of.length)];
  }

  private boolean rarely() {
    return random.nextInt(4) == 0;
  }

  private String bend(List<String> tokens) {
    int times = random.nextInt(5) < 2 ? 1 + random.nextInt(2) : 0;
    for (int i = 0; i < times; i++) {
      int at = random.nextInt(tokens.size() + 1);
      int of = random.nextInt(tokens.size());
      switch (random.nextInt(8)) {
        case 0 -> tokens.add(at, tokens.get(of));
        case 1 -> tokens.add(at, "noreply");
        case 2 -> tokens.add(at, number());
        case 3 -> tokens.add(at, key());
        case 4 -> tokens.add("0");
        case 5 -> tokens.set(of, number());
        case 6 -> {
          if (tokens.size() > 1) {
            tokens.remove(of);
          }
        }
        default -> {
          int count = 18 + random.nextInt(10);
          while (tokens.size() < count) {
            tokens.add(at, "x");
          }
        }
      }
    }
    String line = String.join(" ", tokens);
    if (rarely()) {
      line = letters(line);
    }
    return line;
  }

  private String letters(String line) {
    int at = random.nextInt(line.length() + 1);
    String head = line.substring(0, at);
    String tail = line.substring(at);
    int space = line.indexOf(' ', at);
    return switch (random.nextInt(12)) {
      case 0 -> head + "\0" + tail;
      case 1 -> head + "\r" + tail;
      case 2 -> head + "\t" + tail;
      case 3 -> " " + line;
      case 4 -> line + " ";
      case 5 -> line + "  ";
      case 6 -> space < 0 ? line : line.substring(0, space) + ' ' + line.substring(space);
      case 7 -> space < 0 ? line : line.substring(0, space) + '\t' + line.substring(space + 1);
      case 8 -> space < 0 ? line : line.substring(0, space) + '\0' + line.substring(space + 1);
      case 9 -> longer(line, ' ');
      case 10 -> longer(line + " ", 'x');
      default -> head + (char) random.nextInt(256) + tail;
    };
  }

  private String longer(String line, char with) {
    int length = 2_040 + random.nextInt(12);
    String fill = Character.toString(with).repeat(Math.max(0, length - line.length()));
    int space = line.indexOf(' ');
    return with == ' ' && space >= 0 && random.nextBoolean()
        ? line.substring(0, space) + fill + line.substring(space)
        : line + fill;
  }

  private byte[] end(String line) {
    return Bytes.of(
        line
            + switch (random.nextInt(25)) {
              case 0 -> "\n";
              case 1 -> "\r\r\n";
              case 2 -> " \r\n";
              default -> "\r\n";
            });
  }
}
