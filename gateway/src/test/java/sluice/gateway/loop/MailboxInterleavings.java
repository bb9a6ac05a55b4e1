package sluice.gateway.loop;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.EventLoop;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.Validate;

/** A mailbox as threads see it: a queue that its event loop empties, until the loop ends. */
@Param(name = "number", gen = IntGen.class, conf = "1:9")
public class MailboxInterleavings {
  private final Queue<Runnable> scheduled = new ConcurrentLinkedQueue<>(); // on the event loop
  private final Mailbox mailbox = new Mailbox();
  private final List<Integer> done = new ArrayList<>(); // in this iteration
  private final AtomicInteger put = new AtomicInteger();
  private final AtomicInteger dropped = new AtomicInteger();
  private int ran;

  public MailboxInterleavings() {
    EventLoop eventLoop =
        (EventLoop)
            Proxy.newProxyInstance(
                EventLoop.class.getClassLoader(),
                new Class<?>[] {EventLoop.class},
                (self, method, arguments) -> {
                  if (method.getName().equals("execute")) {
                    scheduled.add((Runnable) arguments[0]);
                    return null;
                  }
                  return method.getName().equals("inEventLoop") ? false : null;
                });
    MemoryShare memory = MemoryShare.of(1, 1 << 20)[0];
    mailbox.open(new Loop(eventLoop, new UnpooledByteBufAllocator(false, true), memory, null));
  }

  /** What threads expect: a queue, which takes nothing more when it is closed. */
  public static final class Tasks {
    private final Queue<Integer> waiting = new ArrayDeque<>();
    private boolean closed;

    public void put(int number) {
      if (!closed) {
        waiting.add(number);
      }
    }

    public String iterate() {
      String all = new ArrayList<>(waiting).toString();
      waiting.clear();
      return all;
    }

    public void close() {
      closed = true;
      waiting.clear();
    }
  }

  @Operation
  public void put(@Param(name = "number") int number) {
    put.incrementAndGet();
    mailbox.put(
        new Mailbox.Task() {
          @Override
          public void run() {
            done.add(number);
            ran++;
          }

          @Override
          public void drop() {
            dropped.incrementAndGet();
          }
        });
  }

  /** The loop runs what is scheduled, and names the tasks that it carried out. */
  @Operation(nonParallelGroup = "loop")
  public String iterate() {
    for (Runnable next = scheduled.poll(); next != null; next = scheduled.poll()) {
      next.run();
    }
    String all = done.toString();
    done.clear();
    return all;
  }

  @Operation(nonParallelGroup = "loop")
  public void close() {
    mailbox.close();
  }

  @Validate
  public void everyTaskMustHaveRunOrBeenDropped() {
    iterate();
    if (ran + dropped.get() != put.get()) {
      throw new IllegalStateException(
          "found " + ran + " run and " + dropped + " dropped, expected " + put);
    }
  }

  /** Fails if the threads see anything else. */
  public static void main(String[] arguments) {
    new StressOptions()
        .threads(3)
        .actorsPerThread(3)
        .iterations(8)
        .invocationsPerIteration(300)
        .sequentialSpecification(Tasks.class)
        .check(MailboxInterleavings.class);
  }
}
