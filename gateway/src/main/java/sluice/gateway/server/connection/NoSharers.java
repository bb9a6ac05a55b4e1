package sluice.gateway.server.connection;

/** Empty set of sharers, for a connection that only its own event loop uses. */
final class NoSharers implements Sharers {
  /** The instance for all connections that are not shared. */
  static final NoSharers INSTANCE = new NoSharers();

  private NoSharers() {}

  @Override
  public boolean isEmpty() {
    return true;
  }

  @Override
  public int inFlight() {
    return 0;
  }

  @Override
  public int takeUnflushed() {
    return 0;
  }

  @Override
  public void tellIfTaken() {}

  @Override
  public void handOver() {}

  @Override
  public void tellOfPause() {}

  @Override
  public void dismiss() {}

  @Override
  public void sweep() {}

  @Override
  public void end(String reason) {}
}
