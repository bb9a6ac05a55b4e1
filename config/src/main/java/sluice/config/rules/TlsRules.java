package sluice.config.rules;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import sluice.config.files.TlsFiles;
import sluice.config.model.Address;
import sluice.config.model.ClientAuth;
import sluice.config.model.ListenerProtocol;
import sluice.config.model.ServerConfig;
import sluice.config.problems.Problems;
import sluice.config.schema.Checked;
import sluice.config.schema.Checked.Fields;

/** What {@code tls} sections must say and must not; their files are read for it. */
final class TlsRules {
  private final Problems problems;
  private final TlsFiles files;

  TlsRules(Problems problems, TlsFiles files) {
    this.problems = problems;
    this.files = files;
  }

  void check(Fields file) {
    if (isJudged(file.section("admin").get("tls"))) {
      Fields admin = file.section("admin").section("tls");
      acceptor(admin);
      onlyTls(admin.get("plain"));
    }
    Map<String, Checked> routes = file.get("routes").named();
    for (Checked each : file.get("listeners").named().values()) {
      listener(each.fields());
      asks(each.fields(), routes);
    }
    file.get("pools").named().values().forEach(p -> pool(p.fields()));
  }

  private void refuse(Checked at, String expected) {
    problems.add(at.line(), at.column(), at.path(), at.shown(), expected);
  }

  private void listener(Fields listener) {
    Checked checked = listener.get("tls");
    if (!isJudged(checked)) {
      handshake(listener);
      return;
    }
    Fields tls = checked.fields();
    acceptor(tls);
    Checked plain = tls.get("plain");
    if (isInternode(listener)) {
      onlyTls(plain);
    } else if (plain.value().filter(Boolean.TRUE::equals).isPresent()
        && tls.get("clientCa").written()
        && tls.scalar("clientAuth", ClientAuth.class).orElse(ClientAuth.REQUIRE)
            == ClientAuth.REQUIRE) {
      problems.warn(
          plain, plain.path(), plain.shown(), "false: who comes without TLS shows no certificate");
    }
  }

  private void onlyTls(Checked plain) {
    if (plain.written() && plain.value().isPresent()) {
      refuse(plain, "nothing here: only clients of memcached and Ignite are told apart");
    }
  }

  private static boolean isInternode(Fields listener) {
    return listener.scalar("protocol", ListenerProtocol.class).stream()
        .allMatch(ListenerProtocol.INTERNODE::equals);
  }

  /** Towards those who connect. */
  private void acceptor(Fields tls) {
    for (String key : List.of("certificate", "key")) {
      if (!tls.get(key).written()) {
        refuse(tls.get(key), "a PEM file: whoever connects is shown a certificate");
      }
    }
    files.identity(tls);
    Checked clientCa = tls.get("clientCa");
    Checked clientAuth = tls.get("clientAuth");
    Optional<ClientAuth> auth = tls.scalar("clientAuth", ClientAuth.class);
    if (clientCa.written()) {
      files.authorities(clientCa);
      if (auth.filter(ClientAuth.NONE::equals).isPresent()) {
        refuse(clientCa, "nothing here: clientAuth asks for no certificate");
      }
    } else if (auth.filter(a -> a != ClientAuth.NONE).isPresent()) {
      refuse(clientAuth, "a clientCa beside it, to verify certificates by");
    }
  }

  /** A rule that nobody can fulfil might be the one that was meant to refuse. */
  private void asks(Fields listener, Map<String, Checked> routes) {
    Checked route = listener.get("route");
    boolean asked =
        route.value().map(routes::get).map(Checked::items).orElse(List.of()).stream()
            .anyMatch(rule -> rule.fields().section("match").get("client").written());
    if (asked && !listener.section("tls").get("clientCa").written()) {
      refuse(route, "tls.clientCa beside it: a rule of that route asks who the client is");
    }
  }

  /** Without TLS, clients that are not nodes have no handshake that could take long. */
  private void handshake(Fields listener) {
    Checked handshake = listener.section("limits").get("handshake");
    if (!isInternode(listener) && handshake.written() && !listener.get("tls").written()) {
      refuse(handshake, "nothing here: only internode and TLS have it");
    }
  }

  private void pool(Fields pool) {
    Checked checked = pool.get("tls");
    if (!isJudged(checked)) {
      return;
    }
    Fields tls = checked.fields();
    Checked certificate = tls.get("certificate");
    Checked key = tls.get("key");
    if (certificate.written() != key.written()) {
      refuse(certificate.written() ? key : certificate, "a PEM file: a certificate needs its key");
    } else {
      files.identity(tls);
    }
    if (tls.get("ca").written()) {
      files.authorities(tls.get("ca"));
    }
    boolean named = tls.get("serverName").written();
    pool.get("servers").items().stream()
        .filter(s -> !named && s.value().filter(TlsRules::isUnix).isPresent())
        .forEach(s -> refuse(s, "tls.serverName beside it: a path is no name for a certificate"));
  }

  private static boolean isUnix(Object server) {
    return ((ServerConfig) server).address() instanceof Address.Unix;
  }

  private static boolean isJudged(Checked tls) {
    return tls.written() && tls.value().isPresent();
  }
}
