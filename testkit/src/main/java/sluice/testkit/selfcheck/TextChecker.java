package sluice.testkit.selfcheck;

import java.util.Locale;

/** Checker of classic text. Replies arrive in order, and only hits name a key. */
final class TextChecker extends CheckedConnection {
  TextChecker(Plan plan) {
    super(plan);
  }

  @Override
  void number(Expectation request) {
    String key = request.counter().key;
    switch (request.kind) {
      case CREATE -> {
        String first = Long.toString(request.delta);
        out.ascii("set " + key + " 0 0 " + first.length() + "\r\n" + first + "\r\n");
      }
      case COUNT ->
          out.ascii(request.delta < 0 ? "decr " : "incr ")
              .ascii(key + ' ' + Math.abs(request.delta) + "\r\n");
      default -> out.ascii("get " + key + "\r\n");
    }
  }

  @Override
  void requestValue() {
    int kind = random.nextInt(100);
    if (kind < 40) {
      get(1, kind < 5);
    } else if (kind < 54) {
      get(kind < 52 ? 8 : 100, kind < 44);
    } else if (kind < 76) {
      store(Expectation.Mode.SET, false);
    } else if (kind < 80) {
      store(kind < 78 ? Expectation.Mode.ADD : Expectation.Mode.REPLACE, false);
    } else if (kind < 90) {
      delete(false);
    } else if (kind < 93) {
      store(Expectation.Mode.SET, true);
    } else if (kind < 94) {
      delete(true);
    } else if (kind < 97 && !plan.ignite()) {
      Expectation touch = expect(new Expectation(Expectation.Kind.TOUCH, nextToken(), false));
      touch.keys = new KeyState[] {readKey()};
      out.ascii("touch " + touch.key().key + " 0\r\n");
    } else if (kind < 99 && !plan.classicOnly()) {
      expect(new Expectation(Expectation.Kind.FENCE, nextToken(), false));
      out.ascii("mn\r\n");
    } else {
      expect(new Expectation(Expectation.Kind.VERSION, nextToken(), false));
      out.ascii("version\r\n");
    }
  }

  @Override
  String dialect() {
    return "text";
  }

  private void get(int most, boolean cas) {
    Expectation get = expect(new Expectation(Expectation.Kind.GET, nextToken(), false));
    get.keys = most == 1 ? new KeyState[] {readKey()} : readKeys(most);
    get.flags = cas && !plan.ignite() ? "gets" : "get";
    out.ascii(get.flags);
    for (KeyState key : get.keys) {
      out.int8(' ').ascii(key.key);
    }
    out.ascii("\r\n");
  }

  private void store(Expectation.Mode mode, boolean noreply) {
    Expectation store = expect(new Expectation(Expectation.Kind.STORE, nextToken(), noreply));
    store.keys = new KeyState[] {anyKey()};
    store.mode = orCas(mode);
    store.compared = store.mode == Expectation.Mode.CAS ? store.key().unique() : 0;
    store.write = newWrite(store);
    out.ascii(store.mode.name().toLowerCase(Locale.ROOT))
        .ascii(" " + store.key().key + ' ' + Integer.toUnsignedString(store.write.flags()) + " 0 ")
        .ascii(
            store.write.length + (store.mode == Expectation.Mode.CAS ? " " + store.compared : ""))
        .ascii(noreply ? " noreply\r\n" : "\r\n")
        .bytes(store.write.value())
        .ascii("\r\n");
  }

  private void delete(boolean noreply) {
    Expectation delete = expect(new Expectation(Expectation.Kind.DELETE, nextToken(), noreply));
    delete.keys = new KeyState[] {anyKey()};
    delete.key().asked(Write.ABSENT);
    out.ascii("delete " + delete.key().key + (noreply ? " noreply\r\n" : "\r\n"));
  }

  @Override
  boolean endsSilently() {
    return pending.stream().allMatch(expectation -> expectation.quiet);
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
    passSilentOnes();
    Expectation due = pending.peek();
    if (due == null) {
      throw new WrongReply("a reply that nothing asked for");
    }
    String line = in.string(in.start, lf - 1);
    if (line.startsWith("VALUE ")) {
      return value(due, line, lf + 1);
    }
    in.start = lf + 1;
    if (line.startsWith("SERVER_ERROR")) {
      failed(due, line);
      return true;
    }
    switch (due.kind) {
      case GET -> end(due, line);
      case STORE -> stored(due, line);
      case DELETE -> {
        switch (line) {
          case "DELETED" -> due.deleted();
          case "NOT_FOUND" -> due.key().missed();
          default -> throw unexpected(due, line);
        }
      }
      case TOUCH -> {
        switch (line) {
          case "TOUCHED" -> due.key().hit(null, null, 0);
          case "NOT_FOUND" -> due.key().missed();
          default -> throw unexpected(due, line);
        }
      }
      case FENCE -> require("MN".equals(line), due, line);
      case VERSION -> require(line.startsWith("VERSION "), due, line);
      case CREATE -> {
        require("STORED".equals(line), due, line);
        due.counted(due.delta);
      }
      case COUNT -> {
        if ("NOT_FOUND".equals(line)) {
          due.counter().missed();
        } else {
          due.counted(number(due, line, line));
        }
      }
      case NUMBER -> {
        require("END".equals(line), due, line);
        if (due.answered == 0) {
          due.counter().missed();
        }
      }
    }
    answered(due);
    return true;
  }

  /** noreply requests at the head have been carried out, or were lost if that is tolerated. */
  private void passSilentOnes() {
    for (Expectation head = pending.peek(); head != null && head.quiet; head = pending.peek()) {
      pending.remove();
      tally.silent++;
      if (plan.tolerant()) {
        head.failed();
      } else if (head.kind == Expectation.Kind.STORE) {
        head.applied(0);
      } else {
        head.key().stored(Write.ABSENT, 0);
      }
    }
  }

  private static WrongReply unexpected(Expectation due, String line) {
    return new WrongReply("'" + line + "' answers " + due);
  }

  private static void require(boolean condition, Expectation due, String line) {
    if (!condition) {
      throw unexpected(due, line);
    }
  }

  private static void stored(Expectation due, String line) {
    switch (line) {
      case "STORED" -> due.stored(0);
      case "NOT_STORED" -> due.notStored();
      case "EXISTS" -> due.exists();
      case "NOT_FOUND" -> {
        require(due.mode == Expectation.Mode.CAS, due, line);
        due.key().missed();
      }
      default -> throw unexpected(due, line);
    }
  }

  private void end(Expectation due, String line) {
    require("END".equals(line), due, line);
    while (due.answered < due.keys.length) {
      due.keys[due.answered++].missed();
      tally.misses++;
    }
  }

  private static long number(Expectation due, String digits, String line) {
    require(digits.matches("[0-9]{1,19}"), due, line);
    return Long.parseLong(digits);
  }

  /** A number as it is stored: if it has become shorter, spaces follow it. */
  private boolean number(Expectation due, String line, int from) {
    String head = "VALUE " + due.counter().key + " 0 ";
    require(due.answered == 0 && line.startsWith(head), due, line);
    int length = (int) number(due, line.substring(head.length()), line);
    require(length <= 20, due, line);
    if (in.end - from < length + 2) {
      return false;
    }
    String digits = in.string(from, from + length);
    require(in.array[from + length] == '\r' && in.array[from + length + 1] == '\n', due, line);
    due.counted(number(due, digits.stripTrailing(), line + ' ' + digits));
    due.answered = 1;
    in.start = from + length + 2;
    return true;
  }

  private boolean value(Expectation due, String line, int from) {
    if (due.kind == Expectation.Kind.NUMBER) {
      return number(due, line, from);
    }
    String[] tokens = line.split(" ", -1);
    boolean cas = "gets".equals(due.flags);
    require(due.kind == Expectation.Kind.GET && tokens.length == (cas ? 5 : 4), due, line);
    while (due.answered < due.keys.length && !due.keys[due.answered].key.equals(tokens[1])) {
      due.keys[due.answered++].missed();
      tally.misses++;
    }
    require(due.answered < due.keys.length, due, line);
    int flags;
    int length;
    long unique;
    try {
      flags = Integer.parseUnsignedInt(tokens[2]);
      length = Integer.parseInt(tokens[3]);
      unique = cas ? Long.parseUnsignedLong(tokens[4]) : 0;
    } catch (NumberFormatException e) {
      throw unexpected(due, line);
    }
    require(length >= 0 && length <= longestValue(), due, line);
    if (in.end - from < length + 2) {
      return false;
    }
    require(in.array[from + length] == '\r' && in.array[from + length + 1] == '\n', due, line);
    due.keys[due.answered++].read(flags, in.array, from, from + length, unique);
    tally.hits++;
    in.start = from + length + 2;
    return true;
  }
}
