package sluice.perf.torture;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import sluice.perf.torture.Sent.Write;
import sluice.testkit.selfcheck.HeldKey;

/**
 * Compares, at the end, what the servers that never forget really hold with what clients were told
 * and with what the journals say.
 */
final class Contents {
  private final Setting setting;
  private final Servers servers;
  private final Findings findings;
  private final Joined joined;
  private int items;
  private int certain;

  Contents(Setting setting, Servers servers, Findings findings) {
    this.setting = setting;
    this.servers = servers;
    this.findings = findings;
    joined = new Joined(setting, servers);
  }

  /** Compares these keys and tells how many. */
  void compare(List<HeldKey> keys) throws IOException {
    for (HeldKey held : keys) {
      for (Destination.Place place : setting.destination(Write.STORE, "text", held.key()).home()) {
        compare(held, servers.get(place.server()));
      }
    }
    findings.say(
        ("contents: %d keys in %d items of servers that kept running compared with what clients"
                + " know, %d of these with the journal; the others have writes without a reply")
            .formatted(keys.size(), items, certain));
  }

  private void compare(HeldKey held, Recorder recorder) throws IOException {
    String key = held.key();
    items++;
    Item stored = Item.read(recorder.server(), key);
    try {
      Item item =
          stored != null && Setting.Keys.of(key) == Setting.Keys.SPLIT
              ? joined.item(key, stored)
              : stored;
      if (item == null
          ? !held.allows(null, new byte[0])
          : !held.allows(item.flags(), item.value())) {
        findings.wrong(
            "a server holds what its client was told is not there: %s but %s"
                .formatted(
                    held,
                    item == null
                        ? "nothing"
                        : "flags " + item.flags() + ", " + item.value().length + " bytes"));
      }
    } catch (IOException e) {
      findings.wrong("a value in chunks cannot be joined: " + e.getMessage());
    }
    Integer flags = stored == null ? null : (Integer) stored.flags();
    if (recorder.journal().certainty(key) == Journal.Certainty.CERTAIN) {
      certain++;
      if (!Objects.equals(recorder.journal().flags(key), flags)) {
        findings.wrong(
            "a server holds flags %s of %s, its journal says %s"
                .formatted(flags, key, recorder.journal().flags(key)));
      }
    }
  }
}
