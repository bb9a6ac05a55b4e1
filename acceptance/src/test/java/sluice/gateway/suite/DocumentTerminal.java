package sluice.gateway.suite;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A shell in a directory, typed into line by line, and what it shows. */
final class DocumentTerminal implements AutoCloseable {
  private static final long LIMIT_SECONDS = 120;
  private static final String DONE = "-- that was the command --";

  /** What a shell shows of its jobs to people only, and some versions of memcached at their end. */
  private static final Pattern JOB =
      Pattern.compile("\\[\\d+][-+ ].*|Signal handled: Terminated\\.");

  private final Process shell;
  private final Writer in;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final List<String> shown = new ArrayList<>();

  DocumentTerminal(Path directory, String address) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder("bash").directory(directory.toFile()).redirectErrorStream(true);
    builder.environment().put("SLUICE_BIND", address);
    shell = builder.start();
    in = shell.outputWriter(UTF_8);
    Thread reader = new Thread(this::read, "terminal");
    reader.setDaemon(true);
    reader.start();
    type("set -m"); // %1 is the first command in the background, as where a person types
  }

  private void read() {
    try (BufferedReader out =
        new BufferedReader(new InputStreamReader(shell.getInputStream(), UTF_8))) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        lines.add(line);
      }
    } catch (IOException e) {
      lines.add("the shell is gone: " + e.getMessage());
    }
  }

  private void type(String line) throws IOException {
    in.write(line + "\n");
    in.flush();
  }

  /** Runs a command to its end; returns the difference to what a document shows, or null. */
  @Nullable String difference(String command, List<String> expected)
      throws IOException, InterruptedException {
    type(command);
    type("echo '" + DONE + "'");
    List<String> output = new ArrayList<>();
    for (String line = next(); ; line = next()) {
      if (line == null) {
        return "$ " + command + "\ndid not end; it showed:\n" + String.join("\n", output);
      }
      if (line.equals(DONE)) {
        break;
      }
      if (!JOB.matcher(line).matches()) {
        output.add(line);
      }
    }
    List<String> wanted = expected.stream().filter(line -> !JOB.matcher(line).matches()).toList();
    if (matches(command, wanted, output)) {
      return null;
    }
    return "$ "
        + command
        + "\n"
        + String.join("\n", output)
        + "\n-- but the document shows\n"
        + String.join("\n", wanted);
  }

  /** Starts a command that goes on, here alone. */
  void start(String command) throws IOException {
    type(command);
  }

  /** Waits until these lines were shown in this order, whatever is between them. */
  @Nullable String awaitLines(List<String> expected) throws InterruptedException {
    for (String wanted : expected) {
      for (String line = next(); line == null || !isLine("", wanted, line); line = next()) {
        if (line == null) {
          return "found no\n" + wanted + "\nin\n" + String.join("\n", shown);
        }
        shown.add(line);
      }
      shown.add(wanted);
    }
    return null;
  }

  private @Nullable String next() throws InterruptedException {
    return lines.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  private static boolean matches(String command, List<String> wanted, List<String> output) {
    if (wanted.size() != output.size()) {
      return false;
    }
    for (int i = 0; i < wanted.size(); i++) {
      if (!isLine(command, wanted.get(i), output.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** Whether a line is the one of the document, where "..." stands for any text. */
  private static boolean isLine(String command, String wanted, String line) {
    String pattern = Pattern.quote(comparable(command, wanted)).replace("...", "\\E.*\\Q");
    return Pattern.matches(pattern, comparable(command, line));
  }

  /** The line without what is different each time: times, the version, and numbers of a load. */
  private static String comparable(String command, String line) {
    String text =
        line.replaceAll("\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z", "TIME")
            .replaceAll("version=\\S+", "version=V");
    if (command.startsWith("./sluice top")) {
      text = text.replaceAll("(?<= )(-|\\d[\\d.]*[a-zA-Z%/]*)(?= |$)", "").replaceAll(" +", " ");
    }
    return text;
  }

  /** Ends the shell and all that it has started, as Ctrl-C does, and waits until it is gone. */
  @Override
  public void close() {
    List<ProcessHandle> started = shell.descendants().toList();
    started.forEach(ProcessHandle::destroy);
    for (ProcessHandle process : started) {
      process.onExit().completeOnTimeout(process, LIMIT_SECONDS, TimeUnit.SECONDS).join();
      process.destroyForcibly();
    }
    shell.destroyForcibly();
  }
}
