package sluice.codecs.internode;

/** Purpose of a messaging connection ({@code org.apache.cassandra.net.ConnectionType}). */
public enum ConnectionType {
  /** Used by peers before 4.0; acceptors accept it from later versions, too. */
  LEGACY(0),
  /** Gossip and other verbs that must not wait. */
  URGENT(1),
  SMALL(2),
  /** Messages of more than 65515 bytes. */
  LARGE(3);

  private static final ConnectionType[] BY_ID = values();

  private final int id;

  ConnectionType(int id) {
    this.id = id;
  }

  /** The type in the two lowest bits of an {@link Initiate}'s flags. */
  static ConnectionType of(int flags) {
    return BY_ID[flags & 3];
  }

  int id() {
    return id;
  }
}
