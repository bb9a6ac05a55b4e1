package sluice.gateway.process;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.lang.management.ManagementFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.config.ConfigurationPrinter;
import sluice.config.model.Configuration;
import sluice.config.model.ListenerConfig;
import sluice.config.model.ListenerTlsConfig;
import sluice.config.model.RouteConfig;
import sluice.config.model.RuleConfig;
import sluice.config.model.TlsAuthorities;
import sluice.config.model.TlsIdentity;
import sluice.gateway.admin.ProcessState;
import sluice.gateway.admin.RouteState;
import sluice.gateway.routing.Explainer;

/** What the admin port says of a configuration as a whole: its certificates and routes. */
final class Overview {
  /** Keys of a rule that are not policies. */
  private static final Set<String> PLAIN = Set.of("match", "pool", "reject", "key", "addresses");

  private Overview() {}

  /** The state of a process with this configuration. */
  static ProcessState process(
      Configuration configuration,
      @Nullable String file,
      @Nullable Instant reloaded,
      List<String> problems) {
    return new ProcessState(
        file,
        Instant.ofEpochMilli(ManagementFactory.getRuntimeMXBean().getStartTime()),
        reloaded,
        problems,
        certificates(configuration));
  }

  private static List<ProcessState.Certificate> certificates(Configuration configuration) {
    List<ProcessState.Certificate> found = new ArrayList<>();
    configuration.admin().tls().ifPresent(tls -> add("admin port", tls, found));
    for (ListenerConfig listener : configuration.listeners().values()) {
      listener.tls().ifPresent(tls -> add("listener " + listener.name(), tls, found));
    }
    configuration
        .pools()
        .values()
        .forEach(
            pool ->
                pool.tls()
                    .ifPresent(
                        tls -> {
                          add("pool " + pool.name(), tls.identity(), tls.ca(), found);
                        }));
    found.sort(Comparator.comparing(ProcessState.Certificate::expires));
    return found;
  }

  private static void add(
      String usedBy, ListenerTlsConfig tls, List<ProcessState.Certificate> found) {
    add(usedBy, Optional.of(tls.identity()), tls.clientCa(), found);
  }

  private static void add(
      String usedBy,
      Optional<TlsIdentity> identity,
      Optional<TlsAuthorities> authorities,
      List<ProcessState.Certificate> found) {
    identity.ifPresent(
        own -> own.chain().forEach(one -> found.add(of(usedBy, own.certificateFile(), one))));
    authorities.ifPresent(
        trusted ->
            trusted.certificates().forEach(one -> found.add(of(usedBy, trusted.file(), one))));
  }

  private static ProcessState.Certificate of(
      String usedBy, String file, X509Certificate certificate) {
    return new ProcessState.Certificate(
        usedBy,
        file,
        certificate.getSubjectX500Principal().getName(),
        certificate.getNotAfter().toInstant());
  }

  /** The routes of a configuration, in its order. */
  static List<RouteState> routes(Configuration configuration) {
    JsonObject printed =
        new JsonObject(ConfigurationPrinter.toJson(configuration)).getJsonObject("routes");
    List<RouteState> routes = new ArrayList<>();
    for (RouteConfig route : configuration.routes().values()) {
      JsonArray asPrinted = printed.getJsonArray(route.name());
      List<RouteState.Rule> rules = new ArrayList<>();
      for (int i = 0; i < route.rules().size(); i++) {
        rules.add(
            rule(
                Explainer.conditions(configuration, route.name(), i),
                route.rules().get(i),
                asPrinted.getJsonObject(i)));
      }
      routes.add(
          new RouteState(
              route.name(),
              configuration.listeners().values().stream()
                  .filter(listener -> listener.route().equals(route.name()))
                  .map(ListenerConfig::name)
                  .toList(),
              rules));
    }
    return routes;
  }

  private static RouteState.Rule rule(String conditions, RuleConfig rule, JsonObject printed) {
    return new RouteState.Rule(
        conditions,
        rule.pool().orElse(null),
        rule.reject().map(text -> printed.getString("reject")).orElse(null),
        rule.pools(),
        printed.fieldNames().stream().filter(key -> !PLAIN.contains(key)).toList());
  }
}
