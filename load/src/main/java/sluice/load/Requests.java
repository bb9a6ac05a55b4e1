package sluice.load;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Locale;
import java.util.Random;
import java.util.function.Consumer;
import sluice.config.plan.LoadPlan;
import sluice.load.traffic.Items;
import sluice.load.traffic.LoadDialect;

/**
 * Requests of one load, encoded once, each with its expected reply. Half of the items are gets of
 * the keys, half sets. A key's value is derived from the key, so every reply can be verified.
 */
final class Requests implements AutoCloseable {

  /** Number of random requests before the sequence repeats. */
  private static final int DRAWN = 10_000;

  private final LoadPlan.Load load;
  private final LoadDialect dialect;
  private final ByteBuf[] requests;
  private final ByteBuf[] replies;
  private final int[] drawn = new int[DRAWN];

  Requests(LoadPlan.Load load) {
    this.load = load;
    dialect = LoadDialect.valueOf(load.dialect().label().toUpperCase(Locale.ROOT));
    requests = new ByteBuf[2 * load.keys()];
    replies = new ByteBuf[2 * load.keys()];
    for (int key = 0; key < load.keys(); key++) {
      encode(key);
    }
    Random random = new Random(1);
    for (int i = 0; i < DRAWN; i++) {
      boolean get = random.nextInt(100) < load.getPercent();
      int key = random.nextInt(load.keys());
      drawn[i] = get ? get(key) : set(key);
    }
  }

  boolean isBinary() {
    return dialect == LoadDialect.BINARY;
  }

  int keys() {
    return load.keys();
  }

  /** The item that reads a key. */
  static int get(int key) {
    return 2 * key;
  }

  /** The item that stores a key. */
  static int set(int key) {
    return 2 * key + 1;
  }

  /** The item at that position of the random sequence. */
  int drawn(long number) {
    return drawn[(int) (number % DRAWN)];
  }

  /** The bytes of an item; the caller owns the result, which shares them. */
  ByteBuf request(int item) {
    return requests[item].retainedDuplicate();
  }

  /** The expected reply of an item; borrowed. In binary, the cas unique may be any. */
  ByteBuf reply(int item) {
    return replies[item];
  }

  private void encode(int key) {
    String name = load.name() + ':' + Items.key(key); // loads share a server
    String value = Items.value(key, load.valueLength());
    put(get(key), out -> dialect.get(out, name), out -> dialect.hit(out, name, value));
    put(set(key), out -> dialect.set(out, name, value), dialect::stored);
  }

  private void put(int item, Consumer<ByteBuf> request, Consumer<ByteBuf> reply) {
    requests[item] = Unpooled.directBuffer();
    request.accept(requests[item]);
    replies[item] = Unpooled.directBuffer();
    reply.accept(replies[item]);
  }

  @Override
  public void close() {
    for (int i = 0; i < requests.length; i++) {
      requests[i].release();
      replies[i].release();
    }
  }
}
