package sluice.testkit;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Fails the suite for what no assertion looks at: leaked buffers, blocked event loops, errors in
 * the log. Registered for every test class of the module; a class fails for what came up while it
 * ran, and the whole run for what came up outside of any class ({@link Session}).
 */
public final class SuiteGuard implements AfterAllCallback {

  /** The end of a class; those within others are part of the outermost. */
  @Override
  public void afterAll(ExtensionContext context) {
    if (context.getRequiredTestClass().getEnclosingClass() == null) {
      check("while " + context.getDisplayName() + " ran");
    }
  }

  /** The begin and the end of everything. What the end throws ends the build. */
  public static final class Session implements LauncherSessionListener {
    @Override
    public void launcherSessionOpened(LauncherSession session) {
      WatchedLog.configure();
    }

    @Override
    public void launcherSessionClosed(LauncherSession session) {
      check("when all tests had run");
    }
  }

  /** Fails for the problems since the last check; {@code when} says when that was. */
  static void check(String when) {
    if (ResourceLeakDetector.getLevel() != ResourceLeakDetector.Level.PARANOID) {
      // Vert.x switches detection off unless the property is there before its first class is
      // loaded.
      WatchedLog.add(
          "leak detection is "
              + ResourceLeakDetector.getLevel()
              + ", expected PARANOID: -Dio.netty.leakDetection.level=paranoid");
    }
    if (!WatchedLog.isListening()) {
      WatchedLog.add("nobody listens to the log: it was configured anew, or not by this guard");
    }
    reportLeaks();
    List<String> problems = WatchedLog.takeProblems();
    if (!problems.isEmpty()) {
      throw new AssertionError(
          problems.size() + " problem(s) came up " + when + ":\n" + String.join("\n\n", problems));
    }
  }

  // A leak is reported by the next allocation after the collector found the buffer unreachable, and
  // its reference thread, which may get no processor for a while, has passed that on.
  private static void reportLeaks() {
    ReferenceQueue<Object> passedOn = new ReferenceQueue<>();
    WeakReference<Object> witness = new WeakReference<>(new Object(), passedOn);
    try {
      System.gc();
      passedOn.remove(TimeUnit.SECONDS.toMillis(5));
      for (int i = 0; i < 3; i++) {
        Thread.sleep(10); // what was found with the witness may be passed on behind it
        PooledByteBufAllocator.DEFAULT.directBuffer(16).release();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      Reference.reachabilityFence(witness);
    }
  }
}
