package sluice.perf.jmh;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.internal.ThreadExecutorMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** JMH's threads as event loops' are: Netty's allocator keeps memory for each. */
public final class LoopThreads extends ThreadPoolExecutor {
  /** As JMH makes it. */
  public LoopThreads(int threads, String prefix) {
    super(
        threads,
        threads,
        0,
        TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(),
        ThreadExecutorMap.apply(
            new DefaultThreadFactory(prefix, true), ImmediateEventExecutor.INSTANCE));
  }
}
