package sluice.gateway.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The classic protocol. */
final class TextOperations extends Operations {
  static final List<Key> KEYS =
      List.of(
          Key.of("a"),
          Key.of("b"),
          Key.of("key"),
          Key.of("counter"),
          Key.of("noreply"),
          Key.of("\1control"),
          Key.of("\u00d0\u00ba\u00d0\u00bb\u00d1\u008e\u00d1\u0087"), // a word in UTF-8
          Key.of("=%\"'{}\\"),
          Key.of("x".repeat(250)));

  /** Lines that are wrong in one way or another; K is a key. */
  private static final List<String> WRONG =
      List.of(
          "",
          "a",
          "bogus",
          "GET K",
          "get",
          "gets",
          "gat 0",
          "gat abc K",
          "set K 0 0",
          "set K 0 0 abc",
          "set K 0 0 -1",
          "set K 0 0 3\r\nabcde",
          "set K 0 0 1 noreply\r\nabc",
          "set K x 0 2\r\nzz",
          "set " + "y".repeat(251) + " 0 0 2\r\nzz",
          "add K 0 abc 2\r\nzz",
          "cas K 0 0 2 abc\r\nzz",
          "append K 0 0 ",
          "delete",
          "delete K 10",
          "delete K 0",
          "incr K",
          "incr K abc",
          "incr K -1",
          "decr K 18446744073709551616",
          "incr K abc noreply",
          "touch K",
          "touch K abc",
          "flush_all abc",
          "verbosity");

  TextOperations(long seed, long epoch) {
    super(seed, epoch);
  }

  @Override
  void more() {
    Key key = dice.any(KEYS);
    int kind = dice.below(100);
    if (kind < 20) {
      get(dice.oneIn(2) ? "get" : "gets");
    } else if (kind < 25) {
      get((dice.oneIn(2) ? "gat " : "gats ") + exptime());
    } else if (kind < 41) {
      store("set", key, Cas.NONE);
    } else if (kind < 58) {
      store(dice.any(List.of("add", "replace", "append", "prepend")), key, Cas.NONE);
    } else if (kind < 64) {
      addRead(line("gets " + key.token(), List.of(key)));
      addInformed(storing("cas", key, Cas.LATEST, dice.value()));
    } else if (kind < 69) {
      store("cas", key, anyCasOrZero());
    } else if (kind < 76) {
      add(maybeSilent("delete " + key.token(), key));
    } else if (kind < 88) {
      String request =
          dice.oneIn(2)
              ? "incr " + key.token() + ' ' + Long.toUnsignedString(increment())
              : "decr " + key.token() + ' ' + Long.toUnsignedString(decrement());
      addArithmetic(maybeSilent(request, key));
    } else if (kind < 93) {
      addRead(maybeSilent("touch " + key.token() + ' ' + exptime(), key)); // meta reads to touch
    } else if (kind < 94) {
      flush();
    } else if (kind < 96) {
      add(
          line(
              dice.any(List.of("version", "mn", "verbosity 0", "stats reset", "stats bogus")),
              List.of()));
    } else if (kind < 99) {
      if (dice.oneIn(15)) { // replies on their way to the client are lost with it
        addInformed(fenced("get " + "y".repeat(251) + ' ' + key.token(), key));
      } else {
        addRead(fenced(dice.any(WRONG).replace("K", key.token()), key));
      }
    } else if (dice.oneIn(4)) {
      if (dice.oneIn(3)) {
        addInformed(closing("POST / HTTP/1.1")); // replies on their way may be lost with it
      } else {
        add(closing(dice.oneIn(2) ? "quit" : "quit now"));
      }
    } else {
      String command =
          dice.any(List.of("set", "add", "replace", "append", "prepend", "cas", "cas"));
      Cas cas = command.equals("cas") ? anyCas() : Cas.NONE;
      add(storing(command, key, cas, dice.tooLarge()));
    }
  }

  private long exptime() {
    return dice.oneIn(12) ? -1 : timeToLive();
  }

  private void get(String command) {
    List<Key> keys = new ArrayList<>();
    int count = dice.oneIn(2) ? 1 : 1 + dice.below(6);
    while (keys.size() < count) {
      keys.add(dice.any(KEYS));
    }
    String names = keys.stream().map(Key::token).collect(Collectors.joining(" "));
    addRead(line(command + ' ' + names, keys));
  }

  private void store(String command, Key key, Cas cas) {
    add(storing(command, key, cas, dice.value()));
  }

  private LineOperation storing(String command, Key key, Cas cas, Value value) {
    boolean silent = dice.oneIn(6);
    String text =
        "%s %s %d %d %d%s%s"
            .formatted(
                command,
                key.token(),
                flags(),
                exptime(),
                value.length(),
                cas == Cas.NONE ? "" : ' ' + LineOperation.CAS,
                silent ? " noreply" : "");
    return new LineOperation(
        nextNumber(),
        text,
        "\r\n",
        List.of(key),
        cas,
        value,
        silent ? Answer.NEVER : Answer.ALWAYS,
        false);
  }

  private void flush() {
    if (dice.oneIn(3)) {
      add(line("flush_all 100000", List.of())); // and what it does not do yet is done at once
    }
    add(dice.oneIn(3) ? line("flush_all -1", List.of()) : maybeSilent("flush_all"));
  }

  private LineOperation maybeSilent(String text, Key... keys) {
    boolean silent = dice.oneIn(5);
    return new LineOperation(
        nextNumber(),
        silent ? text + " noreply" : text,
        "\r\n",
        List.of(keys),
        Cas.NONE,
        null,
        silent ? Answer.NEVER : Answer.ALWAYS,
        false);
  }

  private LineOperation line(String text, List<Key> keys) {
    String spaced = dice.oneIn(30) ? text.replace(" ", "  ") + ' ' : text;
    String lineEnd = dice.oneIn(30) ? "\n" : "\r\n";
    return new LineOperation(
        nextNumber(), spaced, lineEnd, keys, Cas.NONE, null, Answer.ALWAYS, false);
  }

  private LineOperation fenced(String text, Key key) {
    return new LineOperation(
        nextNumber(), text, "\r\n", List.of(key), Cas.NONE, null, Answer.FENCED, false);
  }

  private LineOperation closing(String text) {
    return new LineOperation(
        nextNumber(), text, "\r\n", List.of(), Cas.NONE, null, Answer.CLOSES, false);
  }
}
