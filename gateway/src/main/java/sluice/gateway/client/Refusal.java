package sluice.gateway.client;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.gateway.metrics.Outcome;
import sluice.names.Command;

/** Refused request whose body must be discarded first. Owns the reply until then. */
public final class Refusal {
  private long remaining;
  private Command command = Command.UNKNOWN;
  private Outcome outcome = Outcome.OK;
  private @Nullable ByteBuf reply; // null for silence

  /** Begins to discard. Consumes reply; null for silence. */
  public void begin(long body, Command command, Outcome outcome, @Nullable ByteBuf reply) {
    remaining = body;
    this.command = command;
    this.outcome = outcome;
    this.reply = reply;
  }

  /** Discards the body's bytes in in; returns whether those were all. Borrows in. */
  public boolean discard(ByteBuf in) {
    int length = (int) Math.min(remaining, in.readableBytes());
    in.skipBytes(length);
    remaining -= length;
    return remaining == 0;
  }

  /** Passes the reply to the client. */
  public void answer(ConnectedClient client) {
    ByteBuf given = reply;
    reply = null;
    client.answer(command, outcome, given);
  }

  public void release() {
    if (reply != null) {
      reply.release();
      reply = null;
    }
  }
}
