package sluice.gateway.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What each pair of dialects cannot map: docs/bridging.md and docs/memcached.md as a table. All
 * that is not in it is answered and executed as memcached does.
 */
final class Bridging {
  private static final Set<String> META_REPLIES = Set.of("HD", "VA", "EN", "NF", "NS", "EX");

  private static final String BOGUS = "stats bogus";

  private Bridging() {}

  /** The rows for a client of this dialect before a pool of that one. */
  static List<Rule> of(Pair pair) {
    List<Rule> rules = new ArrayList<>();
    if (pair.servers() > 1) {
      rules.addAll(ofSeveralServers());
    }
    switch (pair.client()) {
      case TEXT -> {
        // every line as memcached
      }
      case META -> rules.addAll(ofMetaLines());
      case BINARY -> rules.addAll(ofPackets());
    }
    return rules;
  }

  private static List<Rule> ofSeveralServers() {
    return List.of(
        new Rule(
            "statistics with a name are one server's",
            operation -> operation instanceof LineOperation line && line.line().equals(BOGUS),
            refused("CLIENT_ERROR stats needs a route to one server")),
        new Rule(
            "statistics with a name are one server's",
            operation ->
                operation instanceof PacketOperation packet
                    && packet.opcode() == Opcode.STAT
                    && packet.key().raw().equals("bogus"),
            refused(0x84, "stats needs a route to one server")));
  }

  private static List<Rule> ofMetaLines() {
    return List.of(
        new Rule(
            "me would show a line end in the key",
            operation ->
                operation.command().equals("me")
                    && operation.keys().get(0).raw().contains("\n")
                    && operation.keys().get(0).base64(),
            refused("CLIENT_ERROR the key holds a line end")),
        new Rule(
            "a quiet counter that N creates is hidden, as newer servers do",
            operation ->
                operation instanceof LineOperation line
                    && line.command().equals("ma")
                    && line.has('N')
                    && line.has('q'),
            new Outcome.Told(Bridging::withoutSuccess)),
        new Rule(
            "a key that would break the reply's line is not asked for",
            Bridging::breaksLines,
            new Outcome.As(Bridging::withoutKey)),
        new Rule(
            "and is put at the reply's end",
            Bridging::breaksLines,
            new Outcome.Told(Bridging::withKeyAtTheEnd)));
  }

  private static List<Rule> ofPackets() {
    return List.of(
        new Rule(
            "memcached takes what follows VERBOSITY for its extras a second time",
            opcodes(Opcode.VERBOSITY),
            refused(0x81, "Unknown command")));
  }

  private static boolean breaksLines(Operation operation) {
    return operation instanceof LineOperation line
        && line.has('k')
        && operation.keys().stream()
            .anyMatch(key -> key.raw().contains("\n") || key.raw().contains(" O"));
  }

  private static Operation withoutKey(Operation operation) {
    LineOperation line = (LineOperation) operation;
    return line.withLine((line.line() + ' ').replace(" k ", " ").stripTrailing());
  }

  private static List<Unit> withoutSuccess(Operation operation, List<Unit> reply) {
    return reply.stream()
        .filter(unit -> !unit.text().startsWith("HD") && !unit.text().startsWith("VA"))
        .toList();
  }

  private static List<Unit> withKeyAtTheEnd(Operation operation, List<Unit> reply) {
    String key = " k" + operation.keys().get(0).token() + " b";
    return reply.stream()
        .map(
            unit ->
                META_REPLIES.contains(unit.text().split(" ")[0])
                    ? unit.withText(unit.text() + key)
                    : unit)
        .toList();
  }

  private static Predicate<Operation> opcodes(Opcode... opcodes) {
    Set<Opcode> set = Set.of(opcodes);
    return operation ->
        operation instanceof PacketOperation packet && set.contains(packet.opcode());
  }

  private static Outcome.Refused refused(String line) {
    return new Outcome.Refused(operation -> List.of(Unit.of(line)));
  }

  private static Outcome.Refused refused(int status, String text) {
    return new Outcome.Refused(
        operation -> List.of(error((PacketOperation) operation, status, text)));
  }

  private static Unit error(PacketOperation operation, int status, String text) {
    int code = operation.isQuiet() ? operation.opcode().quiet : operation.opcode().loud;
    String head =
        Unit.opaqueText(operation.opaque())
            + String.format(" magic 81 opcode %02x type 00 status %04x extras  key ", code, status);
    return new Unit(head, text, List.of(0L), List.of());
  }
}
