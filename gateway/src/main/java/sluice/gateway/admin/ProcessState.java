package sluice.gateway.admin;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * State of the process as a whole.
 *
 * @param file the configuration file; null if it was started without one
 * @param started when it was started
 * @param reloaded when the file was last read after a change; null if it never was
 * @param problems for which the file is not in use; empty if it is
 * @param certificates that the gateway presents or trusts; the first to expire comes first
 */
public record ProcessState(
    @Nullable String file,
    Instant started,
    @Nullable Instant reloaded,
    List<String> problems,
    List<Certificate> certificates) {

  /** Copies the lists. */
  public ProcessState {
    problems = List.copyOf(problems);
    certificates = List.copyOf(certificates);
  }

  /**
   * A certificate in use.
   *
   * @param usedBy the listener, pool or port that uses it
   * @param file it came from, as written in the configuration
   * @param subject whose it is
   * @param expires when its validity ends
   */
  public record Certificate(String usedBy, String file, String subject, Instant expires) {}
}
