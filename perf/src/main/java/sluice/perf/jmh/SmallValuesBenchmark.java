package sluice.perf.jmh;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.compress.Algorithm;
import sluice.codecs.compress.Compressor;
import sluice.codecs.compress.Dictionaries;
import sluice.codecs.compress.DictionaryTrainer;
import sluice.codecs.compress.Workspace;
import sluice.codecs.compress.ZstdDictionary;
import sluice.names.build.AllowedHere;

/**
 * Values of about 200 bytes compressed to what servers store, and restored: with a dictionary that
 * was trained on other values of the same kind, and without. The set-up prints the mean lengths.
 */
public class SmallValuesBenchmark extends CodecBenchmark {
  private static final int VALUES = 512;
  private static final int DICTIONARY_BYTES = 16 * 1024;

  /** Kind of value. */
  public enum Kind {
    /** An object as JSON. */
    JSON,
    /** The same object as PHP's serialize() writes it. */
    PHP,
    /** The same object as fields with numbers, lengths and varints, as Protocol Buffers have. */
    PROTOBUF
  }

  /** Way to compress. */
  public enum Way {
    ZSTD_DICTIONARY,
    ZSTD,
    LZ4
  }

  /** Of what. */
  @Param({"JSON", "PHP", "PROTOBUF"})
  public Kind kind;

  /** How. */
  @Param({"ZSTD_DICTIONARY", "ZSTD", "LZ4"})
  public Way way;

  private final Workspace workspace = Workspace.of(allocator);
  private final Compressor compressor = new Compressor(workspace);
  private final SliceList in = new SliceList(workspace.slices());
  private final SliceList out = new SliceList(workspace.slices());
  private final ByteBuf[] plain = new ByteBuf[VALUES];
  private final ByteBuf[] stored = new ByteBuf[VALUES];
  private Dictionaries dictionaries = Dictionaries.NONE;
  private Algorithm algorithm = Algorithm.ZSTD;
  private int next;

  /** One object's fields, drawn at random. */
  private record User(
      int id, String name, String mail, String role, String created, int visits, boolean active) {
    private static final String[] NAMES = {
      "anna", "bruno", "chloe", "dmitri", "elena", "farid", "greta", "hiro", "ines", "jonas"
    };
    private static final String[] ROLES = {"viewer", "editor", "owner"};

    static User of(Random random) {
      String name = NAMES[random.nextInt(NAMES.length)] + random.nextInt(100_000);
      return new User(
          random.nextInt(10_000_000),
          name,
          name + "@example.com",
          ROLES[random.nextInt(ROLES.length)],
          String.format(
              Locale.ROOT,
              "2026-%02d-%02dT%02d:%02d:%02dZ",
              1 + random.nextInt(12),
              1 + random.nextInt(28),
              random.nextInt(24),
              random.nextInt(60),
              random.nextInt(60)),
          random.nextInt(10_000),
          random.nextBoolean());
    }

    byte[] json() {
      return String.format(
              Locale.ROOT,
              "{\"id\":%d,\"name\":\"%s\",\"email\":\"%s\",\"role\":\"%s\",\"createdAt\":\"%s\","
                  + "\"statistics\":{\"visits\":%d,\"purchases\":%d},\"active\":%b,\"locale\":\"en\"}",
              id,
              name,
              mail,
              role,
              created,
              visits,
              visits / 7,
              active)
          .getBytes(UTF_8);
    }

    byte[] php() {
      return ("a:7:{"
              + text("id")
              + number(id)
              + text("name")
              + text(name)
              + text("email")
              + text(mail)
              + text("role")
              + text(role)
              + text("createdAt")
              + text(created)
              + text("visits")
              + number(visits)
              + text("active")
              + (active ? "b:1;" : "b:0;")
              + "}")
          .getBytes(UTF_8);
    }

    private static String text(String value) {
      return "s:" + value.length() + ":\"" + value + "\";";
    }

    private static String number(int value) {
      return "i:" + value + ";";
    }

    byte[] protobuf(ByteBuf scratch) {
      scratch.clear();
      for (int copy = 0; copy < 2; copy++) { // a list of two, to be about as long as the others
        varint(scratch, 1, id + copy);
        bytes(scratch, 2, name);
        bytes(scratch, 3, mail);
        bytes(scratch, 4, role);
        bytes(scratch, 5, created);
        varint(scratch, 6, visits);
        varint(scratch, 7, active ? 1 : 0);
      }
      byte[] written = new byte[scratch.readableBytes()];
      scratch.readBytes(written);
      return written;
    }

    private static void varint(ByteBuf to, int field, int value) {
      to.writeByte(field << 3);
      unsigned(to, value);
    }

    private static void bytes(ByteBuf to, int field, String value) {
      to.writeByte((field << 3) | 2);
      unsigned(to, value.length());
      to.writeCharSequence(value, UTF_8);
    }

    private static void unsigned(ByteBuf to, int value) {
      int rest = value;
      while (rest > 0x7F) {
        to.writeByte((rest & 0x7F) | 0x80);
        rest >>>= 7;
      }
      to.writeByte(rest);
    }
  }

  private byte[] value(Random random, ByteBuf scratch) {
    User user = User.of(random);
    return switch (kind) {
      case JSON -> user.json();
      case PHP -> user.php();
      case PROTOBUF -> user.protobuf(scratch);
    };
  }

  /** Trains, compresses every value, and compares what each becomes when it is restored. */
  @Setup
  @AllowedHere("JMH shows what a set-up prints")
  public void setup() {
    Random random = new Random(1);
    ByteBuf scratch = direct(1024);
    algorithm = way == Way.LZ4 ? Algorithm.LZ4 : Algorithm.ZSTD;
    if (way == Way.ZSTD_DICTIONARY) {
      try (DictionaryTrainer trainer = new DictionaryTrainer(allocator, DICTIONARY_BYTES)) {
        boolean added = true;
        while (added) {
          ByteBuf sample = allocator.directBuffer().writeBytes(value(random, scratch));
          attach(sample);
          added = trainer.add(in);
          in.clear();
          sample.release();
        }
        dictionaries = new Dictionaries(List.of(ZstdDictionary.of(trainer.train())));
      }
    }
    long before = 0;
    long after = 0;
    for (int i = 0; i < VALUES; i++) {
      byte[] value = value(random, scratch);
      plain[i] = direct(value);
      attach(plain[i]);
      stored[i] =
          kept(
              Objects.requireNonNull(
                  compressor.compress(in, algorithm, dictionaries, false, 10_000)));
      in.clear();
      attach(stored[i]);
      same(
          compressor.restore(in, dictionaries, value.length, out),
          Compressor.Outcome.RESTORED,
          "what became of it");
      byte[] restored = new byte[out.length()];
      for (int at = 0; at < restored.length; at++) {
        restored[at] = out.getByte(at);
      }
      same(Arrays.equals(restored, value), true, "the value restored");
      out.clear();
      before += value.length;
      after += stored[i].readableBytes();
    }
    System.out.printf(
        Locale.ROOT,
        "# %s, %s: %.0f bytes become %.0f, with the head: %.2f%n",
        kind,
        way,
        (double) before / VALUES,
        (double) after / VALUES,
        (double) after / before);
  }

  /** Releases what the libraries keep, too. */
  @TearDown
  public void close() {
    compressor.close();
    workspace.scratch().release();
  }

  private void attach(ByteBuf value) {
    in.add(workspace.slices().take(value, 0, value.readableBytes()));
  }

  private int next() {
    next = (next + 1) % VALUES;
    return next;
  }

  /** What a server stores; longer than the value, if need be. */
  @Benchmark
  @SuppressWarnings("NullAway") // the setup has seen that it fits
  public int compress() {
    attach(plain[next()]);
    ByteBuf made = compressor.compress(in, algorithm, dictionaries, false, 10_000);
    in.clear();
    int bytes = made.readableBytes();
    made.release();
    return bytes;
  }

  /** What it was before. */
  @Benchmark
  public int restore() {
    attach(stored[next()]);
    compressor.restore(in, dictionaries, 10_000, out);
    int bytes = out.length();
    out.clear();
    return bytes;
  }
}
