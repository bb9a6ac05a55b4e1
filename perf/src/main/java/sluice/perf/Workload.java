package sluice.perf;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Random;
import sluice.load.traffic.Items;
import sluice.load.traffic.LoadDialect;
import sluice.load.traffic.RequestFormat;

/**
 * Batches of requests, encoded once, each with the replies that it must get: a mixture of gets and
 * sets, or gets of many keys. A key's value is derived from the key and never changes, so a reply
 * is right or it is not.
 */
final class Workload implements AutoCloseable {
  private static final int BATCHES = 1000;
  private static final int KEYS_OF_ALL_BATCHES = 100_000; // where a get has many
  private static final long BYTES_OF_ALL_BATCHES = 64 << 20;
  private static final int LEAST_BATCHES = 10;

  private final RequestFormat format;
  private final int keys;
  private final int valueLength;
  private final int depth;
  private final ByteBuf[] requests;
  private final Reply[] replies;

  /**
   * Gets and sets of one key, or classic gets only of keysPerGet keys, if that is more than one.
   *
   * @param sets of ten requests, 0 to 10
   */
  Workload(
      RequestFormat format,
      int keys,
      int valueLength,
      int depth,
      int keysPerGet,
      int sets,
      long seed) {
    this.format = format;
    this.keys = keys;
    this.valueLength = valueLength;
    this.depth = depth;
    boolean many = keysPerGet > 1;
    int batches = many ? Math.max(1, KEYS_OF_ALL_BATCHES / keysPerGet / depth) : ofOne();
    requests = new ByteBuf[batches];
    replies = new Reply[batches];
    for (int batch = 0; batch < batches; batch++) {
      requests[batch] = Unpooled.directBuffer();
      replies[batch] = new Reply();
    }
    Random random = new Random(seed);
    if (many) {
      fillWithMany(keysPerGet, random);
    } else {
      fill(sets, random);
    }
  }

  private int ofOne() {
    long fit = BYTES_OF_ALL_BATCHES / Math.max(1, (long) depth * valueLength);
    return (int) Math.max(LEAST_BATCHES, Math.min(BATCHES, fit));
  }

  private void fillWithMany(int keysPerGet, Random random) {
    for (int batch = 0; batch < requests.length; batch++) {
      ByteBuf reply = replies[batch].bytes();
      for (int i = 0; i < depth; i++) {
        RequestFormat.write(requests[batch], "get");
        for (int j = 0; j < keysPerGet; j++) {
          int key = random.nextInt(keys);
          RequestFormat.write(requests[batch], " " + Items.key(key));
          LoadDialect.found(reply, Items.key(key), Items.value(key, valueLength));
        }
        RequestFormat.write(requests[batch], "\r\n");
        RequestFormat.write(reply, "END\r\n");
      }
    }
  }

  private void fill(int sets, Random random) {
    // Exactly that many sets in ten requests, wherever a batch ends.
    int[] order = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    int position = 0;
    for (int batch = 0; batch < requests.length; batch++) {
      for (int i = 0; i < depth; i++) {
        if (position == 0) {
          shuffle(order, random);
        }
        int key = random.nextInt(keys);
        if (order[position] < sets) {
          set(key, requests[batch], replies[batch]);
        } else {
          get(key, requests[batch], replies[batch]);
        }
        position = (position + 1) % order.length;
      }
    }
  }

  private static void shuffle(int[] order, Random random) {
    for (int i = order.length - 1; i > 0; i--) {
      int j = random.nextInt(i + 1);
      int swapped = order[i];
      order[i] = order[j];
      order[j] = swapped;
    }
  }

  private void set(int key, ByteBuf request, Reply reply) {
    format.set(request, Items.key(key), Items.value(key, valueLength));
    reply.add(format, () -> format.stored(reply.bytes()));
  }

  private void get(int key, ByteBuf request, Reply reply) {
    format.get(request, Items.key(key));
    reply.add(
        format, () -> format.hit(reply.bytes(), Items.key(key), Items.value(key, valueLength)));
  }

  int keys() {
    return keys;
  }

  int depth() {
    return depth;
  }

  int batches() {
    return requests.length;
  }

  /** A batch's bytes; the caller owns the result, which shares them. */
  ByteBuf request(int batch) {
    return requests[batch].retainedDuplicate();
  }

  /** What the whole batch must be answered with; borrowed. */
  Reply reply(int batch) {
    return replies[batch];
  }

  /** A set of a key and a get behind it; the caller owns the result. */
  ByteBuf preparation(int key, Reply reply) {
    ByteBuf request = Unpooled.directBuffer();
    set(key, request, reply);
    get(key, request, reply);
    return request;
  }

  @Override
  public void close() {
    for (int i = 0; i < requests.length; i++) {
      requests[i].release();
      replies[i].close();
    }
  }
}
