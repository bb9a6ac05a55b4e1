package sluice.codecs.memcached.bridge;

import sluice.codecs.memcached.binary.Opcode;

/** Mapping between operations and their answering opcodes (memcached's protocol_binary.h). */
final class PacketOperations {
  private PacketOperations() {}

  /** The operation of an opcode that is not quiet. */
  static Operation operation(int opcode) {
    return switch (opcode) {
      case Opcode.GET, Opcode.GETK, Opcode.GAT, Opcode.GATK -> Operation.GET;
      case Opcode.TOUCH -> Operation.TOUCH;
      case Opcode.SET -> Operation.SET;
      case Opcode.ADD -> Operation.ADD;
      case Opcode.REPLACE -> Operation.REPLACE;
      case Opcode.APPEND -> Operation.APPEND;
      case Opcode.PREPEND -> Operation.PREPEND;
      case Opcode.DELETE -> Operation.DELETE;
      case Opcode.INCREMENT -> Operation.INCREMENT;
      case Opcode.DECREMENT -> Operation.DECREMENT;
      case Opcode.FLUSH -> Operation.FLUSH;
      case Opcode.VERBOSITY -> Operation.VERBOSITY;
      case Opcode.VERSION -> Operation.VERSION;
      case Opcode.STAT -> Operation.STATS;
      default -> throw new IllegalArgumentException("opcode " + opcode + " has no canonical form");
    };
  }

  /** The plainest opcode of an operation. */
  static int opcode(Operation operation) {
    return switch (operation) {
      case GET -> Opcode.GET;
      case TOUCH -> Opcode.TOUCH;
      case SET -> Opcode.SET;
      case ADD -> Opcode.ADD;
      case REPLACE -> Opcode.REPLACE;
      case APPEND -> Opcode.APPEND;
      case PREPEND -> Opcode.PREPEND;
      case DELETE -> Opcode.DELETE;
      case INCREMENT -> Opcode.INCREMENT;
      case DECREMENT -> Opcode.DECREMENT;
      case FLUSH -> Opcode.FLUSH;
      case VERBOSITY -> Opcode.VERBOSITY;
      case VERSION -> Opcode.VERSION;
      case STATS -> Opcode.STAT;
    };
  }
}
