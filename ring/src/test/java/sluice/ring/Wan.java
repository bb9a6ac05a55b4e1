package sluice.ring;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Two sites, each with a node and a gateway. What a node says to the other site's leaves by its own
 * gateway and enters by the other one, in a framing of its own in between; there it becomes CRC
 * frames again.
 *
 * <pre>
 *   node 1 ----- .13  gateway 1  =========== .23  gateway 2 ----- node 2, at .3
 *   at .2 -----       gateway 1  .22 ===========  gateway 2  .12 ----- node 2
 * </pre>
 */
final class Wan implements Between {

  private static final int BETWEEN = 10; // a listener for the other gateway is so many hosts on
  private static final int BEHIND_RECORDER = 20; // and one that a recorder stands before
  private static final String OUT = "out";
  private static final String IN = "in";
  private static final Pattern ACKNOWLEDGED = Pattern.compile("bytes_acked:(\\d+)");

  /**
   * What has left both gateways towards the other since they were started.
   *
   * @param before bytes of frames as nodes sent them, by the gateways' own metrics
   * @param after bytes of frames as they left, by the same
   * @param kernel bytes that the other side's kernel has acknowledged, handshakes among them, of
   *     connections that are open
   * @param frames that left
   * @param messages in them
   * @param cpu of both gateways
   */
  record Counts(long before, long after, long kernel, long frames, long messages, Duration cpu) {

    Counts since(Counts start) {
      return new Counts(
          before - start.before,
          after - start.after,
          kernel - start.kernel,
          frames - start.frames,
          messages - start.messages,
          cpu.minus(start.cpu));
    }
  }

  private final List<Link> links;
  private final List<GatewayProcess> gateways = new ArrayList<>();
  private Relay.Reads reads;
  private Relay recorder;

  /** Does not start it yet; files are put into {@code directory}. */
  Wan(Path directory, List<Link> links) {
    this.links = links;
    for (int site = 0; site < links.size(); site++) {
      gateways.add(new GatewayProcess(directory, "gateway" + (site + 1)));
    }
  }

  @Override
  public Set<Framing> framings() {
    return EnumSet.allOf(Framing.class);
  }

  /** From the next start on, what nodes send to their gateways is told. */
  void record(Relay.Reads newReads) {
    reads = newReads;
  }

  @Override
  public void start(Framing framing) {
    for (int site = 0; site < links.size(); site++) {
      Link mine = links.get(site);
      Link other = links.get(1 - site);
      InetSocketAddress out =
          reads == null ? other.listener() : beside(other.listener(), BEHIND_RECORDER);
      Framing arriving = framing == Framing.SAME ? Framing.SAME : Framing.CRC;
      gateways
          .get(site)
          .start(
              """
              process: {eventLoops: 1}
              listeners:
                out: {bind: '%s', protocol: internode, route: out}
                in: {bind: '%s', protocol: internode, route: in}
              routes: {out: [{pool: out}], in: [{pool: in}]}
              pools:
                out: {protocol: internode, servers: ['%s'], framing: %s}
                in: {protocol: internode, servers: ['%s'], framing: %s}
              """
                  .formatted(
                      Sluice.text(out),
                      Sluice.text(beside(mine.listener(), BETWEEN)),
                      Sluice.text(beside(other.listener(), BETWEEN)),
                      framing.name().toLowerCase(Locale.ROOT),
                      Sluice.text(mine.node()),
                      arriving.name().toLowerCase(Locale.ROOT)));
    }
    if (reads != null) {
      recorder =
          new Relay(
              links.stream()
                  .map(l -> new Link(l.listener(), beside(l.listener(), BEHIND_RECORDER)))
                  .toList(),
              reads);
      recorder.start(Framing.SAME);
    }
  }

  private static InetSocketAddress beside(InetSocketAddress address, int hosts) {
    byte[] bytes = address.getAddress().getAddress();
    bytes[bytes.length - 1] += (byte) hosts;
    try {
      return new InetSocketAddress(InetAddress.getByAddress(bytes), address.getPort());
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What was counted so far. */
  Counts counts() {
    long kernel = 0;
    for (Link link : links) {
      kernel += acknowledged(beside(link.listener(), BETWEEN).getAddress());
    }
    Duration cpu = Duration.ZERO;
    for (GatewayProcess gateway : gateways) {
      cpu = cpu.plus(gateway.cpu());
    }
    return new Counts(
        metric("framing_bytes", IN),
        metric("framing_bytes", OUT),
        kernel,
        metric("frames", OUT),
        metric("messages", IN),
        cpu);
  }

  private long metric(String name, String direction) {
    String beginning = "sluice_internode_%s_total{direction=\"%s\"".formatted(name, direction);
    return gateways.stream()
        .mapToLong(gateway -> gateway.metric(beginning, "listener=\"" + OUT + "\""))
        .sum();
  }

  /** What the kernel says of the connections to an address, of whatever process. */
  private static long acknowledged(InetAddress to) {
    try {
      Process ss =
          new ProcessBuilder("ss", "-tinH", "dst", to.getHostAddress())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String said = new String(ss.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      long bytes = 0;
      for (Matcher m = ACKNOWLEDGED.matcher(said); m.find(); ) {
        bytes += Long.parseLong(m.group(1));
      }
      return bytes;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void kill() {
    if (recorder != null) {
      recorder.kill();
      recorder = null;
    }
    gateways.forEach(GatewayProcess::kill);
  }

  @Override
  public void close() {
    if (recorder != null) {
      recorder.close();
    }
    gateways.forEach(GatewayProcess::close);
  }
}
