package sluice.config.rules;

import sluice.config.files.AuthFiles;
import sluice.config.model.Address;
import sluice.config.model.ListenerProtocol;
import sluice.config.model.PoolProtocol;
import sluice.config.problems.Problems;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;
import sluice.config.sections.AdminSection;
import sluice.config.sections.ListenerAuthSection;
import sluice.config.sections.ListenerSection;
import sluice.config.sections.PoolAuthSection;
import sluice.config.sections.PoolSection;

/** Checks of {@code auth} sections, which read their files. */
final class AuthRules {
  private static final String FILE = "the path of a file";

  private final Problems problems;
  private final AuthFiles files;

  AuthRules(Problems problems, AuthFiles files) {
    this.problems = problems;
    this.files = files;
  }

  void check(Fields file) {
    admin(file.section(FileSection.ADMIN));
    file.named(FileSection.LISTENERS).values().forEach(l -> listener(Fields.of(l)));
    file.named(FileSection.POOLS).values().forEach(p -> pool(Fields.of(p)));
  }

  private void admin(Fields admin) {
    Checked<Fields> auth = admin.get(AdminSection.AUTH);
    if (!auth.isGood()) {
      return;
    }
    users(Fields.of(auth));
    boolean reachable =
        admin
            .optional(AdminSection.BIND)
            .filter(bind -> bind instanceof Address.Tcp tcp && !tcp.isLoopback())
            .isPresent();
    if (reachable && !admin.isWritten(AdminSection.TLS)) {
      auth.warn(problems, "admin.tls too: without it, passwords cross the network unencrypted");
    }
  }

  private void users(Fields auth) {
    Checked<String> users = auth.get(ListenerAuthSection.USERS);
    require(users, FILE);
    files.listener(users);
  }

  /** For protocols that have a login; others refuse the whole section. */
  private void listener(Fields listener) {
    Checked<Fields> auth = listener.get(ListenerSection.AUTH);
    boolean memcached =
        listener
            .optional(ListenerSection.PROTOCOL)
            .filter(ListenerProtocol.MEMCACHED::equals)
            .isPresent();
    if (memcached && auth.isGood()) {
      users(Fields.of(auth));
    }
  }

  private void pool(Fields pool) {
    Checked<Fields> auth = pool.get(PoolSection.AUTH);
    if (PoolSection.isOf(pool, PoolProtocol.MEMCACHED) && auth.isGood()) {
      Checked<String> user = Fields.of(auth).get(PoolAuthSection.USER);
      Checked<String> passwordFile = Fields.of(auth).get(PoolAuthSection.PASSWORD_FILE);
      require(user, "the user to log in as");
      require(passwordFile, FILE);
      files.pool(user, passwordFile);
    }
  }

  private void require(Checked<String> checked, String expected) {
    if (!checked.written()) {
      checked.refuse(problems, expected);
    }
  }
}
