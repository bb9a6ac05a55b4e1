package sluice.gateway.client.text.request;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.text.KeyedLine;
import sluice.codecs.memcached.text.KeylessLine;
import sluice.codecs.memcached.text.MetaLine;
import sluice.codecs.memcached.text.StorageLine;
import sluice.codecs.memcached.text.TextCommands;
import sluice.codecs.memcached.text.TextLine;
import sluice.gateway.client.ConnectedClient;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.dispatch.RequestPhase;
import sluice.gateway.listener.ListenerView;
import sluice.gateway.loop.Loop;
import sluice.gateway.request.KeyRewrite;
import sluice.gateway.request.Suppression;
import sluice.gateway.route.Rule;
import sluice.names.Command;
import sluice.names.Dialect;

/**
 * Text-protocol request while it is being handled: its client, its line as tokens, their parsed
 * values, its key and rule, and its {@linkplain RequestPhase phase}. Its client owns it until it is
 * handed over, so that a request that waited continues at its phase. Pooled by {@link
 * TextRequestPool}; belongs to one event loop. Borrows the buffer of its line.
 */
public final class TextRequest {
  /** Approximate bytes of heap that one takes with a line of few tokens. */
  private static final int BYTES = 800;

  private static final int BYTES_A_TOKEN = 2 * Integer.BYTES;

  public final TextLine line = new TextLine();
  public final KeyedLine keyed = new KeyedLine();
  public final StorageLine storage = new StorageLine();
  public final MetaLine meta = new MetaLine();
  public final KeylessLine keyless = new KeylessLine();
  public final TextKey key;
  public final MetaEdit edit;

  @SuppressWarnings("NullAway.Init") // read sets it; in the pool there is none
  private RequestReader reader;

  private RequestPhase phase = RequestPhase.SENT;
  private Command command = Command.UNKNOWN;
  private ServerVersion version = ServerVersion.UNKNOWN; // whose reading of the line was followed
  private int from;
  private int next;
  private boolean cut; // at a NUL: what follows is not part of the request
  private @Nullable Rule rule;
  private @Nullable RequestContext canonical; // null unless its backend takes the canonical form
  private @Nullable Backend canonicalFor;
  private @Nullable ServerVersion canonicalAs;
  private long counted; // bytes of heap

  public TextRequest(Loop loop) {
    key = new TextKey(loop);
    edit = new MetaEdit(line, meta, key);
  }

  // --- its line ---------------------------------------------------------------------------------

  /**
   * Reads the line [from, next) of buffer, including its line end, as the first server of its
   * client's listener does. Borrows buffer, which {@link #moved} replaces.
   *
   * @param by the reader that found it
   */
  TextRequest read(RequestReader by, ByteBuf buffer, int from, int next) {
    phase = phase.to(RequestPhase.PARSED);
    this.from = from;
    this.next = next;
    reader = by;
    version = by.listenerView().version();
    line.wrapWithEnd(buffer, from, next);
    cut = false;
    boolean proxy = version.readsLinesAsProxy();
    boolean indented = proxy && buffer.getByte(from) == ' ';
    command = TextCommands.of(line);
    if (indented && !isFoundIndented()) {
      command = Command.UNKNOWN;
    }
    // While the version is unknown, a storage line stays whole: its data block has to be found.
    if (line.hasNul() && !proxy && (version.isKnown() || !isStorage())) {
      line.cutAtNul();
      cut = true;
      command = TextCommands.of(line);
    }
    return this;
  }

  /**
   * Whether its line ended at a NUL, for servers before 1.6.40. Its bytes must not be handed to
   * another server then, which would read what follows the NUL.
   */
  public boolean isCut() {
    return cut;
  }

  /**
   * Becomes a read of some of a longer line's keys: its line is {@code [from, prefix)} of buffer,
   * and the keys follow. The line was admitted as a whole. Borrows buffer.
   *
   * @param by the reader that found the longer line
   */
  TextRequest readPart(RequestReader by, Command of, ByteBuf buffer, int from, int prefix) {
    phase = phase.to(RequestPhase.PARSED).to(RequestPhase.ADMITTED);
    this.from = from;
    next = prefix;
    reader = by;
    cut = false;
    version = ServerVersion.UNKNOWN;
    command = of;
    line.wrap(buffer, from, prefix);
    return this;
  }

  /**
   * Its bytes were moved to another buffer, {@code by} behind their former index. Borrows moved.
   */
  public void moved(ByteBuf moved, int by) {
    ByteBuf old = line.buffer();
    from += by;
    next += by;
    line.moved(moved, by);
    key.moved(old, moved, by);
    if (canonical != null) {
      canonical.request().moved(old, moved, by);
    }
  }

  /** The reader that found it, until it is finished. */
  public RequestReader reader() {
    return reader;
  }

  /** The client that has sent it, until it is finished. */
  public ConnectedClient client() {
    return reader.client();
  }

  /** The listener of its client. */
  public ListenerView listenerView() {
    return reader.listenerView();
  }

  public Command command() {
    return command;
  }

  /** The dialect that the command belongs to. */
  public Dialect dialect() {
    return isMeta() ? Dialect.META : Dialect.TEXT;
  }

  public boolean isMeta() {
    return switch (command) {
      case MG, MS, MD, MA, MN, ME -> true;
      default -> false;
    };
  }

  /** Whether its line has flags that rules may match. */
  private boolean hasTokens() {
    return switch (command) {
      case MG, MS, MD, MA -> true;
      default -> false;
    };
  }

  /** Whether it reads values and sets their time to live. */
  public boolean isTouchingRead() {
    return command == Command.GAT || command == Command.GATS;
  }

  /** The token with the key, or with the first of several. */
  public int firstKey() {
    return isTouchingRead() ? 2 : 1;
  }

  /** Whether some of the kept keys of a read are too long. */
  public boolean hasLongKey() {
    for (int token = firstKey(); token < line.count(); token++) {
      if (line.length(token) > TextKey.MOST_BYTES) {
        return true;
      }
    }
    return false;
  }

  /** Whether a read's line may be forwarded unchanged: servers close connections for long ones. */
  public boolean isReadToForward() {
    if (isTouchingRead()) { // its exptime was read
      return keyed.isCanonical() && length() <= RequestLine.MAX_SENT;
    }
    return line.isRegular();
  }

  /** Whether items stay the same. The flags of an mg must have been parsed. */
  public boolean leavesItems() {
    return switch (command) {
      case GET, GETS, ME -> true;
      case MG -> meta.leavesItem();
      default -> false;
    };
  }

  /** The version whose reading of the line was followed. */
  public ServerVersion version() {
    return version;
  }

  /** The buffer of the line. */
  public ByteBuf buffer() {
    return line.buffer();
  }

  /** Index where the line begins. */
  public int from() {
    return from;
  }

  /**
   * Index where the line ends, including its line end: where its data block begins, if it has one.
   */
  public int next() {
    return next;
  }

  /** Length of the line with its line end. */
  public int length() {
    return next - from;
  }

  /** Whether a data block of that length is behind the line. */
  public boolean hasBlock(int length) {
    return buffer().writerIndex() - next >= length;
  }

  /** Whether the data block of that length, which is behind the line, ends with a line end. */
  public boolean endsBlock(int length) {
    return buffer().getShort(next + length - 2) == ('\r' << 8 | '\n');
  }

  /** The most bytes of the rewritten line. */
  public int lengthWritten() {
    KeyRewrite rewrite = key.rewrite();
    return length() + RequestLine.SPARE + (rewrite == null ? 0 : 2 * rewrite.mostAdded());
  }

  /** The reply suppression. The reader of its command must have parsed it. */
  public Suppression suppression() {
    return switch (command) {
      case MG, MS, MD, MA -> metaSuppression();
      case DELETE, INCR, DECR, TOUCH -> keyed.noreply() ? Suppression.ALL : Suppression.NOTHING;
      case SET, ADD, REPLACE, APPEND, PREPEND, CAS ->
          storage.noreply() ? Suppression.ALL : Suppression.NOTHING;
      default -> Suppression.NOTHING;
    };
  }

  /**
   * Whether servers from 1.6.40 on know the command also behind spaces: they look for these by the
   * first token, and for the others at the beginning of the line.
   */
  private boolean isFoundIndented() {
    return switch (command) {
      case FLUSH_ALL, VERBOSITY, CACHE_MEMLIMIT, SLABS, LRU, LRU_CRAWLER -> true;
      case EXTSTORE, REFRESH_CERTS, SHUTDOWN -> true;
      default -> false;
    };
  }

  private boolean isStorage() {
    return switch (command) {
      case SET, ADD, REPLACE, APPEND, PREPEND, CAS, MS -> true;
      default -> false;
    };
  }

  /** The reply suppression of the quiet flag. */
  private Suppression metaSuppression() {
    if (!meta.isClean() || meta.quiet() < 0) {
      return Suppression.NOTHING;
    }
    return command == Command.MG ? Suppression.MISS : Suppression.SUCCESS;
  }

  // --- its way ----------------------------------------------------------------------------------

  public RequestPhase phase() {
    return phase;
  }

  /** Whether its line is parsed, and nothing else was done. */
  public boolean isNew() {
    return phase == RequestPhase.PARSED;
  }

  /** Whether it may be sent, as soon as its connection is there. */
  public boolean isAdmitted() {
    return phase == RequestPhase.ADMITTED || phase == RequestPhase.WAITING;
  }

  /** Sets the rule for its key; null if there is none. */
  public void routed(@Nullable Rule found) {
    phase = phase.to(RequestPhase.ROUTED);
    rule = found;
  }

  /** Makes one of its several keys the current one, with that rule; null if there is none. */
  public void routedOne(@Nullable Rule found) {
    rule = found;
  }

  /** The rule for its current key; null if there is none. */
  public @Nullable Rule rule() {
    return rule;
  }

  /** The tokens that rules match besides the key; null if it has none. */
  public @Nullable TextLine tokensForRules() {
    return hasTokens() ? line : null;
  }

  /** The token of a meta line that must be removed, or -1. */
  public int strippedToken() {
    return rule == null ? -1 : rule.strippedToken(line);
  }

  /** Sets that it may be sent. */
  public void admitted() {
    phase = phase.to(RequestPhase.ADMITTED);
  }

  /** Its client is paused until the missing connection or reply is there. */
  public void waits() {
    phase = phase.to(RequestPhase.WAITING);
  }

  // --- in canonical form ------------------------------------------------------------------------

  /** It has a canonical form for a backend, read as version does. Owned from now on. */
  public void canonical(RequestContext context, Backend backend, ServerVersion as) {
    canonical = context;
    canonicalFor = backend;
    canonicalAs = as;
  }

  /** Its canonical form for a backend, read as version does; null if it has none. Borrowed. */
  public @Nullable RequestContext canonical(Backend backend, ServerVersion as) {
    return canonicalFor == backend && as.equals(canonicalAs) ? canonical : null;
  }

  /** Takes its canonical form out; null if there is none. The caller releases it. */
  public @Nullable RequestContext takeCanonical() {
    RequestContext taken = canonical;
    canonical = null;
    canonicalFor = null;
    canonicalAs = null;
    return taken;
  }

  // --- memory -----------------------------------------------------------------------------------

  /** Bytes of heap that it takes more than when this was last asked. */
  public long growth() {
    long bytes = BYTES + (long) BYTES_A_TOKEN * line.capacity();
    long growth = bytes - counted;
    counted = bytes;
    return growth;
  }

  /** Bytes of heap that it took when it was last asked for its {@link #growth}. */
  public long counted() {
    return counted;
  }

  /** It is handed over or answered: nothing of its line is referred to. */
  void clear() {
    leaveReader();
    phase = phase.to(RequestPhase.SENT);
    rule = null;
    key.clear();
  }

  @SuppressWarnings("NullAway") // only a request in the pool has none
  private void leaveReader() {
    reader = null;
  }

  /** Releases what is kept for the next request. */
  public void close() {
    key.close();
  }
}
