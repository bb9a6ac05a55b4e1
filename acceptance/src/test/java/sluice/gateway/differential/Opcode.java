package sluice.gateway.differential;

/** The opcodes that a client sends, by their names in memcached's protocol_binary.txt. */
enum Opcode {
  GET(0x00, 0x09, ""),
  GETK(0x0c, 0x0d, ""),
  SET(0x01, 0x11, "fe"),
  ADD(0x02, 0x12, "fe"),
  REPLACE(0x03, 0x13, "fe"),
  DELETE(0x04, 0x14, ""),
  INCR(0x05, 0x15, "die"),
  DECR(0x06, 0x16, "die"),
  QUIT(0x07, 0x17, ""),
  FLUSH(0x08, 0x18, "e"),
  NOOP(0x0a, -1, ""),
  VERSION(0x0b, -1, ""),
  APPEND(0x0e, 0x19, ""),
  PREPEND(0x0f, 0x1a, ""),
  STAT(0x10, -1, ""),
  VERBOSITY(0x1b, -1, "e"),
  TOUCH(0x1c, -1, "e"),
  GAT(0x1d, 0x1e, "e"),
  GATK(0x23, 0x24, "e"),
  /** One that nobody implements. */
  RGET(0x30, -1, "");

  final int loud;
  final int quiet;

  /** What the extras are: flags, expiration, delta, initial value. */
  final String extras;

  Opcode(int loud, int quiet, String extras) {
    this.loud = loud;
    this.quiet = quiet;
    this.extras = extras;
  }
}
