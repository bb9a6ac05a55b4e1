package sluice.gateway.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.testkit.ExpectedErrors;

/**
 * What threads put into an event loop's mailbox is done there, without anything that comes later.
 */
class MailboxTest {
  private static final int PATIENCE_SECONDS = 30;

  private MultiThreadIoEventLoopGroup group;
  private Loop loop;
  private final Mailbox mailbox = new Mailbox();

  @BeforeEach
  void start() throws Exception {
    group =
        new MultiThreadIoEventLoopGroup(
            1, executor -> new IterationHandler(NioIoHandler.newFactory().newHandler(executor)));
    group
        .next()
        .submit(
            () ->
                loop =
                    new Loop(
                        group.next(),
                        new UnpooledByteBufAllocator(false),
                        MemoryShare.of(1, 1 << 20)[0],
                        new GatewayMetrics().newLoop()))
        .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  @AfterEach
  void stop() throws Exception {
    group.shutdownGracefully(0, 0, TimeUnit.SECONDS).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  /** Who puts one task and waits for it: nobody else's later one makes up for a lost wake-up. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void shouldLoseNoWakeUp(int threads) {
    mailbox.open(loop);
    int rounds = 12_000 / threads;
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      all.add(
          CompletableFuture.runAsync(
              () -> {
                AtomicInteger done = new AtomicInteger();
                for (int round = 1; round <= rounds; round++) {
                  // Some come while the loop is about to look no more, some when it sleeps.
                  for (int pause = round & 0xFF; pause > 0; pause--) {
                    Thread.onSpinWait();
                  }
                  mailbox.put(done::incrementAndGet);
                  long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
                  while (done.get() < round) {
                    if (System.nanoTime() - end > 0) {
                      throw new AssertionError("a task was not done in round " + round);
                    }
                    Thread.onSpinWait();
                  }
                }
              }));
    }
    all.forEach(CompletableFuture::join);
  }

  @Test
  void shouldKeepTheOrderOfEachThread() throws Exception {
    int threads = 3;
    int each = 50_000; // more than are done at once
    CountDownLatch done = new CountDownLatch(threads * each);
    AtomicLong disordered = new AtomicLong();
    mailbox.put(done::countDown); // before it is opened
    mailbox.open(loop);
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int missing = i == 0 ? 1 : 0;
      all.add(
          CompletableFuture.runAsync(
              () -> {
                int[] last = {-1}; // the loop's
                for (int n = 0; n < each - missing; n++) {
                  int number = n;
                  mailbox.put(
                      () -> {
                        if (last[0] != number - 1) {
                          disordered.incrementAndGet();
                        }
                        last[0] = number;
                        done.countDown();
                      });
                }
              }));
    }
    all.forEach(CompletableFuture::join);
    assertThat(done.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(disordered.get()).isZero();
  }

  /** Also where what fails is an error, as a lack of direct memory is. */
  @Test
  void shouldGoOnBehindATaskThatFails() throws Exception {
    ExpectedErrors.of("a task of another event loop failed").during(this::goOnBehindFailures);
  }

  private void goOnBehindFailures() throws InterruptedException {
    CountDownLatch done = new CountDownLatch(2);
    mailbox.put(
        () -> {
          throw new IllegalStateException("one");
        });
    mailbox.put(done::countDown);
    mailbox.put(
        () -> {
          throw new OutOfMemoryError("no direct memory, say");
        });
    mailbox.put(done::countDown);
    mailbox.open(loop);
    assertThat(done.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
  }

  /** Whatever is put while the loop ends is done or dropped, once. */
  @Test
  void shouldDropWhatComesTooLate() throws Exception {
    mailbox.open(loop);
    int tasks = 20_000;
    AtomicInteger done = new AtomicInteger();
    AtomicInteger dropped = new AtomicInteger();
    Mailbox.Task task =
        new Mailbox.Task() {
          @Override
          public void run() {
            done.incrementAndGet();
          }

          @Override
          public void drop() {
            dropped.incrementAndGet();
          }
        };
    CompletableFuture<Void> putting =
        CompletableFuture.runAsync(
            () -> {
              for (int i = 0; i < tasks; i++) {
                mailbox.put(task);
                if (i == tasks / 2) {
                  group.next().execute(mailbox::close);
                }
              }
            });
    putting.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    group.next().submit(() -> {}).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertThat(done.get() + dropped.get()).isEqualTo(tasks);
    int before = dropped.get();
    mailbox.put(task);
    assertThat(dropped.get()).isEqualTo(before + 1);
  }
}
