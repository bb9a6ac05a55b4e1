package sluice.gateway.differential;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What servers hold, read from them without anything between. */
final class Contents {
  private Contents() {}

  /**
   * The items of these keys, by their raw names: value, flags, size, time to live, cas unique,
   * whether it is stale. Not whether it was read: memcached notes a read that it then refuses. Of a
   * key that no line of text can name, what the binary protocol tells. Of several servers those of
   * all, where a key is missing of none.
   */
  static Map<String, List<Unit>> read(Arena arena, List<InetSocketAddress> servers, List<Key> keys)
      throws IOException {
    Map<String, List<Unit>> contents = new LinkedHashMap<>();
    for (InetSocketAddress server : servers) {
      read(arena, server, keys, true, contents);
      read(arena, server, keys, false, contents);
    }
    return contents;
  }

  private static void read(
      Arena arena,
      InetSocketAddress server,
      List<Key> keys,
      boolean lines,
      Map<String, List<Unit>> contents)
      throws IOException {
    List<String> names = new ArrayList<>();
    List<Operation> reads = new ArrayList<>();
    for (Key key : keys) {
      if (key.fitsALine() == lines && !names.contains(key.raw())) {
        names.add(key.raw());
        reads.add(lines ? line(key.forALine()) : packet(key, reads.size()));
      }
    }
    if (reads.isEmpty()) {
      return;
    }
    List<List<Unit>> replies = arena.ask(lines ? Dialect.TEXT : Dialect.BINARY, server, reads);
    for (int i = 0; i < names.size(); i++) {
      List<Unit> items = contents.computeIfAbsent(names.get(i), name -> new ArrayList<>());
      for (Unit unit : replies.get(i)) {
        if (!unit.text().equals("EN") && !unit.text().contains(" status 0001 ")) {
          items.add(unit);
        }
      }
    }
  }

  private static Operation line(Key key) {
    String text = "mg " + key.token() + (key.base64() ? " b" : "") + " s f t c v";
    return LineOperation.noop(0).withLine(text);
  }

  private static Operation packet(Key key, int number) {
    return new PacketOperation(
        number,
        Opcode.GET,
        false,
        number,
        PacketOperation.Extras.NONE,
        key,
        Cas.NONE,
        null,
        0,
        Answer.ALWAYS,
        false);
  }
}
