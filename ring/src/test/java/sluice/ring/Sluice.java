package sluice.ring;

import static java.util.stream.Collectors.joining;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** One gateway between all nodes. */
final class Sluice implements Between {

  private final GatewayProcess process;
  private final List<Passage> passages;
  private final String listenerTls;
  private final String poolTls;

  /** Does not start it yet; its files are put into {@code directory}. */
  Sluice(Path directory, List<Passage> passages) {
    this(directory, passages, "", "");
  }

  /** One that terminates and originates TLS: {@code tls} sections of each listener and pool. */
  Sluice(Path directory, List<Passage> passages, RingKeys keys) {
    this(directory, passages, ", tls: " + keys.listenerTls(), ", tls: " + keys.poolTls());
  }

  private Sluice(Path directory, List<Passage> passages, String listenerTls, String poolTls) {
    this.process = new GatewayProcess(directory, "sluice");
    this.passages = passages;
    this.listenerTls = listenerTls;
    this.poolTls = poolTls;
  }

  @Override
  public Set<Framing> framings() {
    return EnumSet.allOf(Framing.class);
  }

  @Override
  public void start(Framing framing) {
    process.start(yaml(framing));
  }

  private String yaml(Framing framing) {
    StringBuilder listeners = new StringBuilder("listeners:\n");
    StringBuilder routes = new StringBuilder("routes:\n");
    StringBuilder pools = new StringBuilder("pools:\n");
    for (int i = 0; i < passages.size(); i++) {
      Passage passage = passages.get(i);
      String name = "node" + (i + 1);
      listeners.append(
          "  %s: {bind: '%s', protocol: internode, route: %s%s}%n"
              .formatted(name, text(passage.link().listener()), name, listenerTls));
      routes.append("  %s:%n".formatted(name));
      passage.rules().forEach(rule -> routes.append("    - %s%n".formatted(rule)));
      routes.append(
          passage.from().isEmpty() && passage.to().isEmpty()
              ? "    - {pool: %s}%n".formatted(name)
              : "    - {pool: %s, addresses: {from: {%s}, to: {%s}}}%n"
                  .formatted(name, text(passage.from()), text(passage.to())));
      pools.append(
          "  %s: {protocol: internode, servers: ['%s'], framing: %s%s}%n"
              .formatted(
                  name,
                  text(passage.link().node()),
                  framing.name().toLowerCase(Locale.ROOT),
                  poolTls));
    }
    return listeners.toString() + routes + pools;
  }

  static String text(InetSocketAddress address) {
    return address.getAddress().getHostAddress() + ":" + address.getPort();
  }

  private static String text(Map<InetAddress, InetAddress> addresses) {
    return addresses.entrySet().stream()
        .map(e -> e.getKey().getHostAddress() + ": " + e.getValue().getHostAddress())
        .collect(joining(", "));
  }

  @Override
  public void kill() {
    process.kill();
  }

  @Override
  public void close() {
    process.close();
  }
}
