package sluice.config.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import sluice.config.model.ListenerProtocol;
import sluice.config.model.PoolProtocol;
import sluice.config.problems.Problems;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Type;
import sluice.config.schema.Validator;
import sluice.config.sections.ListenerSection;
import sluice.config.sections.PoolSection;
import sluice.config.yaml.Node;

/**
 * Defaults that a file sets for its own listeners and pools. A key of a listener or pool replaces
 * the whole default, including everything inside it. A default without a meaning for the protocol
 * of a listener or pool does not apply to it.
 */
public final class Defaults {
  private static final String NAME = "defaults";

  private static final Key<Fields> LISTENERS =
      Key.optional(
          "listeners",
          Type.partial("listener", ListenerSection.LAYOUT.type()),
          "Defaults for listeners. A default route is not possible.");
  private static final Key<Fields> POOLS =
      Key.optional("pools", Type.partial("pool", PoolSection.LAYOUT.type()), "Defaults for pools.");

  static final Key<Fields> KEY =
      Key.optional(
          NAME,
          Type.section(LISTENERS, POOLS),
          "Values for keys that a listener or pool does not set itself.");

  private Defaults() {}

  /**
   * The file with its defaults filled into its listeners and pools; unchanged if they are invalid.
   */
  public static Node fillIn(Node file, Validator validator, Problems problems) {
    Optional<Node.Mapping> defaults = inside(file, NAME);
    if (defaults.isEmpty()) {
      return file;
    }
    int before = problems.count();
    validator.check(defaults.get(), KEY.type(), NAME);
    if (problems.count() > before) {
      return file;
    }
    List<Node.Entry> sections = new ArrayList<>();
    for (Node.Entry section : ((Node.Mapping) file).entries()) {
      String name = section.key().text();
      Optional<Node.Mapping> given = inside(defaults.get(), name);
      sections.add(
          given.isPresent() && section.value() instanceof Node.Mapping named
              ? new Node.Entry(section.key(), filled(named, given.get(), name))
              : section);
    }
    return new Node.Mapping(file.line(), file.column(), sections);
  }

  private static Optional<Node.Mapping> inside(Node node, String name) {
    return node instanceof Node.Mapping mapping
        ? entry(mapping, name)
            .map(Node.Entry::value)
            .filter(Node.Mapping.class::isInstance)
            .map(Node.Mapping.class::cast)
        : Optional.empty();
  }

  private static Optional<Node.Entry> entry(Node.Mapping mapping, String name) {
    return mapping.entries().stream().filter(each -> each.key().text().equals(name)).findFirst();
  }

  private static Node.Mapping filled(Node.Mapping named, Node.Mapping given, String section) {
    boolean pools = section.equals(POOLS.name());
    Type.Section type = pools ? PoolSection.LAYOUT.type() : ListenerSection.LAYOUT.type();
    List<Node.Entry> filled = new ArrayList<>();
    for (Node.Entry each : named.entries()) {
      if (each.value() instanceof Node.Mapping own) {
        List<Node.Entry> keys = new ArrayList<>(own.entries());
        Optional<PoolProtocol> protocol = pools ? ofPool(own, given) : ofListener(own, given);
        for (Node.Entry one : given.entries()) {
          if (entry(own, one.key().text()).isEmpty()) {
            meaningful(one, type, protocol).ifPresent(keys::add);
          }
        }
        filled.add(new Node.Entry(each.key(), new Node.Mapping(own.line(), own.column(), keys)));
      } else {
        filled.add(each);
      }
    }
    return new Node.Mapping(named.line(), named.column(), filled);
  }

  /**
   * The entry, as far as it has a meaning for the protocol; the protocol is empty if it is unknown.
   */
  private static Optional<Node.Entry> meaningful(
      Node.Entry entry, Type.Section type, Optional<PoolProtocol> protocol) {
    Key<?> key =
        type.keys().stream()
            .filter(each -> each.name().equals(entry.key().text()))
            .findFirst()
            .orElseThrow(); // the defaults were checked
    if (protocol.isPresent() && !key.isOf(protocol.get())) {
      return Optional.empty();
    }
    if (!(key.type() instanceof Type.Section inner)
        || !(entry.value() instanceof Node.Mapping mapping)) {
      return Optional.of(entry);
    }
    List<Node.Entry> kept =
        mapping.entries().stream()
            .flatMap(each -> meaningful(each, inner, protocol).stream())
            .toList();
    return Optional.of(
        new Node.Entry(entry.key(), new Node.Mapping(mapping.line(), mapping.column(), kept)));
  }

  private static Optional<PoolProtocol> ofPool(Node.Mapping own, Node.Mapping given) {
    return protocol(own, given, PoolSection.PROTOCOL, PoolProtocol.MEMCACHED);
  }

  private static Optional<PoolProtocol> ofListener(Node.Mapping own, Node.Mapping given) {
    return protocol(own, given, ListenerSection.PROTOCOL, ListenerProtocol.MEMCACHED)
        .map(ListenerSection::protocol);
  }

  private static <T> Optional<T> protocol(
      Node.Mapping own, Node.Mapping given, Key<T> key, T otherwise) {
    Optional<Node.Entry> written = entry(own, key.name()).or(() -> entry(given, key.name()));
    return written.isEmpty()
        ? Optional.of(otherwise)
        : written
            .map(Node.Entry::value)
            .filter(Node.Scalar.class::isInstance)
            .map(
                value ->
                    ((Type.Scalar<T>) key.type()).parser().apply(((Node.Scalar) value).text()));
  }
}
