package sluice.config;

import java.util.List;
import java.util.Optional;
import sluice.config.Checked.Fields;

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
      acceptor(file.section("admin").section("tls"));
    }
    file.get("listeners").named().values().forEach(l -> listener(l.fields()));
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
    acceptor(checked.fields());
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

  /** Without TLS, clients that are not nodes have no handshake that could take long. */
  private void handshake(Fields listener) {
    Checked handshake = listener.section("limits").get("handshake");
    boolean internode =
        listener.scalar("protocol", ListenerProtocol.class).stream()
            .allMatch(ListenerProtocol.INTERNODE::equals);
    if (!internode && handshake.written() && !listener.get("tls").written()) {
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
