package sluice.config.routing;

import static sluice.config.model.PoolProtocol.INTERNODE;

import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import sluice.config.model.MatchConfig;
import sluice.config.problems.Problems;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Scalars;
import sluice.config.schema.Type;
import sluice.names.Command;
import sluice.names.Dialect;

/** Description of a rule's {@code match}: its keys, and its record. */
public final class MatchSection {
  public static final Key<String> PREFIX =
      RuleKeys.ofRequests(Key.optional("prefix", Scalars.keyPart(), "Prefix of the key."));
  public static final Key<List<Checked<String>>> COMMANDS =
      RuleKeys.ofRequests(
          Key.optional(
              "commands",
              new Type.Items<>(
                  "command",
                  Scalars.label(Arrays.stream(Command.values()).filter(Command::isRouted).toList()),
                  false),
              "Commands that match."));
  public static final Key<List<Checked<Dialect>>> DIALECTS =
      RuleKeys.ofRequests(
          Key.optional(
              "dialects",
              new Type.Items<>("dialect", Scalars.choice(Dialect.class), false),
              "Dialects that match."));
  public static final Key<String> CLIENT =
      RuleKeys.ofRequests(
          Key.optional(
              "client",
              Scalars.clientName(),
              "Name in the client's certificate: a DNS name or URI from the subject alternative"
                  + " names, or the common name if there are none of these."));
  public static final Key<String> TOKEN =
      RuleKeys.ofRequests(
          Key.optional(
              "token", Scalars.metaToken(), "Token of a meta request; begins with `P` or `L`."));
  public static final Key<List<Checked<String>>> VERBS =
      Key.optional(
              "verbs",
              new Type.Items<>("verb", Scalars.verb(), false),
              "Internode verbs that match.")
          .only(INTERNODE);

  /** Its keys, and the record's value for each. */
  public static final Layout<MatchConfig> LAYOUT =
      Layout.of(MatchConfig.class)
          .optional(PREFIX, match -> Optional.of(match.prefix()).filter(p -> !p.isEmpty()))
          .list(COMMANDS, match -> unlessEmpty(match.commands()))
          .list(DIALECTS, match -> unlessEmpty(match.dialects()))
          .optional(CLIENT, MatchConfig::client)
          .optional(TOKEN, MatchConfig::token)
          .list(VERBS, match -> unlessEmpty(match.verbs()));

  /** The key in a rule. */
  public static final Key<Fields> KEY =
      Key.optional("match", LAYOUT.type(), "Requests that the rule applies to; all by default.");

  private MatchSection() {}

  private static <T> Optional<Collection<T>> unlessEmpty(Collection<T> some) {
    return Optional.of(some).filter(s -> !s.isEmpty());
  }

  /** The record of a section; refused parts count as absent. */
  public static MatchConfig bind(Fields match) {
    return new MatchConfig(
        match.optional(PREFIX).orElse(""),
        new LinkedHashSet<>(match.values(COMMANDS)),
        Set.copyOf(match.values(DIALECTS)),
        match.optional(CLIENT),
        match.optional(TOKEN),
        new LinkedHashSet<>(match.values(VERBS)));
  }

  /** Refuses a token for commands that carry none. */
  public static void check(Fields match, Problems problems) {
    boolean meta = !match.isWritten(DIALECTS) || match.values(DIALECTS).contains(Dialect.META);
    boolean commands =
        !match.isWritten(COMMANDS)
            || Arrays.stream(Command.values())
                .filter(Command::takesTokens)
                .anyMatch(command -> match.values(COMMANDS).contains(command.label()));
    Checked<String> token = match.get(TOKEN);
    if (token.value().isPresent() && !(meta && commands)) {
      token.refuse(problems, "a rule for some of mg, ms, md and ma: other commands have no tokens");
    }
  }

  /** Whether a part of the section was refused, so that it matches more than intended. */
  public static boolean isPartlyRefused(Checked<Fields> match) {
    return match.value().isEmpty()
        || Fields.of(match).all().stream().anyMatch(Checked::isRefused)
        || isAnyRefused(Fields.of(match).items(COMMANDS))
        || isAnyRefused(Fields.of(match).items(DIALECTS))
        || isAnyRefused(Fields.of(match).items(VERBS));
  }

  private static boolean isAnyRefused(List<? extends Checked<?>> items) {
    return items.stream().anyMatch(Checked::isRefused);
  }
}
