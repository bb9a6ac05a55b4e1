package sluice.gateway.request;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Deque;

/** Requester of a test that takes its replies in the order in which it asked. */
public abstract class OrderedRequester extends PatientRequester {
  /** Its requests without a whole reply, the oldest first. */
  public final Deque<PendingReply> waiting = new ArrayDeque<>();

  /** What it has got, a char a byte. */
  public final StringBuilder got = new StringBuilder();

  private final RequestPool pool;

  /** A requester whose pending replies are of this pool. */
  protected OrderedRequester(RequestPool pool) {
    this.pool = pool;
  }

  @Override
  public boolean isTurnOf(PendingReply pending) {
    return waiting.peek() == pending;
  }

  @Override
  public void reply(ByteBuf bytes) {
    got.append(bytes.toString(ISO_8859_1));
    bytes.release();
  }

  @Override
  public void reply(ByteBuf source, int from, int length) {
    got.append(source.toString(from, length, ISO_8859_1));
  }

  @Override
  public boolean completed(PendingReply pending) {
    assertThat(waiting.poll()).isSameAs(pending);
    pool.give(pending);
    return false;
  }
}
