package sluice.perf.simulation;

import org.jspecify.annotations.Nullable;
import sluice.testkit.Opcode;

/**
 * Request of a {@link BinaryClient} whose reply is to come.
 *
 * @param before what the key held before it
 * @param flags of the value that it writes; 0 for none
 * @param changes of the key, with this one; of a read that removes its item, without it
 * @param shared what is known of it if others use its key, too; null if they do not
 */
record PendingPacket(
    int opcode,
    @Nullable CheckedKey key,
    int opaque,
    @Nullable String before,
    long flags,
    int changes,
    @Nullable SharedPacket shared) {
  PendingPacket(
      int opcode, CheckedKey key, int opaque, @Nullable String before, long flags, int changes) {
    this(opcode, key, opaque, before, flags, changes, null);
  }

  static PendingPacket noop(int opaque) {
    return new PendingPacket(Opcode.NOOP, null, opaque, null, 0, 0, null);
  }

  static PendingPacket shared(SharedPacket packet) {
    return new PendingPacket(packet.opcode(), null, packet.opaque(), null, 0, 0, packet);
  }

  boolean isQuiet() {
    return Opcode.loud(opcode) != opcode;
  }

  boolean reads() {
    return switch (opcode) {
      case Opcode.GET, Opcode.GETQ, Opcode.GAT, Opcode.GATQ -> true;
      default -> tellsKey();
    };
  }

  boolean tellsKey() {
    return opcode == Opcode.GETK || opcode == Opcode.GETKQ;
  }

  /** Whether it leaves its key as it was. A GAT may remove what it returns. */
  boolean changesNothing() {
    return shared == null && reads() && opcode != Opcode.GAT;
  }

  String toldKey() {
    if (!tellsKey()) {
      return "";
    }
    return shared != null ? shared.keyName() : key == null ? "" : key.name();
  }

  boolean isCertain() {
    return shared != null ? shared.isCertain() : key != null && key.isCertain();
  }

  /** Its key may hold what it writes, or not. */
  void unknown() {
    if (shared != null) {
      shared.unknown();
    } else if (key != null) {
      key.uncertain();
    }
  }

  boolean stores() {
    return opcode == Opcode.SET || opcode == Opcode.SETQ || opcode == Opcode.ADD;
  }
}
