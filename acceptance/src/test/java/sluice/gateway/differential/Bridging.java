package sluice.gateway.differential;

import static sluice.gateway.differential.Changes.badArguments;
import static sluice.gateway.differential.Changes.line;
import static sluice.gateway.differential.Changes.packet;
import static sluice.gateway.differential.Changes.unsupported;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What each pair of dialects cannot map: docs/reference/bridging.md and docs/reference/memcached.md
 * as a table. All that is not in it is answered and executed as memcached does. Of several refusals
 * the first is the answer.
 */
final class Bridging {
  // Where values are changed on their way, requests take the neutral form between the same
  // dialects.
  private static final Set<String> SAME = Set.of("same");
  private static final Set<String> TEXT = Set.of("text");
  private static final Set<String> META = Set.of("meta");
  private static final Set<String> BINARY = Set.of("binary");
  private static final Set<String> CLASSIC = Set.of("text", "binary");
  private static final Set<String> CHANGED = Set.of("changed");
  private static final Set<String> NEUTRAL = Set.of("text", "binary", "changed");
  private static final Set<String> LINES = Set.of("text", "meta");

  /** A rule and whom it is for: clients of a dialect before pools of these. */
  private record Row(
      Dialect client,
      Set<String> pools,
      String what,
      Predicate<Operation> applies,
      Outcome outcome) {}

  private static final List<Row> TABLE =
      List.of(
          // docs/reference/memcached.md, "Differences from memcached itself"
          new Row(
              Dialect.BINARY,
              Set.of("same", "changed", "binary"),
              "memcached takes what follows VERBOSITY for its extras a second time",
              Features::isVerbosity,
              packet(0x81, "Unknown command")),
          new Row(
              Dialect.BINARY,
              LINES,
              "VERBOSITY is a line, which works",
              Features::isVerbosity,
              packet(0, "")),
          new Row(
              Dialect.META,
              Set.of("same", "changed", "binary"),
              "a quiet counter that N creates is hidden",
              Features::createsQuietly,
              new Outcome.Told(Changes::withoutSuccess)),
          new Row(
              Dialect.META,
              SAME,
              "me would show a line end in the key",
              Features::showsLineEnd,
              line("CLIENT_ERROR the key contains a line end")),
          new Row(
              Dialect.META,
              SAME,
              "a key that would break the reply's line is not asked for",
              Features::breaksLines,
              new Outcome.As(Changes::withoutKey)),
          new Row(
              Dialect.META,
              SAME,
              "and is put at the reply's end",
              Features::breaksLines,
              new Outcome.Told(Changes::withKeyAtTheEnd)),

          // docs/reference/bridging.md, "Requests without an equivalent": refused
          new Row(
              Dialect.BINARY,
              META,
              "keys of more than 186 bytes that hold a control byte or a space",
              Features::needsLongBase64,
              badArguments("a key of more than 186 bytes that needs base64")),
          new Row(
              Dialect.BINARY,
              TEXT,
              "keys with a space, CR, LF or NUL",
              Features::hasNoTextKey,
              badArguments("this key in classic text")),
          new Row(
              Dialect.BINARY,
              TEXT,
              "Delete, Append, Prepend, Increment, Decrement with a cas",
              Features::comparesInVain,
              badArguments("this command with a cas in classic text")),
          new Row(
              Dialect.BINARY,
              TEXT,
              "counters with an initial value",
              Features::createsCounter,
              badArguments("a counter with an initial value in classic text")),
          new Row(Dialect.META, CLASSIC, "me", Features::isMe, line("ERROR")),
          new Row(
              Dialect.META,
              TEXT,
              "keys with a space, CR, LF or NUL",
              Features::hasNoTextKey,
              unsupported("this key in classic text")),
          new Row(
              Dialect.META,
              CLASSIC,
              "flags that only meta has",
              operation -> Features.onlyMeta(operation) != 0,
              new Outcome.Refused(Changes::unsupportedFlag)),
          new Row(
              Dialect.META,
              TEXT,
              "t, h, l of mg",
              Features::wantsMetaOfItem,
              unsupported("some of the requested item fields in classic text")),
          new Row(
              Dialect.META,
              BINARY,
              "t, h, l of mg",
              Features::wantsMetaOfItem,
              unsupported("some of the requested item fields in the binary protocol")),
          new Row(
              Dialect.META,
              BINARY,
              "cas 0, which compares nothing there",
              Features::comparesZero,
              unsupported("cas 0 in the binary protocol, where it means no comparison")),
          new Row(
              Dialect.TEXT,
              BINARY,
              "cas 0, which compares nothing there",
              Features::comparesZero,
              unsupported("cas 0 in the binary protocol, where it means no comparison")),
          new Row(
              Dialect.META,
              TEXT,
              "C but on ms without mode, with MR or with MS",
              Features::comparesInVain,
              unsupported("this command with a cas in classic text")),
          new Row(
              Dialect.META,
              TEXT,
              "N of ma",
              Features::createsCounter,
              unsupported("a counter with an initial value in classic text")),
          new Row(
              Dialect.META,
              TEXT,
              "T of ma",
              Features::touchesCounter,
              unsupported("the time to live of a counter in classic text")),
          new Row(
              Dialect.META,
              TEXT,
              "c but on reads",
              Features::wantsCasOfChange,
              unsupported("the cas unique of a change in classic text")),
          new Row(
              Dialect.META,
              TEXT,
              "t of ma, s of appends",
              Features::wantsSizeOrTime,
              unsupported("some of the requested item fields in classic text")),
          new Row(
              Dialect.META,
              BINARY,
              "t of ma, s of appends",
              Features::wantsSizeOrTime,
              unsupported("some of the requested item fields in the binary protocol")),
          new Row(
              Dialect.META,
              BINARY,
              "T of ma",
              Features::touchesCounter,
              unsupported("the time to live of a counter in the binary protocol")),

          // docs/reference/bridging.md, "Requests without an equivalent": lost
          new Row(
              Dialect.BINARY,
              META,
              "what is too large for the server deletes the old item, in whatever mode",
              Features::keepsItemThatIsTooLarge,
              new Outcome.As(Changes::asSet)),
          new Row(
              Dialect.BINARY,
              META,
              "and is answered as what it is",
              Features::keepsItemThatIsTooLarge,
              new Outcome.Told(Changes::withItsOpcode)),
          new Row(
              Dialect.TEXT,
              META,
              "what is too large for the server deletes the old item, in whatever mode",
              Features::keepsItemThatIsTooLarge,
              new Outcome.As(Changes::asSet)),
          new Row(
              Dialect.TEXT,
              BINARY,
              "a cas whose value is too large for the server deletes the old item",
              Features::setsTooLargeWithCas,
              new Outcome.As(Changes::asSet)),
          new Row(
              Dialect.BINARY,
              TEXT,
              "a Set with a cas whose value is too large for the server leaves the old item",
              Features::setsTooLargeWithCas,
              packet(0x03, "Too large.")),
          new Row(
              Dialect.META,
              TEXT,
              "what is too large for the server leaves the old item, but by a set",
              Features::addsOrComparesTooLargeByMeta,
              line("SERVER_ERROR object too large for cache")),
          new Row(
              Dialect.META,
              BINARY,
              "what is too large for the server leaves the old item, but by a set",
              Features::addsTooLargeByMeta,
              line("SERVER_ERROR object too large for cache")),
          new Row(
              Dialect.BINARY,
              LINES,
              "expiry after 2038 becomes never",
              Features::expiresAfter2038,
              new Outcome.As(Changes::neverExpiring)),
          new Row(
              Dialect.BINARY,
              TEXT,
              "the cas of a change is 0",
              Features::isChange,
              new Outcome.Told(Changes::withoutCas)),
          new Row(
              Dialect.BINARY,
              TEXT,
              "flags and cas of Touch are 0",
              Features::isTouch,
              new Outcome.Told(Changes::withoutFlagsAndCas)),
          new Row(
              Dialect.META,
              CLASSIC,
              "s of ms is told, as by meta servers from 1.6.20 on",
              Features::wantsSizeOfSet,
              new Outcome.Told(Changes::withSizeInItsPlace)),
          new Row(
              Dialect.META,
              CHANGED,
              "s of an append is not told",
              Features::wantsSizeOfAppend,
              new Outcome.Told(Changes::withoutSize)),
          new Row(
              Dialect.META,
              NEUTRAL,
              "k repeats the key as the client wrote it",
              Features::returnsKey,
              new Outcome.As(Changes::withoutKey)),
          new Row(
              Dialect.META,
              NEUTRAL,
              "and where it was asked for",
              Features::returnsKey,
              new Outcome.Told(Changes::withKeyInItsPlace)));

  /** Where a pool has several servers: docs/reference/memcached.md, "Commands without a key". */
  private static final List<Rule> OF_SEVERAL_SERVERS =
      List.of(
          new Rule(
              "statistics with a name are one server's",
              Features::isNamedStatisticsPacket,
              packet(0x84, "stats needs a route to one server")));

  /** docs/reference/values.md, "Differences from a pool without compression". */
  private static final Rule TOUCHED_FLAGS =
      new Rule(
          "flags of Touch lack the flag's bit",
          Features::isTouch,
          new Outcome.Told(Changes::withoutTheFlagsBit));

  private Bridging() {}

  /** The rules for a client before a pool. */
  static List<Rule> of(Pair pair) {
    boolean neutral = !pair.keepsValues() && pair.dialect().equals("same");
    String pool = neutral ? "changed" : pair.dialect();
    List<Rule> rules =
        new ArrayList<>(
            TABLE.stream()
                .filter(row -> row.client() == pair.client())
                .filter(row -> row.pools().contains(pool))
                .map(row -> new Rule(row.what(), row.applies(), row.outcome()))
                .toList());
    if (pair.isCompressed() && pair.client() == Dialect.BINARY) {
      rules.add(TOUCHED_FLAGS);
    }
    if (pair.servers() > 1 && pair.client() == Dialect.BINARY) {
      rules.addAll(0, OF_SEVERAL_SERVERS);
    }
    return rules;
  }
}
