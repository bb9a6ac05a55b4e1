package sluice.embedded;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that a test moves. */
final class FakeClock implements InstantSource {
  private final AtomicLong millis = new AtomicLong(1_700_000_000_000L);

  void advanceSeconds(long seconds) {
    millis.addAndGet(seconds * 1000);
  }

  void advanceMillis(long by) {
    millis.addAndGet(by);
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis.get());
  }

  @Override
  public long millis() {
    return millis.get();
  }
}
