package sluice.testkit;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestPlan;

/**
 * Guard that fails the suite for problems outside of assertions: leaked buffers, blocked event
 * loops, errors in the log. It is registered for every test class of the module. A class fails for
 * problems while it ran, and the whole run for problems outside of any class ({@link Session}).
 *
 * <p>Only a full garbage collection finds leaks, and hundreds of them would take as long as many of
 * the tests. So it runs only once in ten seconds. The failure names all the classes that ran since
 * the one before.
 */
public final class SuiteGuard implements AfterAllCallback {
  private static final long BETWEEN_COLLECTIONS = TimeUnit.SECONDS.toNanos(10);

  private static final List<String> UNCOLLECTED = new ArrayList<>();
  private static long nextCollection = System.nanoTime();

  /** Checks at the end of a class; nested classes belong to the outermost. */
  @Override
  public void afterAll(ExtensionContext context) {
    if (context.getRequiredTestClass().getEnclosingClass() == null) {
      check(context.getDisplayName());
    }
  }

  private static synchronized void check(String testClass) {
    UNCOLLECTED.add(testClass);
    if (System.nanoTime() - nextCollection < 0) {
      checkLog("while " + testClass + " ran");
    } else {
      checkAll("while " + String.join(", ", UNCOLLECTED) + " ran");
    }
  }

  /** Makes the next class be checked for leaks, however short it is. */
  static synchronized void collectNext() {
    nextCollection = System.nanoTime();
  }

  /**
   * Checks at the beginning and the end of a run. A failure at the end fails the build. A session
   * that only searches for tests is not checked: Surefire has a separate one if it starts several
   * JVMs.
   */
  public static final class Session implements LauncherSessionListener {
    private boolean ran;

    @Override
    public void launcherSessionOpened(LauncherSession session) {
      WatchedLog.configure();
      session
          .getLauncher()
          .registerTestExecutionListeners(
              new TestExecutionListener() {
                @Override
                public void testPlanExecutionStarted(TestPlan plan) {
                  ran = true;
                }
              });
    }

    @Override
    public void launcherSessionClosed(LauncherSession session) {
      if (ran) {
        checkAll("when all tests had run");
      }
    }
  }

  /** Fails for the problems since the last check, leaks too; {@code when} says when that was. */
  static synchronized void checkAll(String when) {
    if (ResourceLeakDetector.getLevel() != ResourceLeakDetector.Level.PARANOID) {
      // Vert.x turns detection off unless the property is set before its first class is loaded.
      WatchedLog.add(
          "leak detection is "
              + ResourceLeakDetector.getLevel()
              + ", expected PARANOID: -Dio.netty.leakDetection.level=paranoid");
    }
    reportLeaks();
    UNCOLLECTED.clear();
    nextCollection = System.nanoTime() + BETWEEN_COLLECTIONS;
    checkLog(when);
  }

  private static void checkLog(String when) {
    if (!WatchedLog.isListening()) {
      WatchedLog.add("the log has no listener: it was configured anew, or not by this guard");
    }
    List<String> problems = WatchedLog.takeProblems();
    if (!problems.isEmpty()) {
      throw new AssertionError(
          problems.size() + " problem(s) came up " + when + ":\n" + String.join("\n\n", problems));
    }
  }

  // Makes the collector find leaked buffers. The next allocation afterwards reports a leak, once
  // its reference thread has passed it on, which may take a while without a free processor.
  private static void reportLeaks() {
    ReferenceQueue<Object> passedOn = new ReferenceQueue<>();
    WeakReference<Object> witness = new WeakReference<>(new Object(), passedOn);
    try {
      System.gc();
      passedOn.remove(TimeUnit.SECONDS.toMillis(5));
      for (int i = 0; i < 3; i++) {
        Thread.sleep(10); // results with a witness may be passed on later
        PooledByteBufAllocator.DEFAULT.directBuffer(16).release();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      Reference.reachabilityFence(witness);
    }
  }
}
