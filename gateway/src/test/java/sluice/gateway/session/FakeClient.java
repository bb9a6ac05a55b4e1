package sluice.gateway.session;

import org.jspecify.annotations.Nullable;
import sluice.gateway.metrics.DropReason;

/** Client of a loop that has no connection: what it holds is set, and what is called is kept. */
class FakeClient implements LoopClient {
  private final long held;
  private int sweeps;
  private int resumptions;
  private @Nullable Throwable cause;

  /** A client for which {@code held} bytes are buffered. */
  FakeClient(long held) {
    this.held = held;
  }

  /** How often it was swept. */
  final int sweeps() {
    return sweeps;
  }

  /** How often it was resumed. */
  final int resumptions() {
    return resumptions;
  }

  /** The error that closed it, if one did. */
  final @Nullable Throwable cause() {
    return cause;
  }

  @Override
  public void process() {}

  @Override
  public void resumeReading() {
    resumptions++;
  }

  @Override
  public void sweep(double drained) {
    sweeps++;
  }

  @Override
  public void cut(DropReason reason) {}

  @Override
  public void broken(Throwable cause) {
    this.cause = cause;
  }

  @Override
  public String listenerName() {
    return "cache";
  }

  @Override
  public long allHeldBytes() {
    return held;
  }

  @Override
  public long stallNanos() {
    return Long.MAX_VALUE;
  }

  @Override
  public void sweepOutput() {}

  @Override
  public void resumeServers() {}

  @Override
  public boolean stallsServersTooLong(int halvings) {
    return false;
  }

  @Override
  public boolean keepsConnectionTooLong() {
    return false;
  }

  @Override
  public boolean keepsMemoryTooLong() {
    return false;
  }

  @Override
  public boolean keepsLineTooLong() {
    return false;
  }

  @Override
  public boolean buffersTooLong() {
    return false;
  }
}
