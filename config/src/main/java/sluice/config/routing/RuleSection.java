package sluice.config.routing;

import static sluice.config.model.PoolProtocol.INTERNODE;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import sluice.config.model.AddressesConfig;
import sluice.config.model.KeyConfig;
import sluice.config.model.NodeName;
import sluice.config.model.PolicyConfig;
import sluice.config.model.RuleConfig;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Scalars;
import sluice.config.schema.Type;

/** Description of a rule: its own keys, those of its policies, and its record. */
public final class RuleSection {
  public static final Key<String> STRIP =
      Key.optional("strip", Scalars.keyPart(), "Prefix that is removed from the key.");
  public static final Key<String> ADD =
      Key.optional("add", Scalars.keyPart(), "Prefix that is added to the key.");

  private static final Layout<KeyConfig> REWRITE =
      Layout.of(KeyConfig.class)
          .optional(STRIP, key -> Optional.of(key.strip()).filter(strip -> !strip.isEmpty()))
          .optional(ADD, key -> Optional.of(key.add()).filter(add -> !add.isEmpty()));

  public static final Key<Fields> KEY =
      RuleKeys.ofRequests(Key.optional("key", REWRITE.type(), "How the key is rewritten."));

  private static final Type.Pairs<NodeName, NodeName> NODES =
      new Type.Pairs<>(
          "addresses of nodes", "addresses of nodes", Scalars.nodeName(), Scalars.nodeName());

  public static final Key<List<Type.Pair<NodeName, NodeName>>> FROM =
      Key.optional("from", NODES, "New addresses for the initiators' addresses.");
  public static final Key<List<Type.Pair<NodeName, NodeName>>> TO =
      Key.optional("to", NODES, "New addresses for the servers' addresses.");

  private static final Layout<AddressesConfig> REPLACED =
      Layout.of(AddressesConfig.class)
          .pairs(FROM, AddressesConfig::from)
          .pairs(TO, AddressesConfig::to);

  public static final Key<Fields> ADDRESSES =
      Key.optional(
              "addresses",
              REPLACED.type(),
              "Internode: node addresses that the gateway replaces in messages, one to one.")
          .only(INTERNODE);

  /** Its keys, and the record's value for each. */
  public static final Layout<RuleConfig> LAYOUT = layout();

  private RuleSection() {}

  private static Layout<RuleConfig> layout() {
    Layout<RuleConfig> rule =
        Layout.of(RuleConfig.class)
            .section(
                MatchSection.KEY,
                MatchSection.LAYOUT,
                each -> Optional.of(each.match()).filter(m -> !m.matchesEverything()))
            .optional(RuleKeys.POOL, RuleSection::writtenPool)
            .section(KEY, REWRITE, each -> Optional.of(each.key()).filter(k -> !k.isEmpty()))
            .optional(RuleKeys.REJECT, RuleConfig::reject);
    for (Policy policy : Policies.ALL) {
      rule = policy.addTo(rule);
    }
    return rule.section(
        ADDRESSES,
        REPLACED,
        each -> Optional.of(each.addresses()).filter(addresses -> !addresses.isEmpty()));
  }

  private static Optional<String> writtenPool(RuleConfig rule) {
    return rule.pool().filter(pool -> ownPool(rule.policies()).isEmpty());
  }

  private static Optional<String> ownPool(List<PolicyConfig> policies) {
    return policies.stream().flatMap(policy -> policy.ownPool().stream()).findFirst();
  }

  /** The policies that are present in a rule. */
  public static List<Policy> policies(Fields rule) {
    return Policies.ALL.stream().filter(policy -> rule.isWritten(policy.key())).toList();
  }

  /** Every name of a pool in a rule that is not refused, the rule's own first. */
  public static List<Checked<String>> pools(Fields rule) {
    return Stream.concat(
            Stream.of(rule.get(RuleKeys.POOL)),
            Policies.ALL.stream().flatMap(policy -> policy.pools(rule).stream()))
        .filter(name -> name.value().isPresent())
        .toList();
  }

  /** The record of a valid section. */
  public static RuleConfig bind(Fields rule) {
    Fields key = rule.section(KEY);
    Fields addresses = rule.section(ADDRESSES);
    List<PolicyConfig> policies =
        policies(rule).stream()
            .<PolicyConfig>flatMap(policy -> policy.bind(rule).stream())
            .toList();
    return new RuleConfig(
        MatchSection.bind(rule.section(MatchSection.KEY)),
        rule.optional(RuleKeys.POOL).or(() -> ownPool(policies)),
        new KeyConfig(key.optional(STRIP).orElse(""), key.optional(ADD).orElse("")),
        rule.optional(RuleKeys.REJECT),
        new AddressesConfig(nodes(addresses.items(FROM)), nodes(addresses.items(TO))),
        policies);
  }

  private static Map<NodeName, NodeName> nodes(List<Type.Pair<NodeName, NodeName>> pairs) {
    Map<NodeName, NodeName> nodes = new LinkedHashMap<>();
    for (Type.Pair<NodeName, NodeName> pair : pairs) {
      nodes.put(pair.key().value().orElseThrow(), pair.value().value().orElseThrow());
    }
    return nodes;
  }
}
