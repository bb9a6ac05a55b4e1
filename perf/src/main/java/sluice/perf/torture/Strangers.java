package sluice.perf.torture;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.regex.Pattern;
import sluice.testkit.hostile.HostileClients;
import sluice.testkit.misbehaving.ImpatientClients;

/**
 * Clients besides those that check their replies: some send invalid requests, some write without a
 * reply and close, or end their side after requests. Their keys are on the steady servers, and not
 * used by others.
 */
final class Strangers implements AutoCloseable {
  private static final int HOSTILE = 2;
  private static final int IMPATIENT = 2;

  /** The recorders read what memcached answers to everything but statistics. */
  private static final Pattern WITHOUT = Pattern.compile("stats");

  private final Options options;
  private final Findings findings;
  private final HostileClients hostile;
  private final ImpatientClients impatient;

  Strangers(Options options, MachinePauses pauses, Findings findings, int port) {
    this.options = options;
    this.findings = findings;
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    String letter = Setting.Keys.PLAIN.letter;
    hostile = new HostileClients(address, letter + "!h", WITHOUT, options.seed());
    impatient =
        new ImpatientClients(
            address,
            letter + "!i",
            () -> Duration.ofMillis(options.limitMillis() + pauses.allowanceMillis()),
            options.seed());
  }

  void start() {
    hostile.start(HOSTILE);
    impatient.start(IMPATIENT);
  }

  /**
   * Tells what has become of what they asked for. It must all be done, unless faults were chosen
   * that reach their servers.
   */
  void judge() {
    findings.say("hostile clients: " + hostile.requests() + " requests");
    findings.say(
        "impatient clients: %d writes without a reply, %d not done; %d requests before the end, %d not answered; %d connections silent (0 allowed)"
            .formatted(
                impatient.writes(),
                impatient.lost(),
                impatient.asked(),
                impatient.unanswered(),
                impatient.silences()));
    if (impatient.silences() > 0) {
      findings.wrong(impatient.silences() + " impatient clients got neither a reply nor the end");
    }
    if (!options.tolerantOfSteadyServers() && impatient.lost() + impatient.unanswered() > 0) {
      findings.wrong("what impatient clients had said was not done, or not answered");
    }
  }

  @Override
  public void close() {
    stop();
  }

  /** Ends what they do, so that it can be judged. */
  void stop() {
    hostile.close();
    impatient.close();
  }
}
