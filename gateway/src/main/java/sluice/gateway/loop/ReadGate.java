package sluice.gateway.loop;

import io.netty.channel.Channel;

/**
 * Gate that stops and resumes the reading of one channel: the channel is read while there is no
 * reason not to. Belongs to one event loop.
 */
final class ReadGate {
  @SuppressWarnings("NullAway.Init") // set by begin; before, the connection is not open
  private Channel channel;

  private int reasons; // bits
  private boolean inputEnded;

  /** Sets the channel. */
  void begin(Channel channel) {
    this.channel = channel;
  }

  /** The peer sends nothing more: stopping and resuming have no effect. */
  void inputEnded() {
    inputEnded = true;
  }

  /** Resumes reading for good: from now on, pausing has no effect. */
  void readUntilTheEnd(boolean open) {
    autoRead(true, open);
    inputEnded = true;
  }

  /**
   * Stops reading for a reason, one bit.
   *
   * @param open whether the channel is open
   */
  void pause(int reason, boolean open) {
    if (reasons == 0) {
      autoRead(false, open);
    }
    reasons |= reason;
  }

  /** Removes a reason, one bit; reading resumes when none is left. */
  void resume(int reason, boolean open) {
    if (reasons != 0) {
      reasons &= ~reason;
      if (reasons == 0) {
        autoRead(true, open);
      }
    }
  }

  private void autoRead(boolean on, boolean open) {
    if (open && !inputEnded) {
      channel.config().setAutoRead(on);
    }
  }

  /** Whether reading is paused, for any reason. */
  boolean isPaused() {
    return reasons != 0;
  }

  /** Whether reading is paused for this reason. */
  boolean isPaused(int reason) {
    return (reasons & reason) != 0;
  }
}
