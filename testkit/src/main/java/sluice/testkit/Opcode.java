package sluice.testkit;

/**
 * Opcodes and statuses of memcached's binary protocol for fakes and checks. They are independent of
 * the product's tables, which they test.
 */
public final class Opcode {
  public static final int GET = 0x00;
  public static final int SET = 0x01;
  public static final int ADD = 0x02;
  public static final int REPLACE = 0x03;
  public static final int DELETE = 0x04;
  public static final int INCREMENT = 0x05;
  public static final int DECREMENT = 0x06;
  public static final int QUIT = 0x07;
  public static final int FLUSH = 0x08;
  public static final int GETQ = 0x09;
  public static final int NOOP = 0x0a;
  public static final int VERSION = 0x0b;
  public static final int GETK = 0x0c;
  public static final int GETKQ = 0x0d;
  public static final int APPEND = 0x0e;
  public static final int PREPEND = 0x0f;
  public static final int SETQ = 0x11;
  public static final int ADDQ = 0x12;
  public static final int REPLACEQ = 0x13;
  public static final int DELETEQ = 0x14;
  public static final int INCREMENTQ = 0x15;
  public static final int DECREMENTQ = 0x16;
  public static final int QUITQ = 0x17;
  public static final int FLUSHQ = 0x18;
  public static final int APPENDQ = 0x19;
  public static final int PREPENDQ = 0x1a;
  public static final int TOUCH = 0x1c;
  public static final int GAT = 0x1d;
  public static final int GATQ = 0x1e;
  public static final int GATK = 0x23;
  public static final int GATKQ = 0x24;

  public static final int STATUS_OK = 0x00;
  public static final int STATUS_NOT_FOUND = 0x01;
  public static final int STATUS_EXISTS = 0x02;
  public static final int STATUS_NOT_STORED = 0x05;
  public static final int STATUS_UNKNOWN_COMMAND = 0x81;
  public static final int STATUS_INTERNAL_ERROR = 0x84;
  public static final int STATUS_TEMPORARY_FAILURE = 0x86;

  private Opcode() {}

  /** The answering opcode of the same operation; opcode itself if it is not quiet. */
  public static int loud(int opcode) {
    return switch (opcode) {
      case GETQ -> GET;
      case GETKQ -> GETK;
      case SETQ -> SET;
      case ADDQ -> ADD;
      case REPLACEQ -> REPLACE;
      case DELETEQ -> DELETE;
      case INCREMENTQ -> INCREMENT;
      case DECREMENTQ -> DECREMENT;
      case QUITQ -> QUIT;
      case FLUSHQ -> FLUSH;
      case APPENDQ -> APPEND;
      case PREPENDQ -> PREPEND;
      case GATQ -> GAT;
      case GATKQ -> GATK;
      default -> opcode;
    };
  }
}
