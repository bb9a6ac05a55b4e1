package sluice.config.rules;

import java.util.List;
import java.util.Optional;
import sluice.config.files.TlsFiles;
import sluice.config.model.Address;
import sluice.config.model.ClientAuth;
import sluice.config.problems.Problems;
import sluice.config.routing.MatchSection;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;
import sluice.config.sections.AdminSection;
import sluice.config.sections.ListenerSection;
import sluice.config.sections.ListenerTlsSection;
import sluice.config.sections.PoolSection;
import sluice.config.sections.PoolTlsSection;

/** Checks of {@code tls} sections, which read their files. */
final class TlsRules {
  private final Problems problems;
  private final TlsFiles files;

  TlsRules(Problems problems, TlsFiles files) {
    this.problems = problems;
    this.files = files;
  }

  void check(Fields file) {
    Checked<Fields> admin = file.section(FileSection.ADMIN).get(AdminSection.TLS);
    if (admin.isGood()) {
      acceptor(Fields.of(admin));
    }
    for (Checked<Fields> each : file.named(FileSection.LISTENERS).values()) {
      listener(Fields.of(each));
      asks(Fields.of(each), file);
    }
    file.named(FileSection.POOLS).values().forEach(pool -> pool(Fields.of(pool)));
  }

  private void listener(Fields listener) {
    Checked<Fields> checked = listener.get(ListenerSection.TLS);
    if (!checked.isGood()) {
      return;
    }
    Fields tls = Fields.of(checked);
    acceptor(tls);
    Checked<Boolean> plain = tls.get(ListenerTlsSection.PLAIN);
    if (ListenerSection.isInternode(listener)) {
      onlyTls(tls);
    } else if (plain.value().orElse(false)
        && tls.isWritten(ListenerTlsSection.CLIENT_CA)
        && tls.optional(ListenerTlsSection.CLIENT_AUTH).orElse(ClientAuth.REQUIRE)
            == ClientAuth.REQUIRE) {
      plain.warn(problems, "false: clients without TLS bypass the check of certificates");
    }
  }

  private void onlyTls(Fields tls) {
    Checked<Boolean> plain = tls.get(ListenerTlsSection.PLAIN);
    if (plain.isGood()) {
      plain.refuse(
          problems, "nothing here: an internode listener with tls accepts no links without TLS");
    }
  }

  /** Checks the TLS of a listener. */
  private void acceptor(Fields tls) {
    Checked<String> certificate = tls.get(ListenerTlsSection.CERTIFICATE);
    Checked<String> key = tls.get(ListenerTlsSection.KEY);
    if (!certificate.written()) {
      certificate.refuse(problems, "a PEM file with the certificate that is presented to clients");
    }
    if (!key.written()) {
      key.refuse(problems, "a PEM file with the private key of the certificate");
    }
    files.identity(certificate, key);
    Checked<String> clientCa = tls.get(ListenerTlsSection.CLIENT_CA);
    Checked<ClientAuth> clientAuth = tls.get(ListenerTlsSection.CLIENT_AUTH);
    Optional<ClientAuth> auth = clientAuth.value();
    if (clientCa.written()) {
      files.authorities(clientCa);
      if (auth.filter(ClientAuth.NONE::equals).isPresent()) {
        clientCa.refuse(problems, "nothing here: clientAuth requests no certificate");
      }
    } else if (auth.filter(a -> a != ClientAuth.NONE).isPresent()) {
      clientAuth.refuse(problems, "a clientCa too, to verify certificates with");
    }
  }

  /** A rule that no client can match might be intended to refuse requests. */
  private void asks(Fields listener, Fields file) {
    Checked<String> route = listener.get(ListenerSection.ROUTE);
    boolean asked =
        route
            .value()
            .map(file.named(FileSection.ROUTES)::get)
            .flatMap(Checked::value)
            .orElse(List.of())
            .stream()
            .map(rule -> Fields.of(rule).section(MatchSection.KEY))
            .anyMatch(match -> match.isWritten(MatchSection.CLIENT));
    if (asked && !listener.section(ListenerSection.TLS).isWritten(ListenerTlsSection.CLIENT_CA)) {
      route.refuse(problems, "tls.clientCa too: a rule of that route matches on client names");
    }
  }

  private void pool(Fields pool) {
    Checked<Fields> checked = pool.get(PoolSection.TLS);
    if (!checked.isGood()) {
      return;
    }
    Fields tls = Fields.of(checked);
    Checked<String> certificate = tls.get(PoolTlsSection.CERTIFICATE);
    Checked<String> key = tls.get(PoolTlsSection.KEY);
    if (certificate.written() != key.written()) {
      Checked<String> missing = certificate.written() ? key : certificate;
      missing.refuse(problems, "a PEM file: a certificate needs its key");
    } else {
      files.identity(certificate, key);
    }
    if (tls.isWritten(PoolTlsSection.CA)) {
      files.authorities(tls.get(PoolTlsSection.CA));
    }
    boolean named = tls.isWritten(PoolTlsSection.SERVER_NAME);
    pool.items(PoolSection.SERVERS).stream()
        .filter(
            server ->
                !named
                    && server.value().filter(s -> s.address() instanceof Address.Unix).isPresent())
        .forEach(
            server ->
                server.refuse(
                    problems,
                    "tls.serverName too: a certificate cannot name the path of a socket"));
  }
}
