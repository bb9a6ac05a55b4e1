package sluice.config.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import sluice.config.files.AuthFiles;
import sluice.config.files.DictionaryFiles;
import sluice.config.files.TlsFiles;
import sluice.config.model.Address;
import sluice.config.model.PoolProtocol;
import sluice.config.problems.Problems;
import sluice.config.routing.RuleSection;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;
import sluice.config.sections.AdminSection;
import sluice.config.sections.LimitsSection;
import sluice.config.sections.ListenerSection;
import sluice.config.sections.PoolSection;
import sluice.config.sections.ProcessSection;

/**
 * Checks across a file whose parts have the right shape. Settings that were already refused are not
 * judged again.
 */
public final class Rules {
  private final Problems problems;
  private final TlsFiles tlsFiles;
  private final AuthFiles authFiles;
  private final DictionaryFiles dictionaryFiles;

  /** An address and the setting that claimed it. */
  private record Claim(String path, Address address) {}

  /**
   * @param problems receives the problems
   * @param tlsFiles reads the files that {@code tls} sections name
   * @param authFiles reads the files that {@code auth} sections name
   * @param dictionaryFiles reads the files that {@code compression} sections name
   */
  public Rules(
      Problems problems, TlsFiles tlsFiles, AuthFiles authFiles, DictionaryFiles dictionaryFiles) {
    this.problems = problems;
    this.tlsFiles = tlsFiles;
    this.authFiles = authFiles;
    this.dictionaryFiles = dictionaryFiles;
  }

  /** Runs every check of the file. */
  public void check(Fields file) {
    addresses(file);
    new ProtocolRules(problems).check(file);
    new RoutingRules(problems).check(file);
    file.named(FileSection.LISTENERS).values().forEach(l -> listener(Fields.of(l), file));
    new PoolRules(problems).check(file);
    new ValueRules(problems, dictionaryFiles).check(file);
    new DiscoverRules(problems).check(file);
    new OwnListenerRules(problems).check(file);
    new TlsRules(problems, tlsFiles).check(file);
    new AuthRules(problems, authFiles).check(file);
  }

  private void addresses(Fields file) {
    List<Claim> claims = new ArrayList<>();
    List<Checked<Address>> binds = new ArrayList<>();
    binds.add(file.section(FileSection.ADMIN).get(AdminSection.BIND));
    file.named(FileSection.LISTENERS)
        .values()
        .forEach(listener -> binds.add(Fields.of(listener).get(ListenerSection.BIND)));
    for (Checked<Address> bind : binds) {
      if (bind.value().isEmpty()) {
        continue;
      }
      Address address = bind.value().get();
      Optional<Claim> taken =
          claims.stream().filter(c -> c.address().overlaps(address)).findFirst();
      taken.ifPresent(
          claim ->
              bind.refuse(
                  problems,
                  "an address other than " + claim.path() + ", " + claim.address().label()));
      claims.add(new Claim(bind.path(), address));
    }
  }

  private void listener(Fields listener, Fields file) {
    Map<String, Checked<List<Checked<Fields>>>> routes = file.named(FileSection.ROUTES);
    Checked<String> route = listener.get(ListenerSection.ROUTE);
    References.require(route, routes.keySet(), FileSection.ROUTES, problems);
    ListenerSection.check(listener, problems);
    Fields limits = listener.section(ListenerSection.LIMITS);
    Checked<Long> outBuffer = limits.get(LimitsSection.OUT_BUFFER);
    Checked<Long> memory = file.section(FileSection.PROCESS).get(ProcessSection.MEMORY);
    if (outBuffer.value().isPresent()
        && memory.value().isPresent()
        && outBuffer.value().get() > memory.value().get()) {
      outBuffer.refuse(problems, "at most process.memory, " + memory.shown());
    }
    for (Checked<Fields> checked :
        route.value().map(routes::get).flatMap(Checked::value).orElse(List.of())) {
      Fields rule = Fields.of(checked);
      fits(limits, rule, file.named(FileSection.POOLS));
      RuleSection.policies(rule).forEach(policy -> policy.checkBehind(limits, rule, problems));
    }
  }

  /** An embedded store too small for the largest accepted item would refuse it. */
  private void fits(Fields limits, Fields rule, Map<String, Checked<Fields>> pools) {
    Checked<Long> itemSize = limits.get(LimitsSection.ITEM_SIZE);
    for (Checked<String> name : RuleSection.pools(rule)) {
      Fields pool = name.value().map(pools::get).map(Fields::of).orElse(Fields.NONE);
      Checked<Long> size = pool.get(PoolSection.SIZE);
      if (!PoolSection.isOf(pool, PoolProtocol.EMBEDDED)
          || itemSize.value().isEmpty()
          || size.value().isEmpty()) {
        continue;
      }
      long largest = EmbeddedCapacity.largestItem(size.value().get());
      if (itemSize.value().get() > largest) {
        itemSize.refuse(
            problems,
            "at most "
                + largest / 1024
                + "KiB, which is what a "
                + size.path()
                + " of "
                + size.shown()
                + " can hold");
      }
    }
  }
}
