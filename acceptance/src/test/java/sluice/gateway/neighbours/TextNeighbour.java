package sluice.gateway.neighbours;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.util.Random;
import sluice.testkit.hostile.Bytes;

/** A neighbour of the classic text protocol. */
final class TextNeighbour extends Neighbour {
  private int count;

  TextNeighbour(String name, InetSocketAddress address, Selector selector) throws IOException {
    super(name, address, selector);
  }

  @Override
  void ask(Random random) {
    String key = key(random);
    String held = truth.get(key);
    switch (random.nextInt(6)) {
      case 0 -> set(key, name() + " holds " + ++count);
      case 1 -> set(key, Integer.toString(1000 + ++count));
      case 2 -> {
        truth.remove(key);
        add("delete " + key, held == null ? "NOT_FOUND" : "DELETED");
      }
      case 3 -> {
        String other = key(random);
        add("get " + key + " " + other, value(key) + value(other) + "END");
      }
      case 4 -> add("touch " + key + " 0", held == null ? "NOT_FOUND" : "TOUCHED");
      default -> add("get " + key, value(key) + "END");
    }
  }

  private void set(String key, String value) {
    truth.put(key, value);
    add("set " + key + " 7 0 " + value.length() + "\r\n" + value, "STORED");
  }

  private String value(String key) {
    String held = truth.get(key);
    return held == null ? "" : "VALUE " + key + " 7 " + held.length() + "\r\n" + held + "\r\n";
  }

  private void add(String request, String reply) {
    add(Bytes.of(request + "\r\n"), Expected.text(reply + "\r\n"));
  }
}
