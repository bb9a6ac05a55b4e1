package sluice.embedded;

import sluice.codecs.memcached.text.TextLine;

/** The {@code lru_crawler} command. */
final class CrawlerCommand {
  private static final long MAX_SLEEP_MICROS = 1_000_000;

  /**
   * Replaces the last line of a dump, so that a reader does not mistake the dump for a complete
   * one.
   */
  private static final byte[] UNFINISHED =
      TextReply.line("SERVER_ERROR the dump is longer than " + Dump.MAX_DUMP_BYTES + " bytes");

  private final TextRequest request;
  private final Settings settings;

  CrawlerCommand(TextRequest request) {
    this.request = request;
    settings = request.settings;
  }

  void execute() {
    TextLine line = request.line;
    if (request.tokens() == 2) {
      boolean on = OperatorCommands.abbreviates(line, 1, "enable");
      if (on || OperatorCommands.abbreviates(line, 1, "disable")) {
        settings.lruCrawlerEnabled = on;
        request.reply(TextReply.OK);
      } else {
        request.reply(TextReply.ERROR);
      }
    } else if (request.tokens() != 3) {
      request.reply(TextReply.ERROR);
    } else if (OperatorCommands.abbreviates(line, 1, "crawl")) {
      walk(Walk.EXPIRED);
    } else if (OperatorCommands.abbreviates(line, 1, "metadump")) {
      walk(Walk.METADUMP);
    } else if (OperatorCommands.abbreviates(line, 1, "mgdump")) {
      walk(Walk.MGDUMP);
    } else if (OperatorCommands.abbreviates(line, 1, "tocrawl")) {
      request.reply(toCrawl());
    } else if (OperatorCommands.abbreviates(line, 1, "sleep")) {
      request.reply(sleep());
    } else {
      request.reply(TextReply.ERROR);
    }
  }

  private String toCrawl() {
    long items = request.unsigned32(2);
    if (items == Numbers.INVALID) {
      return "CLIENT_ERROR bad command line format";
    }
    settings.lruCrawlerToCrawl = items;
    return "OK";
  }

  private String sleep() {
    long micros = request.unsigned32(2);
    if (micros == Numbers.INVALID) {
      return "CLIENT_ERROR bad command line format";
    }
    if (micros > MAX_SLEEP_MICROS) {
      return "CLIENT_ERROR sleep must be one second or less";
    }
    settings.lruCrawlerSleepMicros = micros;
    return "OK";
  }

  private void walk(Walk walk) {
    if (!settings.lruCrawlerEnabled) {
      request.reply("CLIENT_ERROR lru crawler disabled");
      return;
    }
    long classes = classes(request.line.string(2));
    if (classes == 0) {
      request.reply("BADCLASS invalid class id");
      return;
    }
    Dump dump = new Dump(request.store, request.now, request.out);
    switch (walk) {
      case EXPIRED -> {
        dump.removeDead();
        request.reply(TextReply.OK);
      }
      case METADUMP -> {
        request.out.writeBytes(TextReply.OK);
        request.out.writeBytes(dump.metadump(classes) ? TextReply.END : UNFINISHED);
      }
      case MGDUMP -> {
        request.out.writeBytes(TextReply.OK);
        request.out.writeBytes(dump.mgdump(classes) ? TextReply.META_MISS : UNFINISHED);
      }
    }
  }

  /** A bit for each class in "all", "hash" or "1,2,3"; 0 if one of them is invalid. */
  private static long classes(String list) {
    if (list.equals("all") || list.equals("hash")) {
      return -1L;
    }
    long classes = 0;
    for (String id : list.split(",", -1)) {
      if (!id.matches("\\d{1,2}")) {
        return 0;
      }
      int slabClass = Integer.parseInt(id);
      if (slabClass < 1 || slabClass >= ItemSize.MAX_CLASSES - 1) {
        return 0;
      }
      classes |= 1L << slabClass;
    }
    return classes;
  }

  private enum Walk {
    EXPIRED,
    METADUMP,
    MGDUMP
  }
}
