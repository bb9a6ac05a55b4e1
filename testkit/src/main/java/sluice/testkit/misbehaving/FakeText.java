package sluice.testkit.misbehaving;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.testkit.Bytes;

/** Classic text and meta protocol of a {@link MisbehavingServer}. */
final class FakeText {
  private static final byte[] END = ascii("END\r\n");

  private final FakeStore store;
  private final InputStream in;
  private final FaultyReplies replies;
  private final Bytes line = new Bytes();
  private boolean used;

  FakeText(FakeStore store, InputStream in, FaultyReplies replies) {
    this.store = store;
    this.in = in;
    this.replies = replies;
  }

  void serve() throws IOException {
    while (readLine()) {
      List<String> tokens = Arrays.stream(text().split(" ", -1)).filter(t -> !t.isEmpty()).toList();
      String command = tokens.isEmpty() ? "" : tokens.get(0);
      boolean probe = "version".equals(command) || "mn".equals(command);
      used |= !probe;
      if ("quit".equals(command)) {
        replies.flush();
        return;
      }
      try {
        run(command, tokens);
      } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
        say("CLIENT_ERROR bad command line format", false);
      }
      if (in.available() == 0) {
        replies.flush();
      }
    }
    replies.flush();
  }

  private boolean readLine() throws IOException {
    line.clear();
    for (int b = in.read(); b >= 0; b = in.read()) {
      if (b == '\n') {
        return true;
      }
      line.int8(b);
    }
    return false;
  }

  private String text() {
    int end = line.end > 0 && line.array[line.end - 1] == '\r' ? line.end - 1 : line.end;
    return line.string(0, end);
  }

  private void run(String command, List<String> tokens) throws IOException {
    switch (command) {
      case "get", "gets" -> get(tokens.subList(1, tokens.size()), "gets".equals(command));
      case "gat", "gats" -> get(tokens.subList(2, tokens.size()), "gats".equals(command));
      case "set" -> set(tokens, FakeStore.Mode.SET);
      case "add" -> set(tokens, FakeStore.Mode.ADD);
      case "replace" -> set(tokens, FakeStore.Mode.REPLACE);
      case "delete" -> {
        boolean deleted = store.delete(tokens.get(1));
        sayUnlessNoreply(tokens, deleted ? "DELETED" : "NOT_FOUND");
      }
      case "touch" ->
          sayUnlessNoreply(tokens, store.get(tokens.get(1)) != null ? "TOUCHED" : "NOT_FOUND");
      case "version" -> say("VERSION 1.6.18", false);
      case "mn" -> say("MN", false);
      case "mg" -> metaGet(tokens);
      case "ms" -> metaSet(tokens);
      case "md" -> metaDelete(tokens);
      default -> say("ERROR", false);
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private void say(String reply, boolean identified) {
    replies.reply(ascii(reply + "\r\n"), false, identified, !used);
  }

  private void sayUnlessNoreply(List<String> tokens, String reply) {
    if (!"noreply".equals(tokens.get(tokens.size() - 1))) {
      say(reply, false);
    }
  }

  private void get(List<String> keys, boolean withCas) {
    Bytes reply = new Bytes();
    for (String key : keys) {
      FakeStore.Item item = store.get(key);
      if (item != null) {
        reply
            .ascii("VALUE " + key + ' ' + Integer.toUnsignedString(item.flags()) + ' ')
            .ascii(item.value().length + (withCas ? " " + item.cas() : "") + "\r\n")
            .bytes(item.value())
            .ascii("\r\n");
      }
    }
    replies.reply(reply.bytes(END).toArray(), false, false, false);
  }

  /** The data block; null if it does not end in CRLF. */
  private byte @Nullable [] data(int length) throws IOException {
    if (length < 0) {
      throw new IllegalArgumentException("negative length");
    }
    byte[] block = in.readNBytes(length + 2);
    if (block.length < length + 2) {
      throw new EOFException();
    }
    return block[length] == '\r' && block[length + 1] == '\n' ? Arrays.copyOf(block, length) : null;
  }

  private void set(List<String> tokens, FakeStore.Mode mode) throws IOException {
    byte[] value = data(Integer.parseInt(tokens.get(4)));
    if (value == null) {
      say("CLIENT_ERROR bad data chunk", false);
      return;
    }
    int flags = Integer.parseUnsignedInt(tokens.get(2));
    boolean stored = store.store(mode, tokens.get(1), flags, value, false) != null;
    sayUnlessNoreply(tokens, stored ? "STORED" : "NOT_STORED");
  }

  private static boolean has(List<String> flags, char letter) {
    return flags.stream().anyMatch(flag -> flag.charAt(0) == letter);
  }

  private static String key(String token, List<String> flags) {
    return has(flags, 'b')
        ? new String(Base64.getDecoder().decode(token), StandardCharsets.ISO_8859_1)
        : token;
  }

  private void metaGet(List<String> tokens) {
    List<String> flags = tokens.subList(2, tokens.size());
    String key = key(tokens.get(1), flags);
    FakeStore.Item item = store.get(key);
    if (item == null) {
      if (!has(flags, 'q')) {
        say("EN" + echo(tokens.get(1), flags, null), has(flags, 'O'));
      }
      return;
    }
    Bytes reply = new Bytes();
    boolean value = has(flags, 'v');
    String wireKey = item.base64() ? Base64.getEncoder().encodeToString(ascii(key)) + " b" : key;
    reply
        .ascii(value ? "VA " + item.value().length : "HD")
        .ascii(echo(wireKey, flags, item) + "\r\n");
    if (value) {
      reply.bytes(item.value()).ascii("\r\n");
    }
    replies.reply(reply.toArray(), false, has(flags, 'O'), false);
  }

  /** The reply's flags, in the requested order. On a miss, the key is as in the request. */
  private static String echo(String wireKey, List<String> flags, FakeStore.@Nullable Item item) {
    StringBuilder echo = new StringBuilder();
    for (String flag : flags) {
      String answer =
          switch (flag.charAt(0)) {
            case 'O' -> flag;
            case 'k' -> "k" + wireKey + (item == null && has(flags, 'b') ? " b" : "");
            case 'f' -> item == null ? null : "f" + Integer.toUnsignedString(item.flags());
            case 'c' -> item == null ? null : "c" + item.cas();
            case 's' -> item == null ? null : "s" + item.value().length;
            case 't' -> item == null ? null : "t-1";
            default -> null;
          };
      if (answer != null) {
        echo.append(' ').append(answer);
      }
    }
    return echo.toString();
  }

  /** The flags in replies to ms and md: O, k and, for ms, the cas unique. */
  private static String outcome(String code, String token, List<String> flags, long cas) {
    StringBuilder reply = new StringBuilder(code);
    for (String flag : flags) {
      switch (flag.charAt(0)) {
        case 'O' -> reply.append(' ').append(flag);
        case 'k' -> reply.append(" k").append(token).append(has(flags, 'b') ? " b" : "");
        case 'c' -> reply.append(" c").append(cas);
        default -> {
          // asks for nothing
        }
      }
    }
    return reply.toString();
  }

  private void metaSet(List<String> tokens) throws IOException {
    List<String> flags = tokens.subList(3, tokens.size());
    byte[] value = data(Integer.parseInt(tokens.get(2)));
    if (value == null) {
      say("CLIENT_ERROR bad data chunk", false);
      return;
    }
    FakeStore.Mode mode = FakeStore.Mode.SET;
    int clientFlags = 0;
    for (String flag : flags) {
      switch (flag.charAt(0)) {
        case 'F' -> clientFlags = Integer.parseUnsignedInt(flag.substring(1));
        case 'M' ->
            mode =
                switch (flag.charAt(1)) {
                  case 'E' -> FakeStore.Mode.ADD;
                  case 'R' -> FakeStore.Mode.REPLACE;
                  default -> FakeStore.Mode.SET;
                };
        default -> {
          // nothing that this store has
        }
      }
    }
    FakeStore.Item item =
        store.store(mode, key(tokens.get(1), flags), clientFlags, value, has(flags, 'b'));
    if (item == null) {
      say(outcome("NS", tokens.get(1), flags, 0), has(flags, 'O'));
    } else if (!has(flags, 'q')) {
      say(outcome("HD", tokens.get(1), flags, item.cas()), has(flags, 'O'));
    }
  }

  private void metaDelete(List<String> tokens) {
    List<String> flags = tokens.subList(2, tokens.size());
    boolean deleted = store.delete(key(tokens.get(1), flags));
    if (!deleted || !has(flags, 'q')) {
      say(outcome(deleted ? "HD" : "NF", tokens.get(1), flags, 0), has(flags, 'O'));
    }
  }
}
