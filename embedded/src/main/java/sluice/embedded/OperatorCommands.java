package sluice.embedded;

import java.util.List;
import java.util.regex.Pattern;
import sluice.codecs.memcached.text.TextLine;

/** Text commands for operators, and commands without a key; none is on the data path. */
final class OperatorCommands {
  private static final long MIN_MEGABYTES = 8;
  private static final long MAX_MEGABYTES = 1_000_000_000;
  private static final int MAX_VERBOSITY = 3;
  private static final Pattern DECIMAL = Pattern.compile("[+-]?\\d{1,9}(\\.\\d{0,9})?");
  private static final List<String> WATCHERS =
      List.of(
          "rawcmds",
          "evictions",
          "fetchers",
          "mutations",
          "sysevents",
          "connevents",
          "proxyreqs",
          "proxyevents",
          "proxyuser",
          "deletions");
  private static final String BAD_FORMAT = "CLIENT_ERROR bad command line format";

  private final TextRequest request;
  private final EmbeddedStore store;
  private final Settings settings;
  private final Statistics statistics;

  OperatorCommands(TextRequest request, Statistics statistics) {
    this.request = request;
    store = request.store;
    settings = request.settings;
    this.statistics = statistics;
  }

  /** Executes a command; returns false if it is none of these. */
  boolean execute(int from) {
    TextLine line = request.line;
    if (line.count() == 0) {
      return false;
    }
    return (line.start(0) == from && executeAtStart()) || executeAnywhere();
  }

  /** Executes commands that must be the line's first bytes, and have no noreply. */
  private boolean executeAtStart() {
    switch (request.line.string(0)) {
      case "version" -> request.out.writeBytes(TextReply.VERSION);
      case "quit" -> request.close = true;
      case "stats" -> stats();
      case "watch" -> request.reply(watch());
      default -> {
        return false;
      }
    }
    return true;
  }

  private boolean executeAnywhere() {
    int last = request.tokens() - 1;
    request.noreply = request.line.is(last, "noreply");
    switch (request.line.string(0)) {
      case "flush_all" -> flushAll();
      case "verbosity" -> verbosity();
      case "shutdown" -> request.reply("SERVER_ERROR: shutdown not enabled");
      case "cache_memlimit" -> memoryLimit();
      case "slabs" -> slabs();
      case "lru" -> request.reply(lru());
      case "lru_crawler" -> new CrawlerCommand(request).execute();
      case "extstore" -> request.reply(extstore() ? "OK" : "ERROR");
      case "refresh_certs" -> request.out.writeBytes(TextReply.line("Error TLS not enabled"));
      default -> {
        return false;
      }
    }
    return true;
  }

  /**
   * Whether a token is the beginning of a word, which is how memcached recognises most subcommands.
   */
  static boolean abbreviates(TextLine line, int token, String word) {
    return token < line.count() && word.startsWith(line.string(token));
  }

  /** There is no stream of log lines: the reply is that of a server started with -W. */
  private String watch() {
    for (int token = 1; token < request.tokens(); token++) {
      String name = request.line.string(token);
      if (WATCHERS.stream().noneMatch(watcher -> watcher.startsWith(name))) {
        return "ERROR";
      }
    }
    return "CLIENT_ERROR watch commands not allowed";
  }

  private void flushAll() {
    store.count(Counter.CMD_FLUSH);
    long delay = 0;
    if (request.tokens() != (request.noreply ? 2 : 1)) {
      delay = request.signed32(1);
      if (delay == Numbers.INVALID) {
        request.reply(TextReply.BAD_EXPTIME);
        return;
      }
    }
    store.flush(delay, request.now);
    request.reply(TextReply.OK);
  }

  private void verbosity() {
    long level = request.unsigned32(1);
    if (level == Numbers.INVALID) {
      request.reply(TextReply.BAD_FORMAT);
      return;
    }
    settings.verbosity = (int) Math.min(level, MAX_VERBOSITY);
    request.reply(TextReply.OK);
  }

  private void memoryLimit() {
    long megabytes = request.unsigned32(1);
    if (megabytes == Numbers.INVALID) {
      request.reply(TextReply.ERROR);
    } else if (megabytes < MIN_MEGABYTES) {
      request.reply("MEMLIMIT_TOO_SMALL cannot set maxbytes to less than 8m");
    } else if (megabytes > MAX_MEGABYTES) {
      request.reply("MEMLIMIT_ADJUST_FAILED input value is megabytes not bytes");
    } else {
      store.resize(megabytes * 1024 * 1024);
      request.reply(TextReply.OK);
    }
  }

  // ---- stats

  private void stats() {
    TextLine line = request.line;
    Statistics.Sink sink =
        (name, value) -> request.out.writeBytes(TextReply.line("STAT " + name + " " + value));
    if (request.tokens() == 1) {
      statistics.general(sink);
    } else if (abbreviates(line, 1, "reset")) {
      store.resetCounters();
      request.out.writeBytes(TextReply.RESET);
      return;
    } else if (abbreviates(line, 1, "detail")) {
      detail();
      return;
    } else if (abbreviates(line, 1, "settings")) {
      statistics.settings(sink);
    } else if (abbreviates(line, 1, "cachedump")) {
      cachedump();
      return;
    } else if (!abbreviates(line, 1, "conns")
        && !abbreviates(line, 1, "extstore")
        && !statistics.named(line.string(1), sink)) {
      request.out.writeBytes(TextReply.ERROR);
      return;
    }
    request.out.writeBytes(TextReply.END);
  }

  private void detail() {
    TextLine line = request.line;
    if (abbreviates(line, 2, "on")) {
      settings.detailEnabled = true;
      request.reply(TextReply.OK);
    } else if (abbreviates(line, 2, "off")) {
      settings.detailEnabled = false;
      request.reply(TextReply.OK);
    } else if (abbreviates(line, 2, "dump")) {
      request.out.writeBytes(TextReply.ascii(settings.prefixes.dump()));
      request.out.writeBytes(TextReply.END);
    } else {
      request.reply("CLIENT_ERROR usage: stats detail on|off|dump");
    }
  }

  private void cachedump() {
    if (request.tokens() < 4) {
      request.reply("CLIENT_ERROR bad command line");
      return;
    }
    long slabClass = request.unsigned32(2);
    long limit = request.unsigned32(3);
    if (slabClass == Numbers.INVALID || limit == Numbers.INVALID) {
      request.reply(TextReply.BAD_FORMAT);
    } else if (slabClass >= ItemSize.MAX_CLASSES) {
      request.reply("CLIENT_ERROR Illegal slab id");
    } else {
      new Dump(store, request.now, request.out).cachedump((int) slabClass, limit);
    }
  }

  // ---- memory management of memcached, which this store does not have

  private void slabs() {
    TextLine line = request.line;
    if (request.tokens() == 4 && abbreviates(line, 1, "reassign")) {
      request.reply(reassign(request.signed32(2), request.signed32(3)));
    } else if (request.tokens() >= 3 && abbreviates(line, 1, "automove")) {
      request.reply(automove());
    } else {
      request.reply(TextReply.ERROR);
    }
  }

  private static String reassign(long from, long to) {
    if (from == Numbers.INVALID || to == Numbers.INVALID) {
      return BAD_FORMAT;
    }
    if (from == to) {
      return "SAME src and dst class are identical";
    }
    if (from < -1 || from > ItemSize.classes() || to < 0 || to > ItemSize.classes()) {
      return "BADCLASS invalid src or dst class id";
    }
    return "NOSPARE source class has no spare pages";
  }

  private String automove() {
    TextLine line = request.line;
    if (abbreviates(line, 2, "ratio") || abbreviates(line, 2, "freeratio")) {
      return isDecimal(3) ? "OK" : "ERROR";
    }
    if (abbreviates(line, 2, "window")) {
      long window = request.unsigned32(3);
      if (window == Numbers.INVALID) {
        return BAD_FORMAT;
      }
      return window < 3 || window > 1800
          ? "CLIENT_ERROR automove window too low or too high"
          : "OK";
    }
    long level = request.unsigned32(2);
    if (level == Numbers.INVALID) {
      return BAD_FORMAT;
    }
    if (level > 2) {
      return "ERROR";
    }
    settings.slabAutomove = (int) level;
    return "OK";
  }

  private String lru() {
    TextLine line = request.line;
    if (request.tokens() >= 6 && abbreviates(line, 1, "tune")) {
      return tune();
    }
    if (request.tokens() >= 3 && abbreviates(line, 1, "mode")) {
      if (!abbreviates(line, 2, "flat") && !abbreviates(line, 2, "segmented")) {
        return "ERROR";
      }
      settings.lruSegmented = abbreviates(line, 2, "segmented");
      return "OK";
    }
    if (request.tokens() >= 3 && abbreviates(line, 1, "temp_ttl")) {
      long ttl = request.signed32(2);
      if (ttl == Numbers.INVALID) {
        return "ERROR";
      }
      settings.temporaryLru = ttl >= 0;
      settings.temporaryTtlSeconds = ttl >= 0 ? ttl : settings.temporaryTtlSeconds;
      return "OK";
    }
    return "ERROR";
  }

  private String tune() {
    long hot = request.unsigned32(2);
    long warm = request.unsigned32(3);
    if (hot == Numbers.INVALID || warm == Numbers.INVALID || !isDecimal(4) || !isDecimal(5)) {
      return "ERROR";
    }
    if (hot + warm > 80) {
      return "ERROR hot and warm pcts must not exceed 80";
    }
    if (decimal(4) <= 0 || decimal(5) <= 0) {
      return "ERROR hot/warm age factors must be greater than 0";
    }
    settings.hotLruPercent = hot;
    settings.warmLruPercent = warm;
    return "OK";
  }

  private boolean isDecimal(int token) {
    return token < request.tokens() && DECIMAL.matcher(request.line.string(token)).matches();
  }

  private double decimal(int token) {
    return Double.parseDouble(request.line.string(token));
  }

  /** Checks settings of external storage as memcached does, but has no effect. */
  private boolean extstore() {
    if (request.tokens() < 3) {
      return false;
    }
    return switch (request.line.string(1)) {
      case "item_size",
          "item_age",
          "low_ttl",
          "recache_rate",
          "compact_under",
          "drop_under",
          "max_sleep",
          "drop_unread" ->
          request.unsigned32(2) != Numbers.INVALID;
      case "max_frag" -> isDecimal(2);
      case "free_memchunks" ->
          request.unsigned32(2) >= 0
              && request.unsigned32(2) < ItemSize.MAX_CLASSES
              && request.unsigned32(3) != Numbers.INVALID;
      default -> false;
    };
  }
}
