package sluice.load;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import one.convert.Frame;
import one.jfr.ClassRef;
import one.jfr.JfrReader;
import one.jfr.MethodRef;
import one.jfr.StackTrace;
import one.jfr.event.ExecutionSample;

/** CPU samples of a recording by category. Each sample is in the first category that fits. */
final class Samples {
  /** Kind of work that the CPU did. */
  enum Category {
    /** The kernel: its frame is on top, or a user frame that only calls it. */
    KERNEL,
    /** The garbage collector's threads and operations. */
    GC,
    /** The compilers' threads. */
    COMPILER,
    /** The Java frame on top is Sluice's. */
    OWN,
    /** The Java frame on top is Netty's. */
    NETTY,
    /** The Java frame on top is Vert.x's. */
    VERTX,
    /** The Java frame on top is the JDK's. */
    JDK,
    /** Anything else: the JVM, other libraries, native code without a Java caller. */
    OTHER;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * libc's functions that wrap a system call. If only timers take samples, the time in the kernel
   * is attributed to these functions. Leading underscores and suffixes such as {@code 64} and
   * {@code _nocancel} are left out.
   */
  private static final Set<String> SYSTEM_CALLS =
      Set.of(
          "send",
          "sendto",
          "sendmsg",
          "sendmmsg",
          "recv",
          "recvfrom",
          "recvmsg",
          "recvmmsg",
          "read",
          "readv",
          "pread",
          "write",
          "writev",
          "pwrite",
          "sendfile",
          "splice",
          "epoll_wait",
          "epoll_pwait",
          "epoll_pwait2",
          "epoll_ctl",
          "poll",
          "ppoll",
          "select",
          "accept",
          "accept4",
          "connect",
          "socket",
          "bind",
          "listen",
          "shutdown",
          "close",
          "getsockopt",
          "setsockopt",
          "getsockname",
          "getpeername",
          "ioctl",
          "fcntl",
          "futex",
          "futex_abstimed_wait_common",
          "pthread_cond_wait",
          "pthread_cond_timedwait",
          "pthread_cond_signal",
          "lll_lock_wait",
          "lll_lock_wake",
          "nanosleep",
          "clock_nanosleep",
          "sched_yield",
          "timerfd_settime",
          "eventfd_read",
          "eventfd_write",
          "mmap",
          "munmap",
          "mprotect",
          "madvise",
          "open",
          "openat",
          "fstat",
          "stat",
          "syscall",
          "syscall_cancel",
          "syscall_cancel_arch",
          "internal_syscall_cancel",
          "io_uring_enter",
          "tgkill",
          "kill");

  private static final Pattern LIBC_PREFIX = Pattern.compile("^(_*GI_+|_*libc_+|_+)+");
  private static final Pattern LIBC_SUFFIX =
      Pattern.compile("(@plt|@@?GLIBC.*|_nocancel|_time64|64)+$");

  private static final Pattern COLLECTOR =
      Pattern.compile(
          "^(VM_.*(Collect|GC|G1|Z|X|Shenandoah).*|.*(GCTask|GangWorker|Scavenge|MarkSweep|G1|"
              + "DefNewGeneration|TenuredGeneration|SerialHeap|GenCollectedHeap|ParallelScavenge|"
              + "PSParallelCompact|ShenandoahHeap|ZDriver|ZWorker|ConcurrentGCThread).*)::.*");
  private static final Pattern COLLECTOR_THREAD =
      Pattern.compile("^(GC |G1 |ZDriver|ZWorker|ZStat|XDriver|Shenandoah|Concurrent Mark).*");
  private static final Pattern COMPILER_THREAD = Pattern.compile("^C[12] Compiler.*");
  private static final Pattern COMPILER_FRAME =
      Pattern.compile("^(CompileBroker|C2Compiler|Compiler|Compilation|Compile)::.*");

  private final Map<Category, Long> counts = new EnumMap<>(Category.class);
  private long total;

  /** Reads a recording of async-profiler. */
  static Samples of(Path recording) throws IOException {
    Samples samples = new Samples();
    try (JfrReader reader = new JfrReader(recording.toString())) {
      Classifier classifier = new Classifier(reader);
      for (ExecutionSample sample; (sample = reader.readEvent(ExecutionSample.class)) != null; ) {
        StackTrace stack = reader.stackTraces.get(sample.stackTraceId);
        String thread = reader.threads.get(sample.tid);
        if (stack != null) {
          samples.add(classifier.category(stack, thread == null ? "" : thread), sample.samples());
        }
      }
    }
    return samples;
  }

  void add(Category category, long count) {
    counts.merge(category, count, Long::sum);
    total += count;
  }

  long total() {
    return total;
  }

  /** The category's share of all samples, 0 to 1. */
  double share(Category category) {
    return total == 0 ? 0 : (double) counts.getOrDefault(category, 0L) / total;
  }

  /** Whether a function of libc, by its symbol, only calls the kernel. */
  static boolean wrapsSystemCall(String symbol) {
    String name = LIBC_PREFIX.matcher(symbol).replaceFirst("");
    return SYSTEM_CALLS.contains(LIBC_SUFFIX.matcher(name).replaceFirst(""));
  }

  /**
   * The category of a stack, given by its frames from the top on, with types as in
   * one.convert.Frame.
   */
  static Category category(byte[] types, String[] names, String thread) {
    int user = 0;
    while (user < types.length && types[user] == Frame.TYPE_KERNEL) {
      user++;
    }
    if (user > 0 || (types.length > 0 && !isJava(types[0]) && wrapsSystemCall(names[0]))) {
      return Category.KERNEL;
    }
    if (COMPILER_THREAD.matcher(thread).matches()) {
      return Category.COMPILER;
    }
    if (COLLECTOR_THREAD.matcher(thread).matches()) {
      return Category.GC;
    }
    int java = -1;
    for (int i = 0; i < types.length; i++) {
      if (isJava(types[i])) {
        java = i;
        break;
      }
      if (COLLECTOR.matcher(names[i]).matches()) {
        return Category.GC;
      }
      if (COMPILER_FRAME.matcher(names[i]).matches()) {
        return Category.COMPILER;
      }
    }
    return java < 0 ? Category.OTHER : ofClass(names[java]);
  }

  private static Category ofClass(String name) {
    if (name.startsWith("sluice/")) {
      return Category.OWN;
    }
    if (name.startsWith("io/netty/")) {
      return Category.NETTY;
    }
    if (name.startsWith("io/vertx/")) {
      return Category.VERTX;
    }
    return name.startsWith("java/") || name.startsWith("jdk/") || name.startsWith("sun/")
        ? Category.JDK
        : Category.OTHER;
  }

  private static boolean isJava(byte type) {
    return type <= Frame.TYPE_INLINED || type == Frame.TYPE_C1_COMPILED;
  }

  /** Classification of stacks by the recording's names of frames. */
  private static final class Classifier {
    private final JfrReader reader;

    Classifier(JfrReader reader) {
      this.reader = reader;
    }

    Category category(StackTrace stack, String thread) {
      String[] names = new String[stack.methods.length];
      for (int i = 0; i < names.length; i++) {
        names[i] = name(stack.methods[i], isJava(stack.types[i]));
      }
      return Samples.category(stack.types, names, thread);
    }

    /**
     * The name of a frame, for Java with its class. Native frames have their library in place of a
     * class, which is left out.
     */
    private String name(long id, boolean ofJava) {
      MethodRef method = reader.methods.get(id);
      if (method == null) {
        return "";
      }
      ClassRef type = ofJava ? reader.classes.get(method.cls) : null;
      String owner = type == null ? "" : symbol(type.name).replace('.', '/');
      String own = symbol(method.name);
      return owner.isEmpty() ? own : owner + "." + own;
    }

    private String symbol(long id) {
      byte[] bytes = reader.symbols.get(id);
      return bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8);
    }
  }
}
