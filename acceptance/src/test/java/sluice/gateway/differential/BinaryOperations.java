package sluice.gateway.differential;

import java.util.List;

/** The binary protocol. */
final class BinaryOperations extends Operations {
  static final List<Key> KEYS =
      List.of(
          Key.of("a"),
          Key.of("b"),
          Key.of("counter"),
          Key.of("\u00d0\u00ba\u00d0\u00bb\u00d1\u008e\u00d1\u0087"), // a word in UTF-8
          Key.of("x".repeat(250)),
          Key.of("in two words"),
          Key.of("\0\1\r\nEND\r\n\u00ff"),
          Key.of("z ".repeat(93)), // the longest that fits a line in base64
          Key.of("\n".repeat(250)));

  private static final int NO_CREATION = 0xffff_ffff;

  BinaryOperations(long seed, long epoch) {
    super(seed, epoch);
  }

  @Override
  void more() {
    Key key = dice.any(KEYS);
    int kind = dice.below(100);
    if (kind < 22) {
      get(key);
    } else if (kind < 27) {
      multiGet();
    } else if (kind < 32) {
      Opcode opcode = dice.any(List.of(Opcode.TOUCH, Opcode.GAT, Opcode.GATK));
      addRead(
          request(
              opcode,
              opcode != Opcode.TOUCH && dice.oneIn(3),
              PacketOperation.Extras.expiring(expiration()),
              key,
              Cas.NONE,
              null));
    } else if (kind < 60) {
      store(key, dice.oneIn(5) ? anyCas() : Cas.NONE, dice.value());
    } else if (kind < 66) {
      addRead(request(Opcode.GET, false, PacketOperation.Extras.NONE, key, Cas.NONE, null));
      addInformed(storing(key, Cas.LATEST, dice.value()));
    } else if (kind < 74) {
      Cas cas = dice.oneIn(4) ? anyCas() : Cas.NONE;
      add(request(Opcode.DELETE, dice.oneIn(3), PacketOperation.Extras.NONE, key, cas, null));
    } else if (kind < 90) {
      arithmetic(key);
    } else if (kind < 93) {
      add(request(Opcode.NOOP, false, PacketOperation.Extras.NONE, null, Cas.NONE, null));
    } else if (kind < 95) {
      boolean named = dice.oneIn(2);
      add(
          request(
              named ? Opcode.STAT : Opcode.VERSION,
              false,
              PacketOperation.Extras.NONE,
              named ? Key.of(dice.oneIn(2) ? "reset" : "bogus") : null,
              Cas.NONE,
              null));
    } else if (kind < 96) {
      flush();
    } else if (kind < 97) {
      add(
          request(
              dice.oneIn(2) ? Opcode.VERBOSITY : Opcode.RGET,
              false,
              PacketOperation.Extras.NONE,
              null,
              Cas.NONE,
              null));
    } else if (dice.oneIn(8)) {
      closing(key);
    } else if (dice.oneIn(4)) {
      store(key, dice.oneIn(2) ? anyCas() : Cas.NONE, dice.tooLarge());
    }
  }

  private void get(Key key) {
    addRead(
        request(
            dice.any(List.of(Opcode.GET, Opcode.GETK)),
            dice.oneIn(3),
            PacketOperation.Extras.NONE,
            key,
            Cas.NONE,
            null));
  }

  private void multiGet() {
    for (int left = 1 + dice.below(8); left > 0; left--) {
      addRead(
          request(Opcode.GETK, true, PacketOperation.Extras.NONE, dice.any(KEYS), Cas.NONE, null));
    }
    add(request(Opcode.NOOP, false, PacketOperation.Extras.NONE, null, Cas.NONE, null));
  }

  private void store(Key key, Cas cas, Value value) {
    add(storing(key, cas, value));
  }

  private Operation storing(Key key, Cas cas, Value value) {
    Opcode opcode =
        dice.any(
            List.of(
                Opcode.SET,
                Opcode.SET,
                Opcode.SET,
                Opcode.ADD,
                Opcode.REPLACE,
                Opcode.APPEND,
                Opcode.PREPEND));
    boolean plain = opcode.extras.isEmpty();
    PacketOperation.Extras extras =
        plain
            ? PacketOperation.Extras.NONE
            : new PacketOperation.Extras((int) flags(), expiration(), 0, 0);
    return request(opcode, dice.oneIn(3), extras, key, cas, value);
  }

  private void arithmetic(Key key) {
    boolean down = dice.oneIn(2);
    PacketOperation.Extras extras =
        new PacketOperation.Extras(
            0,
            dice.oneIn(2) ? NO_CREATION : expiration(),
            down ? decrement() : increment(),
            increment());
    Cas cas = dice.oneIn(6) ? anyCas() : Cas.NONE;
    Opcode opcode = down ? Opcode.DECR : Opcode.INCR;
    addArithmetic(request(opcode, dice.oneIn(3), extras, key, cas, null));
  }

  private void flush() {
    if (dice.oneIn(3)) { // and what it does not do yet is done at once
      PacketOperation.Extras later = PacketOperation.Extras.expiring(100_000);
      add(request(Opcode.FLUSH, false, later, null, Cas.NONE, null));
    }
    add(request(Opcode.FLUSH, dice.oneIn(3), PacketOperation.Extras.NONE, null, Cas.NONE, null));
  }

  private int expiration() {
    return dice.oneIn(15) ? 0xffff_ffff : (int) timeToLive();
  }

  private void closing(Key key) {
    int kind = dice.below(4);
    Opcode opcode = kind == 0 ? Opcode.QUIT : dice.any(List.of(Opcode.GET, Opcode.DELETE));
    add(
        new PacketOperation(
            nextNumber(),
            opcode,
            dice.oneIn(2),
            nextNumber(),
            PacketOperation.Extras.NONE,
            kind == 0 || kind == 1 ? null : kind == 2 ? Key.of("y".repeat(251)) : key,
            Cas.NONE,
            null,
            kind == 3 ? 4 : 0,
            Answer.CLOSES,
            false));
  }

  // Opaques are the client's to choose, and need not differ: then a fence tells whose reply it is.
  private Operation request(
      Opcode opcode, boolean quiet, PacketOperation.Extras extras, Key key, Cas cas, Value value) {
    int number = nextNumber();
    boolean odd = opcode != Opcode.NOOP && dice.oneIn(15);
    return new PacketOperation(
        number,
        opcode,
        quiet,
        odd ? dice.any(List.of(0, -1, 0x0d0a_0d0a)) : number,
        extras,
        key,
        cas,
        value,
        0,
        odd ? Answer.FENCED : quiet ? Answer.MAYBE : Answer.ALWAYS,
        false);
  }
}
