package sluice.gateway.dispatch.policy;

import io.netty.buffer.ByteBuf;
import java.util.function.LongConsumer;
import sluice.gateway.request.PendingReply;

/**
 * Requester of subrequests whose replies no client sees. Nothing is written to it, and it pauses no
 * server: its subrequests' aggregator takes bytes as they arrive.
 */
final class DetachedRequester implements PendingReply.Requester {
  private final LongConsumer held;

  /**
   * @param held receives changes of the bytes held for it; negative: fewer
   */
  DetachedRequester(LongConsumer held) {
    this.held = held;
  }

  @Override
  public void hold(long delta) {
    held.accept(delta);
  }

  @Override
  public boolean isTurnOf(PendingReply pending) {
    return false; // nothing of it is written
  }

  @Override
  public boolean needsNext(PendingReply pending) {
    return false;
  }

  @Override
  public boolean isFull(boolean next) {
    return false;
  }

  @Override
  public boolean pauses(Resumable server) {
    return false;
  }

  @Override
  public boolean holdsUp(Resumable server) {
    return false;
  }

  @Override
  public void advance() {} // no client's reply follows

  @Override
  public void reply(ByteBuf bytes) {
    throw notAClient();
  }

  @Override
  public void reply(ByteBuf source, int from, int length) {
    throw notAClient();
  }

  @Override
  public void replyCopy(ByteBuf source, int from, int length) {
    throw notAClient();
  }

  @Override
  public boolean completed(PendingReply pending) {
    throw notAClient();
  }

  @Override
  public ByteBuf failureReply(PendingReply pending, String reason) {
    throw notAClient();
  }

  @Override
  public void abandon(String reason) {
    throw notAClient();
  }

  private static IllegalStateException notAClient() {
    return new IllegalStateException("the copy of a request is a subrequest of it");
  }
}
