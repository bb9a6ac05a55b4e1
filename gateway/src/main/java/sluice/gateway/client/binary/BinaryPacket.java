package sluice.gateway.client.binary;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import sluice.codecs.buffer.FieldReader;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.Suppression;
import sluice.names.Command;

/** View of the head of one binary request: header, extras and key. Owns nothing. */
final class BinaryPacket {
  /** Longer bodies are refused, even if the limit of items is higher. */
  static final long MAX_BODY = 1L << 30;

  static final int MAX_KEY = 250;
  static final int MAX_EXTRAS = 20;

  /** The commands of all opcodes: looked up for each request. */
  private static final Command[] COMMANDS = new Command[256];

  /** The reply suppressions of all opcodes. */
  private static final Suppression[] SUPPRESSIONS = new Suppression[256];

  static {
    for (int opcode = 0; opcode < COMMANDS.length; opcode++) {
      COMMANDS[opcode] = commandOf(opcode);
      SUPPRESSIONS[opcode] = suppressionOf(opcode);
    }
  }

  private final FieldReader head = new FieldReader();
  private boolean answersAll;
  private ByteBuf buffer = Unpooled.EMPTY_BUFFER;
  private int at;
  private int opcode;
  private int loud; // opcode, or the one that answers if it is quiet
  private int opaque;
  private int keyLength;
  private int extras;
  private long body;

  /**
   * Wraps the header at {@code at} of buffer. Borrows buffer, until the next call.
   *
   * @param answersAll whether quiet opcodes are answered like all others
   */
  BinaryPacket wrap(ByteBuf buffer, int at, boolean answersAll) {
    this.buffer = buffer;
    this.at = at;
    this.answersAll = answersAll;
    head.of(buffer, at, BinaryHeader.LENGTH);
    opcode = BinaryHeader.opcode(head);
    loud = Opcode.loud(opcode);
    opaque = BinaryHeader.opaque(head);
    keyLength = BinaryHeader.keyLength(head);
    extras = BinaryHeader.extrasLength(head);
    body = BinaryHeader.bodyLength(head);
    return this;
  }

  /**
   * Its bytes were moved to another buffer, {@code by} behind their former index. Borrows moved.
   */
  void moved(ByteBuf moved, int by) {
    buffer = moved;
    at += by;
  }

  ByteBuf buffer() {
    return buffer;
  }

  int at() {
    return at;
  }

  int opcode() {
    return opcode;
  }

  /** The answering opcode of the same operation; the opcode itself if it is not quiet. */
  int loud() {
    return loud;
  }

  /** The client's opaque. */
  int opaque() {
    return opaque;
  }

  int keyLength() {
    return keyLength;
  }

  int keyStart() {
    return at + BinaryHeader.LENGTH + extras;
  }

  /** Length of the extras in bytes. */
  int extras() {
    return extras;
  }

  /** Length of extras, key and value in bytes. */
  long body() {
    return body;
  }

  Command command() {
    return COMMANDS[opcode];
  }

  private static Command commandOf(int opcode) {
    return switch (Opcode.loud(opcode)) {
      case Opcode.GET, Opcode.GETK -> Command.GET;
      case Opcode.GAT, Opcode.GATK -> Command.GAT;
      case Opcode.SET -> Command.SET;
      case Opcode.ADD -> Command.ADD;
      case Opcode.REPLACE -> Command.REPLACE;
      case Opcode.APPEND -> Command.APPEND;
      case Opcode.PREPEND -> Command.PREPEND;
      case Opcode.DELETE -> Command.DELETE;
      case Opcode.INCREMENT -> Command.INCR;
      case Opcode.DECREMENT -> Command.DECR;
      case Opcode.TOUCH -> Command.TOUCH;
      case Opcode.NOOP -> Command.NOOP;
      case Opcode.QUIT -> Command.QUIT;
      case Opcode.FLUSH -> Command.FLUSH_ALL;
      case Opcode.VERSION -> Command.VERSION;
      case Opcode.STAT -> Command.STATS;
      case Opcode.VERBOSITY -> Command.VERBOSITY;
      case Opcode.SASL_LIST, Opcode.SASL_AUTH, Opcode.SASL_STEP -> Command.SASL;
      default -> Command.UNKNOWN;
    };
  }

  /** Whether the lengths are valid for the opcode (protocols/memcached.md, 4). */
  boolean isWellFormed() {
    boolean noValue = body == keyLength + extras;
    boolean key = keyLength > 0 && keyLength <= MAX_KEY;
    return switch (loud) {
      case Opcode.GET, Opcode.GETK, Opcode.DELETE -> key && extras == 0 && noValue;
      case Opcode.GAT, Opcode.GATK, Opcode.TOUCH -> key && extras == 4 && noValue;
      case Opcode.SET, Opcode.ADD, Opcode.REPLACE -> key && extras == 8;
      case Opcode.APPEND, Opcode.PREPEND -> key && extras == 0;
      case Opcode.INCREMENT, Opcode.DECREMENT -> key && extras == 20 && noValue;
      case Opcode.FLUSH -> keyLength == 0 && (extras == 0 || extras == 4) && noValue;
      case Opcode.NOOP, Opcode.QUIT, Opcode.VERSION -> body == 0;
      case Opcode.VERBOSITY -> keyLength == 0 && extras == 4 && noValue;
      case Opcode.STAT -> extras == 0 && keyLength <= MAX_KEY && noValue;
      default -> false;
    };
  }

  /** The reply suppression of a quiet opcode: one of {@link PendingReply}'s. */
  Suppression suppression() {
    return answersAll ? Suppression.NOTHING : SUPPRESSIONS[opcode];
  }

  private static Suppression suppressionOf(int opcode) {
    return switch (opcode) {
      case Opcode.GETQ, Opcode.GETKQ, Opcode.GATQ, Opcode.GATKQ -> Suppression.MISS;
      default -> Opcode.loud(opcode) == opcode ? Suppression.NOTHING : Suppression.SUCCESS;
    };
  }
}
