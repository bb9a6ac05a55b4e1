package sluice.testkit.model;

import java.time.InstantSource;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Model of memcached without sockets: items, and connections that accept bytes as they arrive. */
public final class Model {
  private final Items items;
  private int connections;

  /** A model that does not report its writes. */
  public Model(Lines lines, InstantSource clock) {
    this(lines, clock, (key, flags) -> {});
  }

  /**
   * A model without items, which reads lines as a version does.
   *
   * @param clock tells when an absolute time of expiry is over
   * @param writes is told of each write
   */
  public Model(Lines lines, InstantSource clock, ModelWrites writes) {
    items = new Items(lines, clock, writes);
  }

  /** A new connection. */
  public ModelConnection connect(int port) {
    return new ModelConnection(items, ++connections, port);
  }

  /** The value of a key; null if there is none. */
  public byte @Nullable [] value(String key) {
    Items.Item item = items.get(key);
    return item == null ? null : Arrays.copyOf(item.value(), item.value().length);
  }
}
