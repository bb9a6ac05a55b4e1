package sluice.gateway.route;

import io.netty.buffer.ByteBuf;
import java.util.Set;
import sluice.codecs.memcached.Command;
import sluice.config.Dialect;
import sluice.gateway.exchange.KeyRewrite;

/**
 * One rule of a route: what it matches, and what becomes of such a request. Immutable.
 *
 * <p>Commands and dialects are bit sets over ordinals, which live no longer than the process.
 */
public final class Rule {
  private final byte[] prefix;
  private final long commands;
  private final int dialects;
  private final String client;
  private final int index;
  private final Action action;

  /**
   * A rule that matches keys with this prefix, these commands and these dialects; empty sets match
   * all.
   *
   * @param index which of its route's rules it is
   * @param client what the client's certificate must name; null for any client
   */
  public Rule(
      int index,
      byte[] prefix,
      Set<Command> commands,
      Set<Dialect> dialects,
      String client,
      Action action) {
    this.prefix = prefix.clone();
    this.commands = commands.isEmpty() ? -1 : commands.stream().mapToLong(Rule::bit).sum();
    this.dialects = dialects.isEmpty() ? -1 : dialects.stream().mapToInt(Rule::bit).sum();
    this.client = client;
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

  /** Whether it matches a request with the key [from, to). Borrows key. */
  public boolean matches(Command command, Dialect dialect, ByteBuf key, int from, int to) {
    if ((commands & bit(command)) == 0 || (dialects & bit(dialect)) == 0) {
      return false;
    }
    if (to - from < prefix.length) {
      return false;
    }
    for (int i = 0; i < prefix.length; i++) {
      if (key.getByte(from + i) != prefix[i]) {
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
