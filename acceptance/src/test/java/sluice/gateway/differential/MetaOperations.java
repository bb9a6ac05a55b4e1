package sluice.gateway.differential;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The meta protocol, with a classic command now and then. */
final class MetaOperations extends Operations {
  static final List<Key> KEYS =
      List.of(
          Key.of("a"),
          Key.of("b"),
          Key.of("counter"),
          Key.of("\u00d0\u00ba\u00d0\u00bb\u00d1\u008e\u00d1\u0087"), // a word in UTF-8
          Key.of("x".repeat(250)),
          new Key("counter", true), // of two names one key
          new Key("in two words", true),
          new Key("\0\1\r\nEND\r\n\u00ff", true),
          new Key("z ".repeat(93), true)); // the longest that fits in base64

  /** Requests that are wrong in one way or another; K is a key. */
  private static final List<String> WRONG =
      List.of(
          "mg",
          "mg K v v",
          "mg K !",
          "mg K v ?",
          "mg K E1",
          "mg K Tx v",
          "mg K O" + "o".repeat(32),
          "mg Zm8 b v",
          "mg " + "y".repeat(251) + " v",
          "mg K s v t f h l k O1 q u P1 L2 P3 L4 P5 P6 P7 P8 P9 P0",
          "ms K",
          "ms K abc",
          "ms K -1",
          "ms K S2",
          "ms K 2 MX\r\nzz",
          "ms K 2 Me\r\nzz",
          "ms K 2 F0 F1\r\nzz",
          "ms K 2 Tx\r\nzz",
          "ms K 2 Cx\r\nzz",
          "ms K 3\r\nabcde",
          "ms K 3 q\r\nabcde",
          "md",
          "md K q q",
          "md K E1",
          "ma",
          "ma K MX",
          "ma K Md",
          "ma K Mi",
          "ma K Dx",
          "ma K Jx",
          "ma K v v");

  MetaOperations(long seed, long epoch) {
    super(seed, epoch);
  }

  @Override
  void more() {
    Key key = dice.any(KEYS);
    int kind = dice.below(100);
    if (kind < 32) {
      get(key);
    } else if (kind < 58) {
      set(key, dice.oneIn(6) ? anyCasOrZero() : Cas.NONE);
    } else if (kind < 64) {
      addRead(meta("mg", key, null, new ArrayList<>(List.of("c", "t")), Cas.NONE, false));
      addInformed(setting(key, Cas.LATEST, dice.value()));
    } else if (kind < 73) {
      delete(key);
    } else if (kind < 88) {
      arithmetic(key);
    } else if (kind < 91) {
      add(line(dice.oneIn(2) ? "mn" : "mn whatever", null));
    } else if (kind < 93) {
      addRead(line("me " + key.token() + (key.base64() ? " b" : ""), key));
    } else if (kind < 96 && key.isPlain() && !key.base64()) {
      classic(key);
    } else if (kind < 97) {
      add(line(dice.any(List.of("flush_all", "version", "verbosity 0", "stats bogus")), null));
    } else if (dice.oneIn(4)) {
      add(setting(key, dice.oneIn(3) ? anyCas() : Cas.NONE, dice.tooLarge()));
    } else {
      Key plain = key.isPlain() ? Key.of(key.raw()) : KEYS.get(0);
      addRead(fenced(dice.any(WRONG).replace("K", plain.raw()), plain));
    }
  }

  private void get(Key key) {
    List<String> flags = some("v", "v", "c", "f", "s", "t", "h", "l", "u");
    if (dice.oneIn(8)) {
      flags.add("T" + timeToLive());
    }
    if (dice.oneIn(10)) {
      flags.add("N" + dice.any(List.of(0, 10_000, 20_000)));
    }
    if (dice.oneIn(10)) {
      flags.add("R" + dice.any(List.of(30, 15_000, 30_000)));
    }
    if (dice.oneIn(40)) {
      flags.add("C123");
    }
    addRead(meta("mg", key, null, flags, Cas.NONE, dice.oneIn(3)));
  }

  private void set(Key key, Cas cas) {
    add(setting(key, cas, dice.value()));
  }

  private Operation setting(Key key, Cas cas, Value value) {
    List<String> flags = some("c", "s", "f");
    if (dice.oneIn(2)) {
      flags.add("F" + flags());
    }
    if (dice.oneIn(2)) {
      flags.add("T" + (dice.oneIn(12) ? -1 : timeToLive()));
    }
    if (dice.oneIn(2)) {
      flags.add("M" + dice.any(List.of("S", "E", "A", "P", "R")));
    }
    if (cas != Cas.NONE && dice.oneIn(3)) {
      flags.add("I");
    }
    if (dice.oneIn(15)) {
      flags.add("N" + dice.any(List.of(0, 10_000)));
    }
    return meta("ms", key, value, flags, cas, dice.oneIn(3));
  }

  private void delete(Key key) {
    Cas cas = dice.oneIn(4) ? anyCasOrZero() : Cas.NONE;
    List<String> flags = new ArrayList<>();
    if (dice.oneIn(2)) {
      flags.add("I");
      if (dice.oneIn(2)) {
        flags.add("T" + dice.any(List.of(10_000, 20_000)));
      }
    }
    add(meta("md", key, null, flags, cas, dice.oneIn(3)));
  }

  private void arithmetic(Key key) {
    List<String> flags = some("v", "v", "c", "t");
    boolean down = dice.oneIn(3);
    if (down) {
      flags.add("M" + dice.any(List.of("D", "-")));
    } else if (dice.oneIn(3)) {
      flags.add("M" + dice.any(List.of("I", "+")));
    }
    if (dice.oneIn(2)) {
      flags.add("D" + Long.toUnsignedString(down ? decrement() : increment()));
    }
    if (dice.oneIn(3)) {
      flags.add("N" + dice.any(List.of(0, 10_000, 20_000)));
      if (dice.oneIn(2)) {
        flags.add("J" + increment());
      }
    }
    if (dice.oneIn(8)) {
      flags.add("T" + timeToLive());
    }
    Cas cas = dice.oneIn(5) ? anyCasOrZero() : Cas.NONE;
    addArithmetic(meta("ma", key, null, flags, cas, dice.oneIn(4)));
  }

  private void classic(Key key) {
    String token = key.token();
    switch (dice.below(5)) {
      case 0 -> addRead(line("get " + token, key));
      case 1 -> {
        addRead(line("gets " + token + " b a", key));
        alsoRead(List.of("b", "a"));
      }
      case 2 -> addArithmetic(line("incr " + token + " 1", key));
      case 3 -> addRead(line("touch " + token + " 10000", key));
      default -> {
        Value value = dice.value();
        String text = "set " + token + ' ' + flags() + " 0 " + value.length();
        add(
            new LineOperation(
                nextNumber(), text, "\r\n", List.of(key), Cas.NONE, value, Answer.ALWAYS, false));
      }
    }
  }

  private List<String> some(String... flags) {
    List<String> some = new ArrayList<>();
    for (String flag : flags) {
      if (!some.contains(flag) && dice.oneIn(2)) {
        some.add(flag);
      }
    }
    return some;
  }

  /** A request with these flags and those that any has, in any order. */
  private Operation meta(
      String command, Key key, Value value, List<String> flags, Cas cas, boolean quiet) {
    int number = nextNumber();
    boolean named = dice.oneIn(2);
    if (key.base64()) {
      flags.add("b");
    }
    if (dice.oneIn(4)) {
      flags.add("k");
    }
    if (cas != Cas.NONE) {
      flags.add("C" + LineOperation.CAS);
    }
    if (named) {
      flags.add(Replies.token(number));
    }
    if (quiet) {
      flags.add("q");
    }
    if (dice.oneIn(20)) {
      flags.add("Pany");
    }
    if (dice.oneIn(20)) {
      flags.add("Lany");
    }
    for (int i = flags.size() - 1; i > 0; i--) {
      Collections.swap(flags, i, dice.below(i + 1));
    }
    String length = value == null ? "" : " " + value.length();
    String text = command + ' ' + key.token() + length + ' ' + String.join(" ", flags);
    return new LineOperation(
        number,
        text.stripTrailing(),
        "\r\n",
        List.of(key),
        cas,
        value,
        answer(command, value, flags, named, quiet),
        false);
  }

  // An error line names no request: a quiet one that may draw one is told by a fence of its own.
  private static Answer answer(
      String command, Value value, List<String> flags, boolean named, boolean quiet) {
    boolean mayFail =
        command.equals("ma")
            || (value != null && value.length() > 1_000_000)
            || flags.stream().anyMatch(flag -> flag.startsWith("M") || flag.startsWith("N"));
    return !quiet ? Answer.ALWAYS : named && !mayFail ? Answer.MAYBE : Answer.FENCED;
  }

  private LineOperation line(String text, Key key) {
    return new LineOperation(
        nextNumber(),
        text,
        "\r\n",
        key == null ? List.of() : List.of(key),
        Cas.NONE,
        null,
        Answer.ALWAYS,
        false);
  }

  private LineOperation fenced(String text, Key key) {
    return new LineOperation(
        nextNumber(), text, "\r\n", List.of(key), Cas.NONE, null, Answer.FENCED, false);
  }
}
