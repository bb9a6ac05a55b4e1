package sluice.gateway.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** What rules do to operations and replies. */
final class Changes {
  private static final String UNSUPPORTED = "CLIENT_ERROR unsupported: ";
  private static final Pattern FLAGS = Pattern.compile("extras ([0-9a-f]{8}) ");
  private static final Set<String> STORAGE_CODES = Set.of("HD", "NS", "EX", "NF");
  private static final Set<String> META_REPLIES = Set.of("HD", "VA", "EN", "NF", "NS", "EX");

  private Changes() {}

  // --- refusals -----------------------------------------------------------------------------

  static Outcome line(String text) {
    return new Outcome.Refused(operation -> List.of(Unit.of(text)));
  }

  static Outcome unsupported(String what) {
    return line(UNSUPPORTED + what);
  }

  static Outcome packet(int status, String text) {
    return new Outcome.Refused(
        operation -> List.of(error((PacketOperation) operation, status, text)));
  }

  static Outcome badArguments(String what) {
    return packet(0x04, UNSUPPORTED + what);
  }

  static List<Unit> unsupportedFlag(Operation operation) {
    char flag = Features.onlyMeta(operation);
    return List.of(Unit.of(UNSUPPORTED + "meta flag " + flag + " in the servers' dialect"));
  }

  private static Unit error(PacketOperation operation, int status, String text) {
    int code = operation.isQuiet() ? operation.opcode().quiet : operation.opcode().loud;
    String head =
        Unit.opaqueText(operation.opaque())
            + String.format(" magic 81 opcode %02x type 00 status %04x extras  key ", code, status);
    return new Unit(head, text, List.of(0L), List.of());
  }

  // --- what is lost on the way to the servers -----------------------------------------------

  static Operation withoutKey(Operation operation) {
    LineOperation line = (LineOperation) operation;
    return line.withLine((line.line() + ' ').replace(" k ", " ").stripTrailing());
  }

  static Operation neverExpiring(Operation operation) {
    PacketOperation packet = (PacketOperation) operation;
    PacketOperation.Extras extras = packet.extras();
    return packet.with(
        new PacketOperation.Extras(extras.flags(), 0, extras.delta(), extras.initial()));
  }

  /** A set of the same: one that is refused for its size still deletes the old item. */
  static Operation asSet(Operation operation) {
    if (operation instanceof PacketOperation packet) {
      return packet.with(Opcode.SET);
    }
    LineOperation line = (LineOperation) operation;
    return line.withLine(
        line.line()
            .replaceFirst("^[a-z]+", "set")
            .replace(' ' + LineOperation.CAS, "")); // and noreply, where it is one
  }

  // --- what is lost on the way to the client ------------------------------------------------

  static List<Unit> withoutSuccess(Operation operation, List<Unit> reply) {
    return reply.stream()
        .filter(unit -> !unit.text().startsWith("HD") && !unit.text().startsWith("VA"))
        .toList();
  }

  /** Flags without 0x10000, the default of {@code compression.flag}. */
  static List<Unit> withoutTheFlagsBit(Operation operation, List<Unit> reply) {
    return reply.stream()
        .map(unit -> unit.withText(FLAGS.matcher(unit.text()).replaceFirst(Changes::withoutBit)))
        .toList();
  }

  private static String withoutBit(MatchResult flags) {
    long without = Long.parseLong(flags.group(1), 16) & ~0x1_0000L;
    return String.format("extras %08x ", without);
  }

  /** The opcode that was sent, where {@link #asSet} stood in for it. */
  static List<Unit> withItsOpcode(Operation operation, List<Unit> reply) {
    PacketOperation packet = (PacketOperation) operation;
    int code = packet.isQuiet() ? packet.opcode().quiet : packet.opcode().loud;
    String opcode = String.format(" opcode %02x ", code);
    return reply.stream()
        .map(unit -> unit.withText(unit.text().replaceFirst(" opcode (01|11) ", opcode)))
        .toList();
  }

  static List<Unit> withoutCas(Operation operation, List<Unit> reply) {
    return reply.stream()
        .map(unit -> new Unit(unit.text(), unit.data(), List.of(0L), unit.times()))
        .toList();
  }

  static List<Unit> withoutFlagsAndCas(Operation operation, List<Unit> reply) {
    return withoutCas(operation, reply).stream()
        .map(
            unit ->
                unit.withText(unit.text().replaceFirst("extras [0-9a-f]{8} ", "extras 00000000 ")))
        .toList();
  }

  static List<Unit> withKeyAtTheEnd(Operation operation, List<Unit> reply) {
    return reply.stream()
        .map(unit -> isMeta(unit) ? unit.withText(unit.text() + ' ' + key(operation)) : unit)
        .toList();
  }

  /** Flags of a reply stand in the order of the request. The server may treat k as it likes. */
  static List<Unit> withKeyInItsPlace(Operation operation, List<Unit> reply) {
    return reply.stream()
        .map(unit -> isMeta(unit) ? with("k", key(operation), operation, unit) : unit)
        .toList();
  }

  /** Whether it is a reply to ms that is no error. */
  private static boolean ofStorage(Unit unit) {
    return STORAGE_CODES.stream().anyMatch(unit.text()::startsWith);
  }

  /** The size of a value, which memcached tells from 1.6.20 on, whether it was stored or not. */
  static List<Unit> withSizeInItsPlace(Operation operation, List<Unit> reply) {
    String size = "s" + operation.value().length();
    return reply.stream()
        .map(unit -> ofStorage(unit) ? with("s", size, operation, unit) : unit)
        .toList();
  }

  static List<Unit> withoutSize(Operation operation, List<Unit> reply) {
    return reply.stream()
        .map(unit -> isMeta(unit) ? unit.withText(unit.text().replaceFirst(" s[0-9]+", "")) : unit)
        .toList();
  }

  private static Unit with(String flag, String answer, Operation operation, Unit unit) {
    List<String> flags = ((LineOperation) operation).flags();
    List<String> before = flags.subList(0, flags.indexOf(flag));
    List<String> tokens = new ArrayList<>(List.of(unit.text().split(" ")));
    int place = tokens.get(0).equals("VA") ? 2 : 1;
    while (place < tokens.size() && isAnswerToOne(tokens.get(place), before)) {
      place++;
    }
    tokens.add(place, answer);
    return unit.withText(String.join(" ", tokens));
  }

  private static boolean isAnswerToOne(String token, List<String> flags) {
    return flags.stream().anyMatch(flag -> flag.charAt(0) == token.charAt(0));
  }

  private static String key(Operation operation) {
    Key key = operation.keys().get(0);
    return 'k' + key.token() + (key.base64() ? " b" : "");
  }

  private static boolean isMeta(Unit unit) {
    return META_REPLIES.contains(unit.text().split(" ")[0]);
  }
}
