package sluice.config.rules;

import java.util.List;
import sluice.config.files.AuthFiles;
import sluice.config.model.Address;
import sluice.config.model.ListenerProtocol;
import sluice.config.model.PoolProtocol;
import sluice.config.problems.Problems;
import sluice.config.schema.Checked;
import sluice.config.schema.Checked.Fields;

/** What {@code auth} sections must say; their files are read for it. */
final class AuthRules {
  private final Problems problems;
  private final AuthFiles files;

  AuthRules(Problems problems, AuthFiles files) {
    this.problems = problems;
    this.files = files;
  }

  void check(Fields file) {
    admin(file.section("admin"));
    file.get("listeners").named().values().forEach(l -> listener(l.fields()));
    file.get("pools").named().values().forEach(p -> pool(p.fields()));
  }

  private void admin(Fields admin) {
    Checked auth = admin.get("auth");
    if (!auth.written() || auth.value().isEmpty()) {
      return;
    }
    require(auth.fields(), List.of("users"));
    files.listener(auth.fields());
    boolean reachable =
        admin.scalar("bind", Address.class).stream()
            .anyMatch(bind -> bind instanceof Address.Tcp tcp && !tcp.isLoopback());
    if (reachable && !admin.get("tls").written()) {
      problems.warn(
          auth,
          auth.path(),
          auth.shown(),
          "admin.tls beside it: passwords pass the network as they are");
    }
  }

  /** Of protocols that have a login: others refuse the section as a whole. */
  private void listener(Fields listener) {
    Checked auth = listener.get("auth");
    boolean memcached =
        listener.scalar("protocol", ListenerProtocol.class).stream()
            .anyMatch(ListenerProtocol.MEMCACHED::equals);
    if (memcached && auth.written() && auth.value().isPresent()) {
      require(auth.fields(), List.of("users"));
      files.listener(auth.fields());
    }
  }

  private void pool(Fields pool) {
    Checked auth = pool.get("auth");
    boolean memcached =
        pool.scalar("protocol", PoolProtocol.class).stream()
            .anyMatch(PoolProtocol.MEMCACHED::equals);
    if (memcached && auth.written() && auth.value().isPresent()) {
      require(auth.fields(), List.of("user", "passwordFile"));
      files.pool(auth.fields());
    }
  }

  private void require(Fields auth, List<String> keys) {
    for (String key : keys) {
      Checked checked = auth.get(key);
      if (!checked.written()) {
        String expected = key.equals("user") ? "the user to log in as" : "the path of a file";
        problems.add(checked.line(), checked.column(), checked.path(), checked.shown(), expected);
      }
    }
  }
}
