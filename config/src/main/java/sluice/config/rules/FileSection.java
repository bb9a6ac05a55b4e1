package sluice.config.rules;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import sluice.config.files.AuthFiles;
import sluice.config.files.DictionaryFiles;
import sluice.config.files.TlsFiles;
import sluice.config.model.Address;
import sluice.config.model.Configuration;
import sluice.config.model.LogsConfig;
import sluice.config.model.RouteConfig;
import sluice.config.model.RuleConfig;
import sluice.config.routing.RuleSection;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Scalars;
import sluice.config.schema.Type;
import sluice.config.sections.AdminSection;
import sluice.config.sections.ListenerSection;
import sluice.config.sections.LogsSection;
import sluice.config.sections.MetricsSection;
import sluice.config.sections.PoolSection;
import sluice.config.sections.ProcessSection;
import sluice.config.yaml.Includes;

/** Description of the whole file: its sections, and its record. */
public final class FileSection {
  static final Key<Fields> ADMIN =
      Key.optional("admin", AdminSection.LAYOUT.type(), "The admin port.");
  static final Key<Fields> PROCESS =
      Key.optional("process", ProcessSection.LAYOUT.type(), "Settings of the whole process.");
  static final Key<Fields> METRICS =
      Key.optional("metrics", MetricsSection.LAYOUT.type(), "Metrics of the process.");
  static final Key<Map<String, Checked<Fields>>> LISTENERS =
      Key.required(
          "listeners",
          new Type.Named<>("listener", ListenerSection.LAYOUT.type()),
          "Addresses that clients connect to, by name.");
  static final Key<Map<String, Checked<List<Checked<Fields>>>>> ROUTES =
      Key.required(
          "routes",
          new Type.Named<>("route", new Type.Items<>("rule", RuleSection.LAYOUT.type(), false)),
          "Lists of rules, by name; the first rule that matches a request decides.");
  static final Key<Map<String, Checked<Fields>>> POOLS =
      Key.required(
          "pools",
          new Type.Named<>("pool", PoolSection.LAYOUT.type()),
          "Groups of servers that share a key space, by name.");
  static final Key<Fields> LOGS =
      Key.optional(
          "logs", LogsSection.LAYOUT.type(), "Logs of individual requests; off by default.");

  private static final Key<List<Checked<String>>> INCLUDE =
      Key.optional(
          Includes.KEY,
          new Type.Items<>("file", Scalars.file(), true),
          "Files with more listeners, routes and pools.");

  /** Its keys, and the record's value for each. */
  public static final Layout<Configuration> LAYOUT =
      Layout.of(Configuration.class)
          .section(ADMIN, AdminSection.LAYOUT, file -> Optional.of(file.admin()))
          .section(PROCESS, ProcessSection.LAYOUT, file -> Optional.of(file.process()))
          .section(METRICS, MetricsSection.LAYOUT, file -> Optional.of(file.metrics()))
          .named(LISTENERS, ListenerSection.LAYOUT, Configuration::listeners)
          .namedLists(ROUTES, RuleSection.LAYOUT, FileSection::rules)
          .named(POOLS, PoolSection.LAYOUT, Configuration::pools)
          .section(
              LOGS,
              LogsSection.LAYOUT,
              file -> Optional.of(file.logs()).filter(logs -> !logs.equals(LogsConfig.NONE)))
          .unprinted(Defaults.KEY)
          .unprinted(INCLUDE);

  private FileSection() {}

  private static Map<String, List<RuleConfig>> rules(Configuration file) {
    Map<String, List<RuleConfig>> rules = new LinkedHashMap<>();
    file.routes().forEach((name, route) -> rules.put(name, route.rules()));
    return rules;
  }

  /**
   * The configuration of a valid file.
   *
   * @param tlsFiles has read the files that it names
   * @param authFiles has read the files that it names
   * @param dictionaryFiles has read the files that it names
   * @param references for the path of each scalar that came from elsewhere, the scalar as written
   */
  public static Configuration bind(
      Fields file,
      TlsFiles tlsFiles,
      AuthFiles authFiles,
      DictionaryFiles dictionaryFiles,
      Map<String, String> references) {
    return new Configuration(
        AdminSection.bind(file.section(ADMIN), tlsFiles, authFiles),
        ProcessSection.bind(file.section(PROCESS)),
        MetricsSection.bind(file.section(METRICS)),
        byName(
            file.named(LISTENERS),
            (name, listener) ->
                ListenerSection.bind(name, Fields.of(listener), tlsFiles, authFiles)),
        byName(file.named(ROUTES), FileSection::route),
        byName(
            file.named(POOLS),
            (name, pool) ->
                PoolSection.bind(name, Fields.of(pool), tlsFiles, authFiles, dictionaryFiles)),
        LogsSection.bind(file.section(LOGS)),
        references);
  }

  /** The addresses to listen on that the file has, the admin port's first. */
  public static List<Checked<Address>> binds(Fields file) {
    Stream<Checked<Address>> listeners =
        file.named(LISTENERS).values().stream()
            .map(listener -> Fields.of(listener).get(ListenerSection.BIND));
    return Stream.concat(Stream.of(file.section(ADMIN).get(AdminSection.BIND)), listeners)
        .filter(Checked::written)
        .toList();
  }

  private static RouteConfig route(String name, Checked<List<Checked<Fields>>> rules) {
    return new RouteConfig(
        name,
        rules.value().orElseThrow().stream()
            .map(rule -> RuleSection.bind(Fields.of(rule)))
            .toList());
  }

  private static <T, R> Map<String, R> byName(Map<String, T> named, BiFunction<String, T, R> each) {
    Map<String, R> bound = new LinkedHashMap<>();
    named.forEach((name, value) -> bound.put(name, each.apply(name, value)));
    return bound;
  }
}
