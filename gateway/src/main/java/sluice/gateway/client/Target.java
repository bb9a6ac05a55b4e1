package sluice.gateway.client;

import io.netty.buffer.ByteBuf;
import java.util.List;
import sluice.codecs.memcached.ServerVersion;
import sluice.gateway.embedded.EmbeddedSession;
import sluice.gateway.route.hash.Ring;
import sluice.gateway.server.Server;

/** A pool, as one event loop sees it: servers on a ring, or the store inside this process. */
public final class Target {
  private final String name;
  private final EmbeddedSession embedded;
  private final Ring ring;
  private final Server[] text;
  private final Server[] binary;
  private final boolean missOnFailure;

  private Target(
      String name,
      EmbeddedSession embedded,
      Ring ring,
      List<Server> text,
      List<Server> binary,
      boolean missOnFailure) {
    this.name = name;
    this.embedded = embedded;
    this.ring = ring;
    this.text = text.toArray(Server[]::new);
    this.binary = binary.toArray(Server[]::new);
    this.missOnFailure = missOnFailure;
  }

  /**
   * A pool of servers: text and binary side of each in the ring's order; ring may be null for one.
   */
  public static Target servers(
      String name, Ring ring, List<Server> text, List<Server> binary, boolean missOnFailure) {
    return new Target(name, null, ring, text, binary, missOnFailure);
  }

  /** The store of this process. */
  public static Target embedded(String name, EmbeddedSession session) {
    return new Target(name, session, null, List.of(), List.of(), false);
  }

  public String name() {
    return name;
  }

  /** The store, or null. */
  EmbeddedSession embedded() {
    return embedded;
  }

  int size() {
    return text.length;
  }

  /** Whether a part of a multi-get that has no answer counts as missed. */
  boolean missOnFailure() {
    return missOnFailure;
  }

  /** The index of the server for the key [from, to). Borrows key. */
  int serverOf(ByteBuf key, int from, int to) {
    return text.length == 1 ? 0 : ring.serverOf(key, from, to - from);
  }

  Server text(int index) {
    return text[index];
  }

  Server binary(int index) {
    return binary[index];
  }

  /** The version whose reading of lines is followed: the first server's that is known. */
  ServerVersion version() {
    if (embedded != null) {
      return ServerVersion.EMBEDDED;
    }
    for (Server server : text) {
      ServerVersion version = server.status().version();
      if (version != null) {
        return version;
      }
    }
    return ServerVersion.UNKNOWN;
  }
}
