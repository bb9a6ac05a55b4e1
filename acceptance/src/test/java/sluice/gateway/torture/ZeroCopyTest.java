package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.codecs.buffer.SliceList;
import sluice.gateway.fixtures.RealMemcached;
import sluice.gateway.torture.MemoryWatch.Side;
import sluice.testkit.Bytes;
import sluice.testkit.scripted.ScriptedServer;

/**
 * Payload is not copied on its way: the memory that was read from one socket is what the other is
 * given to write. ValueSlices of less than {@link SliceList#COPIED_BELOW} bytes may be, and what is
 * kept for later if it is a {@linkplain sluice.gateway.loop.Loop#isSmallPartOf small part} of its
 * buffer.
 */
class ZeroCopyTest {
  private static final String KEY = "key";
  private static final int OPAQUE = 0x7f7f7f7f; // no payload, nor is its complement
  private static final int WHOLE = 4 * 1024;
  private static final int LARGE =
      2 * 1024 * 1024; // streamed: over an exclusive connection, both ways

  private final Random random = new Random(7);

  /** How a value is written and read: two requests that repeat it. */
  enum Form {
    TEXT("set key 0 0 %d\r\n", "get key\r\n"),
    TEXT_NOREPLY("set key 0 0 %d noreply\r\n", "gets key\r\n"),
    META("ms key %d T0\r\n", "mg key v\r\n"),
    META_OPAQUE("ms key %d Oabc\r\n", "mg key s v k Oabc\r\n"),
    META_QUIET("ms key %d q\r\n", "mg key v q\r\n"),
    BINARY(0x01, 0x00),
    BINARY_QUIET(0x11, 0x0d);

    private final String set;
    private final String get;
    private final int setOpcode;
    private final int getOpcode;

    Form(String set, String get) {
      this.set = set;
      this.get = get;
      setOpcode = -1;
      getOpcode = -1;
    }

    Form(int setOpcode, int getOpcode) {
      set = null;
      get = null;
      this.setOpcode = setOpcode;
      this.getOpcode = getOpcode;
    }

    /** A request that stores value, then one that is always answered. */
    byte[] set(byte[] value) {
      Bytes bytes = new Bytes();
      if (set != null) {
        bytes.ascii(set.formatted(value.length)).bytes(value);
        return bytes.ascii("\r\n").toArray();
      }
      head(bytes, setOpcode, 8, value.length).int32(0).int32(0).ascii(KEY).bytes(value);
      return bytes.toArray();
    }

    byte[] get() {
      return get != null
          ? new Bytes().ascii(get).toArray()
          : head(new Bytes(), getOpcode, 0, 0).ascii(KEY).toArray();
    }

    /** A request behind which nothing is still to come. */
    byte[] fence() {
      return set != null
          ? new Bytes().ascii("mn\r\n").toArray()
          : new Bytes()
              .int8(0x80)
              .int8(0x0a)
              .int16(0)
              .int32(0)
              .int32(0)
              .int32(9)
              .int64(0)
              .toArray();
    }

    private static Bytes head(Bytes bytes, int opcode, int extras, int value) {
      bytes.int8(0x80).int8(opcode).int16(KEY.length()).int8(extras).int8(0).int16(0);
      return bytes.int32(extras + KEY.length() + value).int32(OPAQUE).int64(0);
    }

    /** Whether bytes end with the reply to the fence. */
    boolean isFenced(Bytes bytes) {
      if (set != null) {
        return bytes.length() >= 4 && bytes.string(bytes.end - 4, bytes.end).equals("MN\r\n");
      }
      return bytes.length() >= 24
          && bytes.uint8(bytes.end - 24) == 0x81
          && bytes.uint8(bytes.end - 23) == 0x0a
          && bytes.int32At(bytes.end - 12) == 9;
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldWriteTheMemoryThatAValueWasReadInto(Form form) throws Exception {
    try (Run run = new Run(form)) {
      byte[] value = payload(WHOLE);
      for (int i = 0; i < 8; i++) { // Netty's reads grow with what comes
        run.pending(form.set(value));
        run.pending(form.get());
      }
      run.watch.begin();
      run.pending(form.set(value));
      assertThat(run.watch.reads(Side.CLIENT))
          .as("reads of a value that comes at once")
          .isEqualTo(1);
      run.assertNothingCopied(Side.SERVER, WHOLE);

      run.watch.begin();
      assertThat(payloadOf(run.pending(form.get()))).isEqualTo(value);
      assertThat(run.watch.reads(Side.SERVER)).isEqualTo(1);
      run.assertNothingCopied(Side.CLIENT, WHOLE);
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldWriteTheMemoryThatAGatheredValueWasReadInto(Form form) throws Exception {
    try (Run run = new Run(form)) {
      byte[] value = payload(WHOLE);
      byte[] set = form.set(value);
      run.watch.begin();
      for (int from = 0; from < set.length; from += 1500) {
        run.client.send(Arrays.copyOfRange(set, from, Math.min(set.length, from + 1500)));
        TimeUnit.MILLISECONDS.sleep(30);
      }
      run.pending(new byte[0]);
      assertThat(run.watch.reads(Side.CLIENT)).isGreaterThan(1);
      // Where several parts were read at once, the next buffer is larger, and the last part of the
      // value may be a small part of it.
      run.assertOnlySmallPiecesCopied(Side.SERVER, WHOLE, 1500);
      assertThat(payloadOf(run.pending(form.get()))).isEqualTo(value);
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldWriteTheMemoryThatAStreamedValueWasReadInto(Form form) throws Exception {
    try (Run run = new Run(form)) {
      byte[] value = payload(LARGE);
      run.watch.begin();
      run.pending(form.set(value));
      assertThat(run.watch.reads(Side.CLIENT)).isGreaterThan(1);
      run.assertOnlySmallPiecesCopied(Side.SERVER, LARGE);

      run.watch.begin();
      assertThat(payloadOf(run.pending(form.get()))).isEqualTo(value);
      assertThat(run.watch.reads(Side.SERVER)).isGreaterThan(1);
      run.assertOnlySmallPiecesCopied(Side.CLIENT, LARGE);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "TEXT, meta",
    "TEXT, binary",
    "META, text",
    "META_OPAQUE, binary",
    "BINARY, text",
    "BINARY, meta",
    "BINARY_QUIET, meta"
  })
  void shouldWriteTheMemoryThatABridgedValueWasReadInto(Form form, String dialect)
      throws Exception {
    try (Run run = new Run(form, dialect)) {
      byte[] value = payload(WHOLE);
      for (int i = 0; i < 8; i++) {
        run.pending(form.set(value));
        run.pending(form.get());
      }
      run.watch.begin();
      run.pending(form.set(value));
      run.assertNothingCopied(Side.SERVER, WHOLE);
      run.watch.begin();
      assertThat(payloadOf(run.pending(form.get()))).isEqualTo(value);
      run.assertNothingCopied(Side.CLIENT, WHOLE);

      byte[] large = payload(LARGE);
      run.watch.begin();
      run.pending(form.set(large));
      // Before a line end is cut off, the last byte waits for it.
      run.assertOnlySmallPiecesCopied(Side.SERVER, LARGE, dialect.equals("binary") ? 1 : 0);
      run.watch.begin();
      assertThat(payloadOf(run.pending(form.get()))).isEqualTo(large);
      run.assertOnlySmallPiecesCopied(Side.CLIENT, LARGE);
    }
  }

  @Test
  void shouldWriteTheMemoryThatAHeldReplyWasReadInto() throws Exception {
    byte[] value = payload(WHOLE);
    try (ScriptedServer server =
            new ScriptedServer(
                request -> {
                  request.reply("VALUE key 0 " + WHOLE + "\r\n");
                  for (int from = 0; from < WHOLE; from += 1024) {
                    TimeUnit.MILLISECONDS.sleep(30);
                    request
                        .socket()
                        .getOutputStream()
                        .write(Arrays.copyOfRange(value, from, from + 1024));
                  }
                  request.reply("\r\nEND\r\n");
                });
        MemoryWatch watch = MemoryWatch.open();
        RunningGateway gateway = RunningGateway.before(server.address()).timeout("10s").start();
        RawClient client = new RawClient(gateway.address())) {
      watch.begin();
      assertThat(client.ask("get key\r\n")).isEqualTo("VALUE key 0 " + WHOLE);
      assertThat(client.read(WHOLE)).isEqualTo(value);
      assertThat(client.line()).isEmpty();
      assertThat(client.line()).isEqualTo("END");
      assertThat(watch.reads(Side.SERVER)).isGreaterThan(2);
      assertThat(watch.written(Side.CLIENT)).isEqualTo(WHOLE);
      assertThat(watch.copied(Side.CLIENT)).isZero();
    }
  }

  @Test
  void shouldPutValuesOfManyServersTogetherWithoutCopyingThem() throws Exception {
    int keys = 12;
    Bytes values = new Bytes();
    try (RealMemcached one = RealMemcached.start();
        RealMemcached two = RealMemcached.start();
        RealMemcached three = RealMemcached.start();
        MemoryWatch watch = MemoryWatch.open();
        RunningGateway gateway =
            RunningGateway.before(one.address(), two.address(), three.address())
                .timeout("10s")
                .start();
        RawClient client = new RawClient(gateway.address())) {
      StringBuilder get = new StringBuilder("get");
      for (int key = 0; key < keys; key++) {
        byte[] value = payload(WHOLE);
        values.bytes(value);
        client.send("set key" + key + " 0 0 " + WHOLE + "\r\n").send(value).send("\r\n");
        assertThat(client.line()).isEqualTo("STORED");
        get.append(" key").append(key);
      }
      watch.begin();
      client.send(get + "\r\nmn\r\n");
      assertThat(payloadOf(readTo(client, Form.TEXT))).isEqualTo(values.toArray());
      assertThat(watch.reads(Side.SERVER)).isGreaterThan(1);
      assertThat(watch.written(Side.CLIENT)).isEqualTo(values.length());
      assertThat(watch.copied(Side.CLIENT))
          .isLessThanOrEqualTo(watch.readInRunsUpTo(SliceList.COPIED_BELOW - 1, Side.SERVER));
    }
  }

  /** A client of a gateway before a memcached. */
  private static final class Run implements AutoCloseable {
    private final Form form;
    private final RealMemcached server = RealMemcached.start("-I", "8m");
    private final MemoryWatch watch = MemoryWatch.open();
    private final RunningGateway gateway;
    private final RawClient client;

    Run(Form form) throws IOException {
      this(form, "same");
    }

    Run(Form form, String dialect) throws IOException {
      this.form = form;
      gateway =
          RunningGateway.before(server.address())
              .dialect(dialect)
              .limits("itemSize: 8MiB")
              .timeout("10s")
              .start();
      client = new RawClient(gateway.address());
    }

    /** Sends requests and a fence; returns everything up to the fence's reply. */
    Bytes pending(byte[] requests) throws IOException {
      client.send(new Bytes().bytes(requests).bytes(form.fence()).toArray());
      return readTo(client, form);
    }

    void assertNothingCopied(Side side, int length) {
      assertThat(watch.written(side)).as("payload bytes written").isEqualTo(length);
      assertThat(watch.copied(side)).as("payload bytes copied").isZero();
    }

    /** Where the kernel cuts a stream is its own affair, and may leave a small piece. */
    void assertOnlySmallPiecesCopied(Side side, int length) {
      assertOnlySmallPiecesCopied(side, length, 0);
    }

    void assertOnlySmallPiecesCopied(Side side, int length, int more) {
      assertThat(watch.written(side)).as("payload bytes written").isEqualTo(length);
      assertThat(watch.copied(side))
          .as("payload bytes copied")
          .isLessThanOrEqualTo(
              more
                  + watch.readInRunsUpTo(
                      SliceList.COPIED_BELOW - 1, side == Side.SERVER ? Side.CLIENT : Side.SERVER));
    }

    @Override
    public void close() throws IOException {
      client.close();
      gateway.close();
      watch.close();
      server.close();
    }
  }

  private static Bytes readTo(RawClient client, Form form) throws IOException {
    Bytes all = new Bytes();
    while (!form.isFenced(all)) {
      all.bytes(client.readSome());
    }
    return all;
  }

  private static byte[] payloadOf(Bytes reply) {
    Bytes payload = new Bytes();
    for (int i = reply.start; i < reply.end; i++) {
      if (reply.uint8(i) >= MemoryWatch.LEAST_PAYLOAD) {
        payload.int8(reply.uint8(i));
      }
    }
    return payload.toArray();
  }

  private byte[] payload(int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (MemoryWatch.LEAST_PAYLOAD | random.nextInt(0x40));
    }
    return bytes;
  }
}
