package sluice.codecs.memcached.text;

import io.netty.buffer.ByteBuf;
import java.util.EnumSet;
import sluice.names.Command;

/** Lookup of the command that a line's first token names; names are lower case only. */
public final class TextCommands {
  private static final int MASK = 127;
  private static final Command[] TABLE = new Command[MASK + 1];
  private static final long[] NAMES = new long[MASK + 1];

  static {
    for (Command command :
        EnumSet.complementOf(
            EnumSet.of(Command.NOOP, Command.SASL, Command.UNKNOWN, Command.DEBUG))) {
      put(command.label(), command);
    }
    put("misbehave", Command.DEBUG);
    put("debugtime", Command.DEBUG);
  }

  private TextCommands() {}

  private static void put(String name, Command command) {
    long packed = 0;
    for (int i = 0; i < name.length(); i++) {
      packed = pack(packed, (byte) name.charAt(i));
    }
    int slot = slot(packed);
    while (TABLE[slot] != null) {
      slot = (slot + 1) & MASK;
    }
    TABLE[slot] = command;
    NAMES[slot] = packed;
  }

  private static long pack(long packed, byte b) {
    return packed * 31 + (b & 0xFF);
  }

  private static int slot(long packed) {
    return (int) ((packed * 0x9E3779B97F4A7C15L) >>> 57);
  }

  /**
   * The command of the line's first token; {@link Command#UNKNOWN} if it is none, or the line is
   * empty.
   */
  public static Command of(TextLine line) {
    if (line.count() == 0) {
      return Command.UNKNOWN;
    }
    ByteBuf buffer = line.buffer();
    int end = line.end(0);
    long packed = 0;
    for (int i = line.start(0); i < end; i++) {
      packed = pack(packed, buffer.getByte(i));
    }
    for (int slot = slot(packed); TABLE[slot] != null; slot = (slot + 1) & MASK) {
      if (NAMES[slot] == packed && named(line, TABLE[slot])) {
        return TABLE[slot];
      }
    }
    return Command.UNKNOWN;
  }

  private static boolean named(TextLine line, Command command) {
    return command == Command.DEBUG
        ? line.is(0, "misbehave") || line.is(0, "debugtime")
        : line.is(0, command.label());
  }
}
