package sluice.perf.torture;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import sluice.load.process.GatewayCommand;
import sluice.load.process.Memcached;

/** The gateway, a process with the launcher's flags that can be started again. */
final class GatewayProcess implements AutoCloseable {
  private static final long START_SECONDS = 300;
  private static final long END_SECONDS = 120;
  private static final Pattern BLOCKED = Pattern.compile("has been blocked for (\\d+) ms");
  private static final Pattern USED = Pattern.compile("generation +total \\d+K, used (\\d+)K");
  private static final Pattern CONNECTIONS = Pattern.compile("\"connections\" : (\\d+)");
  private static final int MOST_BAD_LINES = 20;
  private static final Pattern BAD =
      Pattern.compile(" ERROR |LEAK|has been blocked|OutOfMemory|Exception");

  private final Path configuration;
  private final Path log;
  private final int adminPort;
  private final boolean paranoid;
  private final Findings findings;
  private final HttpClient http = HttpClient.newHttpClient();

  @SuppressWarnings("NullAway.Init") // set by the first start, before which it is only closed
  private Process process;

  private int starts;
  private long leastHeap;
  private long lastHeap;
  private long mostResident;

  GatewayProcess(Path configuration, Path log, int adminPort, boolean paranoid, Findings findings) {
    this.configuration = configuration;
    this.log = log;
    this.adminPort = adminPort;
    this.paranoid = paranoid;
    this.findings = findings;
  }

  /** Starts it and waits until it is ready. */
  void start() throws IOException, InterruptedException {
    process =
        GatewayCommand.process(
                configuration,
                List.of(
                    "-Dio.netty.leakDetection.level=" + (paranoid ? "paranoid" : "simple"),
                    "-Dio.netty.leakDetection.targetRecords=0", // where a buffer was made is enough
                    // else garbage that the serial collector does not move away counts as live
                    "-XX:MarkSweepAlwaysCompactCount=1"))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    starts++;
    leastHeap = 0;
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (!isReady()) {
      if (!process.isAlive() || System.nanoTime() - end > 0) {
        throw new IOException("the gateway did not start, see " + log);
      }
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  private boolean isReady() throws InterruptedException {
    try {
      return send("GET", "/ready").statusCode() == 200;
    } catch (IOException e) {
      return false;
    }
  }

  private HttpResponse<String> send(String method, String path)
      throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + adminPort + path))
            .timeout(Duration.ofSeconds(START_SECONDS))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .build(),
        BodyHandlers.ofString());
  }

  /** Asks for a reload and waits until it is done. */
  void reload() throws IOException, InterruptedException {
    HttpResponse<String> answer = send("POST", "/reload");
    if (answer.statusCode() != 200) {
      findings.wrong("POST /reload: " + answer.statusCode() + ' ' + answer.body());
    }
  }

  void hangUp() throws IOException, InterruptedException {
    Memcached.signal(process, "HUP");
  }

  /** The sum of a metric over all its labels that contain this. */
  double metric(String name, String labels) throws IOException, InterruptedException {
    double sum = 0;
    for (String line : send("GET", "/metrics").body().split("\n", -1)) {
      if (line.startsWith(name)
          && line.length() > name.length()
          && (line.charAt(name.length()) == '{' || line.charAt(name.length()) == ' ')
          && line.contains(labels)) {
        sum += Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1));
      }
    }
    return sum;
  }

  /** Changed configurations that it follows. */
  double reloads() throws IOException, InterruptedException {
    return metric("sluice_reloads_total", "result=\"applied\"");
  }

  /** Ends it as Kubernetes does; it must drain and end well. */
  void stop() throws IOException, InterruptedException {
    if (!process.isAlive()) {
      findings.wrong("the gateway has ended by itself, with " + process.exitValue());
      return;
    }
    process.destroy();
    if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
      findings.wrong("the gateway did not end within " + END_SECONDS + " s of SIGTERM");
      process.destroyForcibly().waitFor();
    } else if (process.exitValue() != 0) {
      findings.wrong("the gateway ended with " + process.exitValue());
    }
  }

  boolean isAlive() {
    return process.isAlive();
  }

  int starts() {
    return starts;
  }

  /**
   * Number of open sockets besides the reported connections to servers: its listeners, and its
   * clients.
   */
  long socketsUntold() throws IOException, InterruptedException {
    long open = 0;
    try (DirectoryStream<Path> all =
        Files.newDirectoryStream(Path.of("/proc", "" + process.pid(), "fd"))) {
      for (Path each : all) {
        open += isSocket(each) ? 1 : 0;
      }
    }
    Matcher told = CONNECTIONS.matcher(send("GET", "/pools").body());
    while (told.find()) {
      open -= Long.parseLong(told.group(1));
    }
    return open;
  }

  private static boolean isSocket(Path descriptor) throws IOException {
    try {
      return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
    } catch (NoSuchFileException e) {
      return false; // closed in between
    }
  }

  /** Collects its garbage and looks at what is left, and at the memory of the process. */
  void weigh() throws IOException, InterruptedException {
    mostResident = Math.max(mostResident, residentKiB());
    long used = heapKiB();
    lastHeap = used;
    if (leastHeap == 0) {
      leastHeap = used;
    }
    leastHeap = Math.min(leastHeap, used);
    findings.tell("live heap " + used + " KiB, " + mostResident / 1024 + " MiB resident");
  }

  /** Writes its heap to a file beside its log, to be looked at later; returns the file. */
  Path dumpHeap() throws IOException, InterruptedException {
    Path file = log.resolveSibling("heap-" + starts + ".hprof").toAbsolutePath();
    jcmd("GC.heap_dump " + file);
    return file;
  }

  private long heapKiB() throws IOException, InterruptedException {
    jcmd("GC.run");
    Matcher matcher = USED.matcher(jcmd("GC.heap_info"));
    long sum = 0;
    while (matcher.find()) {
      sum += Long.parseLong(matcher.group(1));
    }
    return sum;
  }

  private String jcmd(String command) throws IOException, InterruptedException {
    Process asked =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                Long.toString(process.pid()),
                command)
            .redirectErrorStream(true)
            .start();
    String answer = new String(asked.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    asked.waitFor();
    return answer;
  }

  private long residentKiB() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc", "" + process.pid(), "status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("[^0-9]", ""));
      }
    }
    return 0;
  }

  /** Its live heap when it was last looked at, in KiB. */
  long heapNowKiB() {
    return lastHeap;
  }

  /**
   * Growth of its live heap in KiB, compared with the smallest value so far in this process. Under
   * load it contains what clients and servers wait for, so only the size after they have gone shows
   * a leak.
   */
  long growthKiB() {
    return lastHeap - leastHeap;
  }

  /** The most memory that it had, in KiB. */
  long mostResidentKiB() {
    return mostResident;
  }

  /** The last lines of its log that contain a text, at most so many. */
  List<String> lastLines(String text, int most) throws IOException {
    List<String> lines =
        Files.readAllLines(log, StandardCharsets.ISO_8859_1).stream()
            .filter(line -> line.contains(text))
            .toList();
    return lines.subList(Math.max(0, lines.size() - most), lines.size());
  }

  /**
   * Lines of its log that a gateway that is well does not write. The first line of an exception
   * comes with the message that it belongs to and with the place that threw it.
   *
   * @param turnMillis what a turn of an event loop may have taken because of the machine
   */
  List<String> badLines(long turnMillis) throws IOException {
    List<String> bad = new ArrayList<>();
    List<String> lines = Files.readAllLines(log, StandardCharsets.ISO_8859_1);
    for (int i = 0; i < lines.size() && bad.size() < MOST_BAD_LINES; i++) {
      String line = lines.get(i);
      if (BAD.matcher(line).find() && !isExcused(line, turnMillis)) {
        bad.add(isMessage(line) ? line : around(lines, i));
      }
    }
    return bad;
  }

  private static boolean isMessage(String line) {
    return !line.isEmpty() && Character.isDigit(line.charAt(0)); // its time
  }

  private static String around(List<String> lines, int at) {
    return String.join(" | ", lines.subList(Math.max(0, at - 1), Math.min(lines.size(), at + 2)));
  }

  private static boolean isExcused(String line, long turnMillis) {
    Matcher blocked = BLOCKED.matcher(line);
    return blocked.find() && Long.parseLong(blocked.group(1)) <= turnMillis;
  }

  @Override
  public void close() {
    if (process != null) {
      process.destroyForcibly();
    }
  }
}
