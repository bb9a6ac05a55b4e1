package sluice.gateway.route;

import io.netty.buffer.ByteBuf;
import java.util.Set;
import sluice.codecs.memcached.text.TextLine;
import sluice.gateway.exchange.KeyRewrite;
import sluice.names.Command;
import sluice.names.Dialect;

/**
 * One rule of a route: what it matches, and what becomes of such a request. Immutable.
 *
 * <p>Commands and dialects are bit sets over ordinals, which live no longer than the process.
 */
public final class Rule {
  private static final int FIRST_META_FLAG = 2;

  private final byte[] prefix;
  private final long commands;
  private final int dialects;
  private final String client;
  private final byte[] token; // or null
  private final boolean stripsToken;
  private final int index;
  private final Action action;

  /**
   * A rule that matches keys with this prefix, these commands and these dialects; empty sets match
   * all.
   *
   * @param index which of its route's rules it is
   * @param client what the client's certificate must name; null for any client
   * @param token which token a meta request must have, letter included; null for any request
   * @param stripsToken whether that is left out on the way
   */
  public Rule(
      int index,
      byte[] prefix,
      Set<Command> commands,
      Set<Dialect> dialects,
      String client,
      byte[] token,
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

  /** Which of its route's rules it is. */
  public int index() {
    return index;
  }

  /** What becomes of its requests. */
  public Action action() {
    return action;
  }

  /** The index of its pool, or -1. */
  public int pool() {
    return action.pool();
  }

  /** How keys change on their way, or null. */
  public KeyRewrite rewrite() {
    return action.rewrite();
  }

  /** What such a request is refused with, or null. */
  public String reject() {
    return action.reject();
  }

  /** Whether it asks who the client is. */
  boolean asksForClient() {
    return client != null;
  }

  /** Whether it is for a client whose certificate names these. */
  boolean isFor(Set<String> names) {
    return client == null || names.contains(client);
  }

  /** The token of a meta request's line that is left out on the way, or -1. */
  public int strippedToken(TextLine line) {
    return stripsToken ? find(line) : -1;
  }

  private int find(TextLine line) {
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
   * @param line of a request in meta, which has tokens; null of any other
   */
  public boolean matches(
      Command command, Dialect dialect, ByteBuf key, int from, int to, TextLine line) {
    if ((commands & bit(command)) == 0 || (dialects & bit(dialect)) == 0) {
      return false;
    }
    if (token != null && (line == null || find(line) < 0)) {
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

  /** Whether it takes a command that has no key. */
  public boolean matchesKeyless(Command command, Dialect dialect) {
    return (commands & bit(command)) != 0 && (dialects & bit(dialect)) != 0;
  }
}
