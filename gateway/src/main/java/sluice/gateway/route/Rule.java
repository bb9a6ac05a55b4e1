package sluice.gateway.route;

import io.netty.buffer.ByteBuf;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.text.TextLine;
import sluice.gateway.request.KeyRewrite;
import sluice.names.Command;
import sluice.names.Dialect;

/**
 * Rule of a route: its conditions, and the action for matching requests. Immutable.
 *
 * <p>Commands and dialects are bit sets over ordinals, which have a meaning only in the running
 * process.
 */
public final class Rule {
  private static final int FIRST_META_FLAG = 2;

  private final byte[] prefix;
  private final long commands;
  private final int dialects;
  private final @Nullable String client;
  private final byte @Nullable [] token; // or null
  private final boolean stripsToken;
  private final int index;
  private final Action action;

  /**
   * A rule that matches keys with this prefix, these commands and these dialects; empty sets match
   * all.
   *
   * @param index of the rule in its route
   * @param client name required in the client's certificate; null for any client
   * @param token required in a meta request, letter included; null for any request
   * @param stripsToken whether that token is removed from forwarded requests
   */
  public Rule(
      int index,
      byte[] prefix,
      Set<Command> commands,
      Set<Dialect> dialects,
      @Nullable String client,
      byte @Nullable [] token,
      boolean stripsToken,
      Action action) {
    this.prefix = prefix.clone();
    this.commands = commands.isEmpty() ? -1 : commands.stream().mapToLong(Rule::bit).sum();
    this.dialects = dialects.isEmpty() ? -1 : dialects.stream().mapToInt(Rule::bit).sum();
    this.client = client;
    this.token = token == null ? null : token.clone();
    this.stripsToken = stripsToken;
    this.index = index;
    this.action = action;
  }

  @SuppressWarnings("EnumOrdinal")
  private static long bit(Command command) {
    return 1L << command.ordinal();
  }

  @SuppressWarnings("EnumOrdinal")
  private static int bit(Dialect dialect) {
    return 1 << dialect.ordinal();
  }

  /** The index of the rule in its route. */
  public int index() {
    return index;
  }

  /** The action for matching requests. */
  public Action action() {
    return action;
  }

  /** The index of its pool, or -1. */
  public int pool() {
    return action.pool();
  }

  /** How keys change on their way, or null. */
  public @Nullable KeyRewrite rewrite() {
    return action.rewrite();
  }

  /** The error text for refused requests, or null. */
  public @Nullable String reject() {
    return action.reject();
  }

  /** Whether it requires a name in the client's certificate. */
  boolean asksForClient() {
    return client != null;
  }

  /** Whether it applies to a client whose certificate has these names. */
  boolean isFor(Set<String> names) {
    return client == null || names.contains(client);
  }

  /** The token that is removed from a meta request's line, or -1. */
  public int strippedToken(TextLine line) {
    return stripsToken && token != null ? find(line, token) : -1;
  }

  private static int find(TextLine line, byte[] token) {
    ByteBuf in = line.buffer();
    for (int i = FIRST_META_FLAG; i < line.count(); i++) {
      if (line.length(i) == token.length && startsWith(in, line.start(i), token)) {
        return i;
      }
    }
    return -1;
  }

  /**
   * Whether it matches a request with the key [from, to). Borrows key.
   *
   * @param line of a meta request, which has tokens; null for any other
   */
  public boolean matches(
      Command command, Dialect dialect, ByteBuf key, int from, int to, @Nullable TextLine line) {
    if ((commands & bit(command)) == 0 || (dialects & bit(dialect)) == 0) {
      return false;
    }
    if (token != null && (line == null || find(line, token) < 0)) {
      return false;
    }
    return to - from >= prefix.length && startsWith(key, from, prefix);
  }

  private static boolean startsWith(ByteBuf in, int from, byte[] bytes) {
    for (int i = 0; i < bytes.length; i++) {
      if (in.getByte(from + i) != bytes[i]) {
        return false;
      }
    }
    return true;
  }

  /** Whether it matches any key's requests, if their command and dialect are among its own. */
  boolean matchesEveryKey() {
    return prefix.length == 0 && token == null;
  }

  /** Whether it matches a command that has no key. */
  public boolean matchesKeyless(Command command, Dialect dialect) {
    return (commands & bit(command)) != 0 && (dialects & bit(dialect)) != 0;
  }
}
