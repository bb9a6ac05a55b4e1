package sluice.gateway.server.connection;

/** Nobody but its own event loop uses a connection. */
final class NoSharers implements Sharers {
  /** For all connections that are not shared. */
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
  public void tellIfTaken() {
    // nobody is told
  }

  @Override
  public void handOver() {
    // nobody has anything
  }

  @Override
  public void tellOfPause() {
    // nobody is told
  }

  @Override
  public void dismiss() {
    // nobody is told
  }

  @Override
  public void sweep() {
    // nobody waits
  }

  @Override
  public void end(String reason) {
    // nobody is told
  }
}
