package sluice.gateway.neighbours;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.util.Random;
import sluice.testkit.hostile.Bytes;

/** A neighbour that speaks meta commands, with an opaque in most of them. */
final class MetaNeighbour extends Neighbour {
  private int count;

  MetaNeighbour(String name, InetSocketAddress address, Selector selector) throws IOException {
    super(name, address, selector);
  }

  @Override
  void ask(Random random) {
    String key = key(random);
    String held = truth.get(key);
    String opaque = " O" + ++count;
    switch (random.nextInt(5)) {
      case 0 -> {
        String value = name() + " holds " + count;
        truth.put(key, value);
        add("ms " + key + " " + value.length() + opaque + "\r\n" + value, "HD" + opaque);
      }
      case 1 -> {
        truth.remove(key);
        add("md " + key + opaque, (held == null ? "NF" : "HD") + opaque);
      }
      case 2 -> add("mn", "MN");
      case 3 ->
          add("mg " + key + " v", held == null ? "EN" : "VA " + held.length() + "\r\n" + held);
      default ->
          add(
              "mg " + key + " v" + opaque,
              held == null ? "EN" + opaque : "VA " + held.length() + opaque + "\r\n" + held);
    }
  }

  private void add(String request, String reply) {
    add(Bytes.of(request + "\r\n"), Expected.text(reply + "\r\n"));
  }
}
