package sluice.gateway.request;

import sluice.names.Command;

/**
 * Reply that a request expects: the command that it answers, how it is read, and which replies the
 * client does not want. Immutable and shared: there is one for each combination, so that requests
 * keep one reference instead of three.
 *
 * @param command that is answered
 * @param kind how the server's reply is read
 * @param suppression what the client does not want
 */
record ExpectedReply(Command command, ReplyKind kind, Suppression suppression) {
  private static final int KINDS = ReplyKind.values().length;
  private static final int SUPPRESSIONS = Suppression.values().length;
  private static final ExpectedReply[] ALL =
      new ExpectedReply[Command.values().length * KINDS * SUPPRESSIONS];

  static {
    for (Command command : Command.values()) {
      for (ReplyKind kind : ReplyKind.values()) {
        for (Suppression suppression : Suppression.values()) {
          ALL[index(command, kind, suppression)] = new ExpectedReply(command, kind, suppression);
        }
      }
    }
  }

  /** No request: the value in a free request or reply. */
  static final ExpectedReply NONE = of(Command.UNKNOWN, ReplyKind.LINE, Suppression.NOTHING);

  /** The expected reply of these properties. */
  static ExpectedReply of(Command command, ReplyKind kind, Suppression suppression) {
    return ALL[index(command, kind, suppression)];
  }

  @SuppressWarnings("EnumOrdinal") // for a table that is built anew in each process
  private static int index(Command command, ReplyKind kind, Suppression suppression) {
    return (command.ordinal() * KINDS + kind.ordinal()) * SUPPRESSIONS + suppression.ordinal();
  }

  /** The same, read in another way. */
  ExpectedReply readAs(ReplyKind other) {
    return of(command, other, suppression);
  }
}
