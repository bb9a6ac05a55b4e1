package sluice.testkit.selfcheck;

import static sluice.testkit.Opcode.ADD;
import static sluice.testkit.Opcode.ADDQ;
import static sluice.testkit.Opcode.APPEND;
import static sluice.testkit.Opcode.DECREMENT;
import static sluice.testkit.Opcode.DELETE;
import static sluice.testkit.Opcode.DELETEQ;
import static sluice.testkit.Opcode.GAT;
import static sluice.testkit.Opcode.GATK;
import static sluice.testkit.Opcode.GATKQ;
import static sluice.testkit.Opcode.GATQ;
import static sluice.testkit.Opcode.GET;
import static sluice.testkit.Opcode.GETK;
import static sluice.testkit.Opcode.GETKQ;
import static sluice.testkit.Opcode.GETQ;
import static sluice.testkit.Opcode.INCREMENT;
import static sluice.testkit.Opcode.NOOP;
import static sluice.testkit.Opcode.PREPEND;
import static sluice.testkit.Opcode.REPLACE;
import static sluice.testkit.Opcode.REPLACEQ;
import static sluice.testkit.Opcode.SET;
import static sluice.testkit.Opcode.SETQ;
import static sluice.testkit.Opcode.TOUCH;
import static sluice.testkit.Opcode.VERSION;

import java.util.Arrays;
import java.util.Iterator;
import sluice.testkit.Bytes;
import sluice.testkit.Opcode;

/**
 * Checker of the binary protocol: verifies opaque and opcode of every reply, and that only quiet
 * requests have none.
 */
final class BinaryChecker extends CheckedConnection {
  private static final int HEADER = 24;

  /** The expiration for a counter that is only counted if it exists. */
  private static final int NOT_CREATED = 0xffffffff;

  private static final int[] READS = {GET, GETK, GET, GETK, GAT, GATK};
  private static final int[] QUIET_READS = {GETQ, GETKQ, GETQ, GETKQ, GATQ, GATKQ};

  BinaryChecker(Plan plan) {
    super(plan);
  }

  /** The opaque is any 32 bits to a server; a stride spreads it over all of them. */
  @Override
  long newToken() {
    return (nextToken() * 0x9e3779b1L) & 0xffffffffL;
  }

  @Override
  void number(Expectation request) {
    String key = request.counter().key;
    switch (request.kind) {
      case CREATE -> {
        request.opcode = SET;
        String first = Long.toString(request.delta);
        header(request, key.length(), 8, first.length()).int64(0).ascii(key).ascii(first);
      }
      case COUNT -> {
        request.opcode = request.delta < 0 ? DECREMENT : INCREMENT;
        header(request, key.length(), 20, 0)
            .int64(Math.abs(request.delta))
            .int64(0)
            .int32(NOT_CREATED)
            .ascii(key);
      }
      default -> {
        request.opcode = GET;
        header(request, key.length(), 0, 0).ascii(key);
      }
    }
  }

  @Override
  void requestValue() {
    int kind = random.nextInt(100);
    if (kind < 45) {
      read(any(READS));
    } else if (kind < 70) {
      store(kind < 64 ? SET : kind < 67 ? ADD : REPLACE);
    } else if (kind < 79) {
      delete(DELETE);
    } else if (kind < 82 && !plan.ignite()) {
      Expectation touch = keyed(Expectation.Kind.TOUCH, TOUCH);
      header(touch, touch.key().key.length(), 4, 0).int32(0).ascii(touch.key().key);
    } else if (kind < 95) {
      quietRun();
    } else {
      bare(kind < 98 ? NOOP : VERSION);
    }
  }

  /** One of the opcodes; the last two of them also touch the item. */
  private int any(int... reads) {
    return reads[random.nextInt(plan.ignite() ? reads.length - 2 : reads.length)];
  }

  @Override
  String dialect() {
    return "binary";
  }

  private void quietRun() {
    boolean mixed = random.nextBoolean();
    for (int i = random.nextInt(12); i >= 0; i--) {
      int kind = random.nextInt(10);
      if (!mixed || kind < 5) {
        read(any(QUIET_READS));
      } else if (kind < 9) {
        store(kind < 7 ? SETQ : kind < 8 ? ADDQ : REPLACEQ);
      } else {
        delete(DELETEQ);
      }
    }
    if (random.nextInt(4) == 0) {
      read(GETK);
    } else {
      bare(NOOP);
    }
  }

  private Expectation keyed(Expectation.Kind kind, int opcode) {
    Expectation expectation =
        expect(new Expectation(kind, newToken(), Opcode.loud(opcode) != opcode));
    expectation.opcode = opcode;
    boolean reads = kind == Expectation.Kind.GET || kind == Expectation.Kind.TOUCH;
    expectation.keys = new KeyState[] {reads ? readKey() : anyKey()};
    return expectation;
  }

  private Bytes header(Expectation request, int keyLength, int extras, int value) {
    return header(request, keyLength, extras, value, 0);
  }

  private Bytes header(Expectation request, int keyLength, int extras, int value, long cas) {
    return out.int8(0x80)
        .int8(request.opcode)
        .int16(keyLength)
        .int8(extras)
        .int8(0)
        .int16(0)
        .int32(extras + keyLength + value)
        .int32((int) request.token)
        .int64(cas);
  }

  private void bare(int opcode) {
    Expectation request =
        keyed(opcode == NOOP ? Expectation.Kind.FENCE : Expectation.Kind.VERSION, opcode);
    request.keys = new KeyState[] {};
    header(request, 0, 0, 0);
  }

  private void read(int opcode) {
    Expectation read = keyed(Expectation.Kind.GET, opcode);
    boolean touches = opcode >= GAT;
    header(read, read.key().key.length(), touches ? 4 : 0, 0);
    if (touches) {
      out.int32(0);
    }
    out.ascii(read.key().key);
  }

  private void store(int opcode) {
    int loud = Opcode.loud(opcode);
    Expectation.Mode mode =
        orCas(
            loud == SET
                ? Expectation.Mode.SET
                : loud == ADD ? Expectation.Mode.ADD : Expectation.Mode.REPLACE);
    boolean cas = mode == Expectation.Mode.CAS;
    Expectation store = keyed(Expectation.Kind.STORE, !cas ? opcode : loud == opcode ? SET : SETQ);
    store.mode = mode;
    store.compared = cas ? store.key().unique() : 0;
    store.write = newWrite(store);
    if (store.isAddition()) {
      store.opcode = store.mode == Expectation.Mode.APPEND ? APPEND : PREPEND;
      header(store, store.key().key.length(), 0, store.write.length)
          .ascii(store.key().key)
          .bytes(store.write.value());
      return;
    }
    header(store, store.key().key.length(), 8, store.write.length, store.compared)
        .int32(store.write.flags())
        .int32(0)
        .ascii(store.key().key)
        .bytes(store.write.value());
  }

  private void delete(int opcode) {
    Expectation delete = keyed(Expectation.Kind.DELETE, opcode);
    delete.key().asked(Write.ABSENT);
    header(delete, delete.key().key.length(), 0, 0).ascii(delete.key().key);
  }

  @Override
  boolean endsSilently() {
    return pending.isEmpty();
  }

  @Override
  boolean reply() {
    if (in.uint8(in.start) != 0x81) {
      throw new WrongReply("a reply that does not start with 0x81");
    }
    if (in.length() < HEADER) {
      return false;
    }
    int body = in.int32At(in.start + 8);
    if (body < 0 || body > longestValue() + 1024) {
      throw new WrongReply("a body of " + Integer.toUnsignedString(body) + " bytes");
    }
    if (in.length() < HEADER + body) {
      return false;
    }
    Expectation due = find(in.int32At(in.start + 12) & 0xffffffffL);
    if (in.uint8(in.start + 1) != due.opcode || in.uint8(in.start + 5) != 0) {
      throw new WrongReply("opcode " + in.uint8(in.start + 1) + " answers " + due.opcode);
    }
    int status = in.uint16(in.start + 6);
    if (status >= Opcode.STATUS_INTERNAL_ERROR && status <= Opcode.STATUS_TEMPORARY_FAILURE) {
      require(in.uint8(in.start + 4) == 0 && in.uint16(in.start + 2) == 0, due, "error with a key");
      failed(due, in.string(in.start + HEADER, in.start + HEADER + body));
    } else {
      judge(due, status, body);
      answered(due);
    }
    in.start += HEADER + body;
    return true;
  }

  /** The request with that opaque; earlier quiet requests had their usual outcome. */
  private Expectation find(long opaque) {
    if (pending.stream().noneMatch(expectation -> expectation.token == opaque)) {
      throw new WrongReply("opaque " + opaque + " is not due");
    }
    for (Iterator<Expectation> i = pending.iterator(); ; ) {
      Expectation head = i.next();
      if (head.token == opaque) {
        return head;
      }
      if (!head.quiet) {
        throw new WrongReply("opaque " + opaque + " came before the answer to " + head);
      }
      i.remove();
      tally.silent++;
      switch (head.kind) {
        case GET -> {
          head.key().missed();
          tally.misses++;
        }
        case STORE -> head.stored(0);
        default -> head.deleted();
      }
    }
  }

  private static void require(boolean condition, Expectation due, String what) {
    if (!condition) {
      throw new WrongReply(what + " answers " + due);
    }
  }

  private void judge(Expectation due, int status, int body) {
    long cas = in.int64At(in.start + 16);
    int extras = in.uint8(in.start + 4);
    int keyLength = in.uint16(in.start + 2);
    switch (due.kind) {
      case GET -> read(due, status, body, extras, keyLength, cas);
      case STORE -> {
        require(extras == 0 && keyLength == 0, due, "a stored reply with key or extras");
        switch (status) {
          case Opcode.STATUS_OK -> {
            require(!due.quiet && body == 0, due, "a quiet success or a body");
            due.stored(cas);
          }
          case Opcode.STATUS_EXISTS -> {
            if (due.mode == Expectation.Mode.CAS) {
              due.exists();
            } else {
              require(due.mode == Expectation.Mode.ADD, due, "status exists");
              due.notStored();
            }
          }
          case Opcode.STATUS_NOT_FOUND -> {
            if (due.mode == Expectation.Mode.CAS) {
              due.key().missed();
            } else {
              require(due.mode == Expectation.Mode.REPLACE, due, "status not found");
              due.notStored();
            }
          }
          case Opcode.STATUS_NOT_STORED -> {
            require(due.isAddition(), due, "status not stored");
            due.notStored();
          }
          default -> throw new WrongReply("status " + status + " answers " + due);
        }
      }
      case DELETE -> {
        require(status <= Opcode.STATUS_NOT_FOUND, due, "status " + status);
        if (status == Opcode.STATUS_OK) {
          require(!due.quiet && body == 0, due, "a quiet success or a body");
          due.deleted();
        } else {
          due.key().missed();
        }
      }
      case TOUCH -> {
        require(status <= Opcode.STATUS_NOT_FOUND, due, "status " + status);
        if (status == Opcode.STATUS_OK) {
          // Without a cas, the gateway used classic text, which reports no flags either.
          boolean told = extras == 4 && cas != 0;
          due.key().hit(told ? in.int32At(in.start + HEADER) : null, null, cas);
        } else {
          due.key().missed();
        }
      }
      case CREATE -> {
        require(status == Opcode.STATUS_OK && body == 0, due, "status " + status);
        due.counted(due.delta);
      }
      case COUNT, NUMBER -> number(due, status, body, extras, keyLength);
      case FENCE -> require(status == Opcode.STATUS_OK && body == 0, due, "status " + status);
      case VERSION -> require(status == Opcode.STATUS_OK && body > 0, due, "status " + status);
    }
  }

  /**
   * A number: 8 bytes in the reply to counting, or text as it is stored, padded with spaces if it
   * was longer.
   */
  private void number(Expectation due, int status, int body, int extras, int keyLength) {
    require(status <= Opcode.STATUS_NOT_FOUND, due, "status " + status);
    if (status == Opcode.STATUS_NOT_FOUND) {
      due.counter().missed();
      return;
    }
    int from = in.start + HEADER + extras;
    if (due.kind == Expectation.Kind.COUNT) {
      require(body == 8 && extras == 0 && keyLength == 0, due, "a number of " + body + " bytes");
      due.counted(in.int64At(from));
    } else {
      require(extras == 4 && keyLength == 0, due, "a hit of another form");
      String digits = in.string(from, in.start + HEADER + body).stripTrailing();
      require(digits.matches("[0-9]{1,19}"), due, "'" + digits + "'");
      due.counted(Long.parseLong(digits));
    }
  }

  private void read(Expectation due, int status, int body, int extras, int keyLength, long cas) {
    int from = in.start + HEADER + extras;
    int opcode = Opcode.loud(due.opcode);
    boolean withKey = opcode == GETK || opcode == GATK;
    if (withKey) {
      byte[] key = in.slice(from, Math.min(from + keyLength, in.end));
      require(
          Arrays.equals(key, 0, key.length, ascii(due), 0, ascii(due).length), due, "another key");
    }
    if (status == Opcode.STATUS_OK) {
      require(extras == 4 && (withKey || keyLength == 0), due, "a hit of another form");
      int valueFrom = from + keyLength;
      due.key()
          .read(in.int32At(in.start + HEADER), in.array, valueFrom, in.start + HEADER + body, cas);
      tally.hits++;
    } else {
      require(status == Opcode.STATUS_NOT_FOUND, due, "status " + status);
      require(!due.quiet, due, "a miss that should be silent");
      due.key().missed();
      tally.misses++;
    }
  }

  private static byte[] ascii(Expectation due) {
    return due.key().key.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
  }
}
