package sluice.gateway.neighbours;

import java.util.ArrayList;
import java.util.List;
import sluice.testkit.hostile.Bytes;

/**
 * What hostile clients send in one round: for each connection its requests, which are written
 * together.
 */
record Attack(List<List<byte[]>> connections) {

  /** How many requests there are on all connections. */
  int size() {
    return connections.stream().mapToInt(List::size).sum();
  }

  /** The same without the requests [from, to), counted over all connections. */
  Attack without(int from, int to) {
    List<List<byte[]>> left = new ArrayList<>();
    int number = 0;
    for (List<byte[]> requests : connections) {
      List<byte[]> kept = new ArrayList<>();
      for (byte[] request : requests) {
        if (number < from || number >= to) {
          kept.add(request);
        }
        number++;
      }
      if (!kept.isEmpty()) {
        left.add(kept);
      }
    }
    return new Attack(left);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (List<byte[]> requests : connections) {
      text.append("  connection\n");
      for (byte[] request : requests) {
        text.append("    ").append(Bytes.escaped(request)).append('\n');
      }
    }
    return text.toString();
  }
}
