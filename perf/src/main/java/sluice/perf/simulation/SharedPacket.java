package sluice.perf.simulation;

import org.jspecify.annotations.Nullable;
import sluice.perf.simulation.history.Step;
import sluice.testkit.Opcode;

/**
 * Packet of the binary protocol for a key that other clients use, too, and how its reply is judged.
 */
abstract class SharedPacket {
  private final int opcode;
  private final int opaque;
  private final JudgedKey key;
  private final Step step;

  SharedPacket(int opcode, int opaque, JudgedKey key, Step step) {
    this.opcode = opcode;
    this.opaque = opaque;
    this.key = key;
    this.step = step;
  }

  final int opcode() {
    return opcode;
  }

  /** The opcode of the same command that is always answered. */
  final int loud() {
    return Opcode.loud(opcode);
  }

  final int opaque() {
    return opaque;
  }

  final String keyName() {
    return key.name();
  }

  final boolean isCertain() {
    return key.isCertain();
  }

  /** It has no reply, or an error, so that it may have been carried out or not. */
  final void unknown() {
    step.fails();
  }

  /** Judges a reply that is no failure: what is wrong; null if nothing is. */
  abstract @Nullable String judge(BinaryReply reply);

  /** Judges that there is no reply, which only a quiet one may have. */
  abstract @Nullable String judgeSilence();

  final String unexpected(int status) {
    return "found status " + status + " as the reply to " + this;
  }

  final @Nullable String told(@Nullable String wrong) {
    return wrong == null ? null : wrong + " (" + this + ")";
  }

  @Override
  public final String toString() {
    return "opcode 0x%02x, shared key %s".formatted(opcode, key.name());
  }
}
