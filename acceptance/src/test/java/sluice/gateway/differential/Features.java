package sluice.gateway.differential;

import java.util.List;
import java.util.Set;

/** What the rules ask about an operation. */
final class Features {
  private static final int ITEM = 1024 * 1024;
  private static final int LONGEST_IN_BASE64 = 186;
  private static final int LONGEST_OPAQUE = 31;
  private static final int NO_CREATION = 0xffff_ffff;
  private static final int MOST_FLAGS = 18; // with more a line is wrong, whatever they are
  private static final Set<Opcode> CHANGES =
      Set.of(
          Opcode.SET,
          Opcode.ADD,
          Opcode.REPLACE,
          Opcode.APPEND,
          Opcode.PREPEND,
          Opcode.INCR,
          Opcode.DECR);
  private static final Set<Opcode> ADDITIONS =
      Set.of(Opcode.ADD, Opcode.REPLACE, Opcode.APPEND, Opcode.PREPEND);
  private static final Set<Opcode> WITHOUT_COMPARISON =
      Set.of(Opcode.DELETE, Opcode.APPEND, Opcode.PREPEND, Opcode.INCR, Opcode.DECR);

  private Features() {}

  /** Over the limit of the listener, which is looked at before all else. */
  static boolean isTooLarge(Operation operation) {
    return operation.value() != null && operation.value().length() > ITEM;
  }

  /**
   * Whether memcached's own limit refuses its value, which the gateway cannot know. An item has a
   * header of 48 bytes, a cas unique of 8 and the key with a byte behind it. Flags other than 0 and
   * a line end follow ({@code item_make_header} in memcached's items.c).
   */
  static boolean isTooLargeForTheServer(Operation operation) {
    return operation.value() != null
        && !isTooLarge(operation)
        && 48
                + 8
                + operation.keys().get(0).raw().length()
                + 1
                + (flags(operation) == 0 ? 0 : 4)
                + operation.value().length()
                + 2
            > ITEM;
  }

  static long flags(Operation operation) {
    if (operation instanceof PacketOperation packet) {
      return packet.extras().flags();
    }
    LineOperation line = (LineOperation) operation;
    return Long.parseLong(line.isMeta() ? line.argument('F', "0") : line.line().split(" +")[2]);
  }

  // --- packets ------------------------------------------------------------------------------

  static boolean isVerbosity(Operation operation) {
    return is(operation, Set.of(Opcode.VERBOSITY));
  }

  static boolean isTouch(Operation operation) {
    return is(operation, Set.of(Opcode.TOUCH));
  }

  static boolean isChange(Operation operation) {
    return is(operation, CHANGES);
  }

  static boolean isNamedStatisticsPacket(Operation operation) {
    return operation instanceof PacketOperation packet
        && packet.opcode() == Opcode.STAT
        && packet.key().raw().equals("bogus");
  }

  static boolean needsLongBase64(Operation operation) {
    return operation instanceof PacketOperation packet
        && takesKey(packet)
        && !packet.key().isPlain()
        && packet.key().raw().length() > LONGEST_IN_BASE64;
  }

  static boolean expiresAfter2038(Operation operation) {
    if (!(operation instanceof PacketOperation packet) || !packet.opcode().extras.contains("e")) {
      return false;
    }
    boolean none = isArithmetic(operation) && packet.extras().expiration() == NO_CREATION;
    return packet.extras().expiration() < 0 && !none;
  }

  static boolean is(Operation operation, Set<Opcode> opcodes) {
    return operation instanceof PacketOperation packet && opcodes.contains(packet.opcode());
  }

  // A packet that closes the connection is wrong before its key is looked at.
  private static boolean takesKey(PacketOperation packet) {
    return packet.key() != null
        && packet.opcode() != Opcode.STAT
        && packet.answer() != Answer.CLOSES;
  }

  // --- both ---------------------------------------------------------------------------------

  static boolean hasNoTextKey(Operation operation) {
    boolean keyed =
        operation instanceof PacketOperation packet
            ? takesKey(packet)
            : ((LineOperation) operation).isMeta();
    return keyed
        && operation.keys().stream()
            .anyMatch(key -> key.raw().chars().anyMatch(c -> " \r\n\0".indexOf(c) >= 0));
  }

  /** A comparison that classic text has no command for. */
  static boolean comparesInVain(Operation operation) {
    if (operation.cas() == Cas.NONE) {
      return false;
    }
    return switch (operation.command()) {
      case "ma", "md" -> true;
      case "ms" -> isAppend(operation);
      default -> is(operation, WITHOUT_COMPARISON);
    };
  }

  static boolean createsCounter(Operation operation) {
    return operation instanceof PacketOperation packet
        ? isArithmetic(operation) && packet.extras().expiration() != NO_CREATION
        : isArithmetic(operation) && ((LineOperation) operation).has('N');
  }

  private static boolean isArithmetic(Operation operation) {
    return operation.command().equals("ma") || is(operation, Set.of(Opcode.INCR, Opcode.DECR));
  }

  static boolean comparesZero(Operation operation) {
    return operation.cas() == Cas.ZERO && !(isMeta(operation) && isAdd(operation));
  }

  // --- lines --------------------------------------------------------------------------------

  static boolean isMe(Operation operation) {
    return operation.command().equals("me");
  }

  /** Whether memcached refuses it, but counts a fetch of the item: the gateway refuses it first. */
  static boolean isRefusedFetch(Operation operation) {
    return operation instanceof LineOperation line
        && operation.command().equals("mg")
        && line.argument('O', "").length() > LONGEST_OPAQUE;
  }

  static boolean showsLineEnd(Operation operation) {
    return isMe(operation)
        && operation.keys().get(0).base64()
        && operation.keys().get(0).raw().contains("\n");
  }

  static boolean returnsKey(Operation operation) {
    return operation instanceof LineOperation line && line.has('k');
  }

  /** Storing but not setting: what is over the server's limit leaves the old item in its place. */
  static boolean keepsItemThatIsTooLarge(Operation operation) {
    return isTooLargeForTheServer(operation)
        && switch (operation.command()) {
          case "ms" -> false;
          case "add", "replace", "append", "prepend", "cas" -> true;
          default -> is(operation, ADDITIONS);
        };
  }

  static boolean setsTooLargeWithCas(Operation operation) {
    return isTooLargeForTheServer(operation)
        && operation.cas() != Cas.NONE
        && (is(operation, Set.of(Opcode.SET)) || operation.command().equals("cas"));
  }

  /** A too large {@code ms} that is an add, a replace, an append or a prepend in other dialects. */
  static boolean addsTooLargeByMeta(Operation operation) {
    return isTooLargeForTheServer(operation)
        && operation.command().equals("ms")
        && (isAppend(operation) || isAdd(operation) || mode(operation, "MR"));
  }

  /** A too large {@code ms} that is anything but a set in classic text. */
  static boolean addsOrComparesTooLargeByMeta(Operation operation) {
    return addsTooLargeByMeta(operation)
        || (isTooLargeForTheServer(operation)
            && operation.command().equals("ms")
            && operation.cas() != Cas.NONE);
  }

  static boolean breaksLines(Operation operation) {
    return returnsKey(operation)
        && operation.keys().stream()
            .anyMatch(key -> key.raw().contains("\n") || key.raw().contains(" O"));
  }

  static boolean createsQuietly(Operation operation) {
    return createsCounter(operation) && ((LineOperation) operation).has('q');
  }

  static boolean touchesCounter(Operation operation) {
    return isArithmetic(operation) && ((LineOperation) operation).has('T');
  }

  static boolean wantsCasOfChange(Operation operation) {
    return operation instanceof LineOperation line
        && line.has('c')
        && (line.command().equals("ms") || line.command().equals("ma"));
  }

  /** What neither classic text nor binary reports about a change. */
  static boolean wantsSizeOrTime(Operation operation) {
    return operation instanceof LineOperation line
        && (line.command().equals("ma")
            ? line.has('t')
            : line.command().equals("ms") && isAppend(operation) && line.has('s'));
  }

  static boolean wantsSizeOfAppend(Operation operation) {
    return isMeta(operation) && isAppend(operation) && ((LineOperation) operation).has('s');
  }

  static boolean wantsSizeOfSet(Operation operation) {
    return operation instanceof LineOperation line && line.command().equals("ms") && line.has('s');
  }

  /** Flags that the servers, of version 1.6.18, do not know. */
  private static final String UNKNOWN = "Ex";

  /**
   * The first flag that no other dialect has a word for; 0 where there is none, or where the server
   * refuses the line.
   */
  static char onlyMeta(Operation operation) {
    if (!isMeta(operation)
        || ((LineOperation) operation)
            .flags().stream().anyMatch(flag -> UNKNOWN.indexOf(flag.charAt(0)) >= 0)) {
      return 0;
    }
    String letters =
        switch (operation.command()) {
          case "mg" -> "uNRC";
          case "ms" -> "IN";
          case "md" -> "I";
          default -> "";
        };
    List<String> flags = ((LineOperation) operation).flags();
    char first = 0;
    for (String flag : flags.size() > MOST_FLAGS ? List.<String>of() : flags) {
      if (first == 0 && letters.indexOf(flag.charAt(0)) >= 0) {
        first = flag.charAt(0);
      }
    }
    return first;
  }

  /** What only meta reports about an item that is read. */
  static boolean wantsMetaOfItem(Operation operation) {
    return operation instanceof LineOperation line
        && line.command().equals("mg")
        && line.flags().size() <= MOST_FLAGS
        && (line.has('t') || line.has('h') || line.has('l'));
  }

  private static boolean isMeta(Operation operation) {
    return operation instanceof LineOperation line && line.isMeta();
  }

  /** An append, or a prepend. */
  static boolean isAppend(Operation operation) {
    return mode(operation, "MA") || isPrepend(operation);
  }

  static boolean isPrepend(Operation operation) {
    return mode(operation, "MP");
  }

  private static boolean isAdd(Operation operation) {
    return mode(operation, "ME");
  }

  private static boolean mode(Operation operation, String flag) {
    return operation instanceof LineOperation line && line.flags().contains(flag);
  }
}
