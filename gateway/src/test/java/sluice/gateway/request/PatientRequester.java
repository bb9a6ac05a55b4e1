package sluice.gateway.request;

import io.netty.buffer.ByteBuf;

/**
 * Requester of a test. Unless the test overrides it, it takes all replies; it counts held bytes.
 */
public abstract class PatientRequester implements PendingReply.Requester {
  private long held;

  /** Bytes that pending replies hold for it. */
  public final long held() {
    return held;
  }

  @Override
  public void hold(long delta) {
    held += delta;
  }

  @Override
  public boolean needsNext(PendingReply pending) {
    return true;
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
  public boolean isTurnOf(PendingReply pending) {
    throw new AssertionError("nobody asks");
  }

  @Override
  public void reply(ByteBuf source, int from, int length) {
    throw new AssertionError("nothing but pieces is written");
  }

  @Override
  public void replyCopy(ByteBuf source, int from, int length) {
    reply(source, from, length);
  }

  @Override
  public boolean completed(PendingReply pending) {
    throw new AssertionError("nothing is answered");
  }

  @Override
  public void advance() {
    throw new AssertionError("nothing waits");
  }

  @Override
  public ByteBuf failureReply(PendingReply pending, String reason) {
    throw new AssertionError("nothing fails: " + reason);
  }

  @Override
  public void abandon(String reason) {
    throw new AssertionError("nothing ends: " + reason);
  }
}
