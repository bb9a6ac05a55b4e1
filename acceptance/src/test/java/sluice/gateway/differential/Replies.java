package sluice.gateway.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Tells which operation of a batch each part of the replies belongs to. */
final class Replies {
  private static final Set<String> OF_SEVERAL_LINES = Set.of("get", "gets", "gat", "gats", "stats");

  private final List<Unit> units;
  private int next;

  private Replies(List<Unit> units) {
    this.units = units;
  }

  /**
   * The parts in the order of the operations, one list for each, and one more for what is left: the
   * batch's fence, and whatever nobody asked for.
   */
  static List<List<Unit>> divide(List<Operation> operations, List<Unit> units) {
    Replies replies = new Replies(units);
    List<List<Unit>> divided = new ArrayList<>();
    for (Operation operation : operations) {
      divided.add(List.copyOf(replies.of(operation)));
    }
    divided.add(List.copyOf(units.subList(replies.next, units.size())));
    return divided;
  }

  private List<Unit> of(Operation operation) {
    return switch (operation.answer()) {
      case NEVER -> List.of();
      case FENCED -> untilFence(operation);
      case CLOSES -> take(units.size());
      case MAYBE -> isNamedBy(operation) ? one(operation) : List.of();
      case ALWAYS -> one(operation);
    };
  }

  private List<Unit> one(Operation operation) {
    int end = next;
    while (end < units.size() && !isLast(operation, units.get(end))) {
      end++;
    }
    return take(end + 1);
  }

  private static boolean isLast(Operation operation, Unit unit) {
    if (operation instanceof PacketOperation packet) {
      // Statistics end in a packet without a name.
      return packet.opcode() != Opcode.STAT || unit.text().endsWith(" key ");
    }
    return !OF_SEVERAL_LINES.contains(operation.command())
        || !(unit.text().startsWith("VALUE ") || unit.text().startsWith("STAT "));
  }

  private boolean isNamedBy(Operation operation) {
    if (next == units.size()) {
      return false;
    }
    if (operation instanceof PacketOperation packet) {
      return units.get(next).hasOpaque(packet.opaque());
    }
    return units.get(next).hasToken(token(operation.number()));
  }

  private List<Unit> untilFence(Operation operation) {
    int end = next;
    while (end < units.size()
        && !(operation instanceof PacketOperation
            ? units.get(end).hasOpaque(operation.number())
            : units.get(end).isFence())) {
      end++;
    }
    return take(end + 1);
  }

  private List<Unit> take(int end) {
    List<Unit> taken = units.subList(next, Math.min(end, units.size()));
    next += taken.size();
    return taken;
  }

  /** The meta token that names an operation. */
  static String token(int number) {
    return "O" + Integer.toString(number, 36);
  }
}
