package sluice.perf;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/**
 * Batches of requests, encoded once, each with the replies that it must get: 90 gets and 10 sets of
 * 100, or gets of many keys. A key's value is derived from the key and never changes, so a reply is
 * right or it is not.
 */
final class Workload implements AutoCloseable {
  private static final int BATCHES = 1000;
  private static final int KEYS_OF_ALL_BATCHES = 100_000; // where a get has many

  private final int keys;
  private final int valueLength;
  private final int depth;
  private final ByteBuf[] requests;
  private final ByteBuf[] replies;

  /** Gets and sets of one key, or gets only of keysPerGet keys, if that is more than one. */
  Workload(int keys, int valueLength, int depth, int keysPerGet, long seed) {
    this.keys = keys;
    this.valueLength = valueLength;
    this.depth = depth;
    boolean many = keysPerGet > 1;
    int batches = many ? Math.max(1, KEYS_OF_ALL_BATCHES / keysPerGet / depth) : BATCHES;
    requests = new ByteBuf[batches];
    replies = new ByteBuf[batches];
    Random random = new Random(seed);
    if (many) {
      fillWithMany(keysPerGet, random);
    } else {
      fill(random);
    }
  }

  private void fillWithMany(int keysPerGet, Random random) {
    for (int batch = 0; batch < requests.length; batch++) {
      StringBuilder request = new StringBuilder();
      StringBuilder reply = new StringBuilder();
      for (int i = 0; i < depth; i++) {
        request.append("get");
        for (int j = 0; j < keysPerGet; j++) {
          int key = random.nextInt(keys);
          request.append(' ').append(name(key));
          reply.append(found(key));
        }
        request.append("\r\n");
        reply.append("END\r\n");
      }
      requests[batch] = encode(request.toString());
      replies[batch] = encode(reply.toString());
    }
  }

  private void fill(Random random) {
    // Exactly one set in ten requests, wherever a batch ends.
    int[] order = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    int position = 0;
    for (int batch = 0; batch < requests.length; batch++) {
      StringBuilder request = new StringBuilder();
      StringBuilder reply = new StringBuilder();
      for (int i = 0; i < depth; i++) {
        if (position == 0) {
          shuffle(order, random);
        }
        int key = random.nextInt(keys);
        if (order[position] == 0) {
          request.append(set(key));
          reply.append("STORED\r\n");
        } else {
          request.append(get(key));
          reply.append(hit(key));
        }
        position = (position + 1) % order.length;
      }
      requests[batch] = encode(request.toString());
      replies[batch] = encode(reply.toString());
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

  private static ByteBuf encode(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    return Unpooled.directBuffer(bytes.length).writeBytes(bytes);
  }

  private static String name(int key) {
    return String.format("load:%08d", key);
  }

  private String value(int key) {
    StringBuilder value = new StringBuilder(name(key)).append('=');
    Random noise = new Random(key * 7919L + valueLength);
    while (value.length() < valueLength) {
      value.append((char) ('!' + noise.nextInt(94)));
    }
    value.setLength(valueLength);
    return value.toString();
  }

  private String set(int key) {
    return "set " + name(key) + " 7 0 " + valueLength + "\r\n" + value(key) + "\r\n";
  }

  private static String get(int key) {
    return "get " + name(key) + "\r\n";
  }

  private String hit(int key) {
    return found(key) + "END\r\n";
  }

  private String found(int key) {
    return "VALUE " + name(key) + " 7 " + valueLength + "\r\n" + value(key) + "\r\n";
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
  ByteBuf reply(int batch) {
    return replies[batch];
  }

  /** A set of a key and a get behind it; the caller owns the result. */
  ByteBuf preparation(int key) {
    return encode(set(key) + get(key));
  }

  /** What that must be answered with; the caller owns the result. */
  ByteBuf preparationReply(int key) {
    return encode("STORED\r\n" + hit(key));
  }

  @Override
  public void close() {
    for (int i = 0; i < requests.length; i++) {
      requests[i].release();
      replies[i].release();
    }
  }
}
