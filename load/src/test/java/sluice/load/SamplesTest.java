package sluice.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import one.profiler.AsyncProfiler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SamplesTest {
  private static final long BURNT_NANOS = 500_000_000;

  /** Frames as {@code name} and one letter of their type: j(ava), n(ative), c(++), k(ernel). */
  private static Samples.Category category(String stack, String thread) {
    String[] frames = stack.split(" ");
    byte[] types = new byte[frames.length];
    for (int i = 0; i < frames.length; i++) {
      types[i] =
          switch (frames[i].charAt(0)) {
            case 'j' -> one.convert.Frame.TYPE_JIT_COMPILED;
            case 'n' -> one.convert.Frame.TYPE_NATIVE;
            case 'c' -> one.convert.Frame.TYPE_CPP;
            default -> one.convert.Frame.TYPE_KERNEL;
          };
      frames[i] = frames[i].substring(2);
    }
    return Samples.category(types, frames, thread);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "own code, j:sluice/gateway/Route.find j:io/netty/X.run, OWN",
    "what own code calls in the JDK, j:java/util/HashMap.get j:sluice/gateway/Route.find, JDK",
    "a native of the JVM below own code, c:OptoRuntime::new_array j:sluice/gateway/A.b, OWN",
    "netty, j:io/netty/buffer/A.b j:sluice/gateway/Route.find, NETTY",
    "vert.x, j:io/vertx/core/A.b, VERTX",
    "another library, j:org/slf4j/A.b, OTHER",
    "a kernel's frame, k:tcp_sendmsg n:__send j:io/netty/X.send, KERNEL",
    "a kernel's frame below own code, k:asm_exc_page_fault j:sluice/gateway/A.b, KERNEL",
    "a wrapper where only timers sample, n:__send n:netty_send j:io/netty/X.send, KERNEL",
    "no wrapper, n:netty_memcpy j:io/netty/X.send, NETTY",
    "a collection, c:DefNewGeneration::collect c:VM_GenCollectForAllocation::doit, GC",
    "a collection's call, n:memcpy c:G1ParScanThreadState::copy c:WorkerThread::run, GC",
    "a compiler, c:PhaseIdealLoop::build c:C2Compiler::compile_method, COMPILER",
    "the JVM, c:SafepointSynchronize::begin c:VMThread::run, OTHER"
  })
  void shouldSayWhatTheProcessorDid(String name, String stack, Samples.Category expected) {
    assertThat(category(stack, "vert.x-eventloop-thread-0")).isEqualTo(expected);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({"GC Thread#0, GC", "G1 Conc#0, GC", "C2 CompilerThread0, COMPILER"})
  void shouldKnowTheJvmsThreads(String thread, Samples.Category expected) {
    assertThat(category("c:unknown", thread)).isEqualTo(expected);
    assertThat(category("n:__munmap c:unknown", thread)).isEqualTo(Samples.Category.KERNEL);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "send",
        "__send",
        "__libc_send",
        "__GI___libc_recv",
        "epoll_wait",
        "__writev64",
        "sendmsg@plt",
        "__libc_read",
        "syscall",
        "__pthread_cond_timedwait",
        "__close_nocancel",
        "__syscall_cancel_arch",
        "clock_nanosleep@@GLIBC_2.17",
        "pthread_cond_wait@GLIBC_2.3.2"
      })
  void shouldKnowWhatWrapsASystemCall(String symbol) {
    assertThat(Samples.wrapsSystemCall(symbol)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"memcpy", "__memmove_avx_unaligned_erms", "senders", "malloc", "_int_free", ""})
  void shouldTakeNothingElseForOne(String symbol) {
    assertThat(Samples.wrapsSystemCall(symbol)).isFalse();
  }

  /** As the load job has it in a pod: a recording of timers, whose native frames have a library. */
  @Test
  void shouldSeeTheKernelInWhatTimersRecorded(@TempDir Path directory) throws Exception {
    Path recording = directory.resolve("cpu.jfr");
    AsyncProfiler profiler = AsyncProfiler.getInstance();
    profiler.execute("start,event=ctimer,interval=1ms,jfr,file=" + recording);
    try {
      burnInTheKernel();
      burnHere();
    } finally {
      profiler.execute("stop");
    }
    Samples samples = Samples.of(recording);
    // Each burns the same. Compilers and the machine's clock have their part, so not half.
    assertThat(samples.share(Samples.Category.KERNEL)).isBetween(0.2, 0.8);
    assertThat(samples.share(Samples.Category.OWN)).isBetween(0.2, 0.8);
  }

  /** Processor time that read(2) takes: the random device fills the bytes. */
  private static void burnInTheKernel() throws IOException {
    byte[] bytes = new byte[8 * 1024];
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long end = threads.getCurrentThreadCpuTime() + BURNT_NANOS;
    try (FileInputStream random = new FileInputStream("/dev/urandom")) {
      while (threads.getCurrentThreadCpuTime() < end) {
        assertThat(random.read(bytes)).isPositive();
      }
    }
  }

  private static void burnHere() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long end = threads.getCurrentThreadCpuTime() + BURNT_NANOS;
    long state = 1;
    while (threads.getCurrentThreadCpuTime() < end) {
      for (int i = 0; i < 1_000_000; i++) {
        state = state * 6364136223846793005L + 1442695040888963407L;
      }
    }
    assertThat(state).isNotZero();
  }
}
