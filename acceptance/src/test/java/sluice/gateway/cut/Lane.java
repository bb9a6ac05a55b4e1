package sluice.gateway.cut;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import sluice.gateway.suite.Escaped;

/**
 * One listener of the gateway with a server of its own, used by one thread: runs a case uncut, and
 * then cut at every byte, or at every so many.
 *
 * <p>Two parts are read apart because of a third connection to the same event loop: its fence is
 * sent behind the first part, and answered at the end of a turn that has read both.
 */
final class Lane implements AutoCloseable {
  private static final byte[] FLUSH = "flush_all\r\n".getBytes(ISO_8859_1);

  /** When an uncut case is over that its fence does not end; a busy machine answers late. */
  private static final Duration SILENCE = Duration.ofSeconds(1);

  /**
   * A stream up to this long is cut at every byte; a longer one at so many, both ends among them.
   */
  private static final int MOST_CUTS = 400;

  private static final int AT_BOTH_ENDS = 60;

  /** So many bytes from both ends it is cut in any case. */
  private static final int ALWAYS = 4;

  /** More writes than any cas unique that a case names, so that no item gets one of these. */
  private static final int WRITES_BEFORE = 1_100;

  private final InetSocketAddress listener;
  private final CuttingProxy proxy;
  private final RawClient control;
  private final RawClient text;
  private final RawClient binary;
  private final Random random;
  private final int every;
  private long cuts;

  /**
   * A lane.
   *
   * @param proxy null where there is no server to be cut
   * @param every of so many places one is cut, another in each stream; 1 for all of them
   */
  Lane(
      InetSocketAddress listener,
      InetSocketAddress controlListener,
      int loops,
      CuttingProxy proxy,
      long seed,
      int every)
      throws IOException {
    this.listener = listener;
    this.proxy = proxy;
    this.random = new Random(seed);
    this.every = every;
    control = new RawClient(controlListener);
    text = new RawClient(listener);
    binary = new RawClient(listener);
    if (proxy != null) {
      List<RawClient> ofProxy = new ArrayList<>();
      for (int i = 0; i < loops; i++) {
        ofProxy.add(new RawClient(controlListener)); // in turn, one on each event loop
      }
      proxy.barrier(
          () -> {
            for (int i = 0; i < (loops > 1 ? 2 * loops : 1); i++) {
              ofProxy.get(i % loops).fence(Fence.TEXT); // twice: loops tell each other
            }
          });
    }
    byte[] write = "set k 0 0 1 noreply\r\n1\r\n".getBytes(ISO_8859_1);
    ask(Fence.TEXT, Collections.nCopies(WRITES_BEFORE, write));
  }

  /** How many cuts were made. */
  long cuts() {
    return cuts;
  }

  /** What differed, at most a few of them; empty if nothing did. */
  List<String> cutRequest(CutCase each) throws IOException {
    RawClient.Heard uncut = run(each, 0, 0, null);
    List<String> differences = new ArrayList<>();
    for (int cut : cuts(each.request().length)) {
      compare(each, "request cut at " + cut, uncut, run(each, cut, 0, uncut), differences);
    }
    return differences;
  }

  /** The same for the replies of the server. */
  List<String> cutReplies(CutCase each) throws IOException {
    RawClient.Heard uncut = run(each, 0, 0, null);
    int length = proxy.delivered();
    List<String> differences = new ArrayList<>();
    for (int cut : cuts(length - 1)) {
      compare(each, "reply cut at " + cut, uncut, run(each, 0, cut, uncut), differences);
    }
    return differences;
  }

  private void compare(
      CutCase each,
      String how,
      RawClient.Heard expected,
      RawClient.Heard heard,
      List<String> differences) {
    boolean same =
        expected.closed() == heard.closed()
            && (Arrays.equals(expected.bytes(), heard.bytes())
                || each.mask(expected.bytes()).equals(each.mask(heard.bytes())));
    if (!same && differences.size() < 3) {
      differences.add(
          each
              + ", "
              + how
              + "\n"
              + Escaped.of(each.request())
              + "\n-> "
              + Escaped.of(heard.bytes())
              + (heard.closed() ? " and closed" : "")
              + "\nexpected "
              + Escaped.of(expected.bytes())
              + (expected.closed() ? " and closed" : ""));
    }
  }

  private int[] cuts(int length) {
    int some = random.nextInt(every);
    return places(length)
        .filter(at -> at % every == some || at <= ALWAYS || at > length - ALWAYS)
        .toArray();
  }

  private IntStream places(int length) {
    if (length <= MOST_CUTS) {
      return IntStream.rangeClosed(1, length);
    }
    return IntStream.concat(
        IntStream.concat(
            IntStream.rangeClosed(1, AT_BOTH_ENDS),
            IntStream.rangeClosed(length - AT_BOTH_ENDS, length)),
        random.ints(40, AT_BOTH_ENDS, length - AT_BOTH_ENDS));
  }

  private RawClient.Heard run(CutCase each, int cut, int replyCut, RawClient.Heard uncut)
      throws IOException {
    prepare(each);
    cuts++;
    Fence fence = Fence.of(each.request());
    byte[] request = fence.behind(each.request());
    if (proxy != null) {
      proxy.cutBehind(replyCut);
    }
    try (RawClient client = new RawClient(listener)) {
      if (cut > 0) {
        client.send(request, 0, cut);
        control.fence(Fence.TEXT);
      }
      client.send(request, cut, request.length);
      if (uncut == null) {
        // A case that fences itself is over when all its fences are answered, or nothing more
        // comes.
        int fences = fence == Fence.TEXT ? count(request, "mn") : 1;
        boolean fencesItself = new String(each.request(), ISO_8859_1).contains("mn\r\n");
        return client.hear(
            heard -> fence.ends(heard) && (!fencesItself || count(heard, "MN\r\n") >= fences),
            SILENCE);
      }
      boolean fenced = fence.ends(uncut.bytes());
      int length = uncut.bytes().length;
      return client.hear(
          heard ->
              !uncut.closed()
                  && (fenced
                      ? fence.ends(heard) && (each.isCounting() || heard.length >= length)
                      : heard.length >= length),
          RawClient.PATIENCE);
    }
  }

  private static int count(byte[] in, String wanted) {
    String text = new String(in, ISO_8859_1);
    int count = 0;
    for (int at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
      count++;
    }
    return count;
  }

  /** Empties the server and sets the case up: what is of one dialect in one write. */
  private void prepare(CutCase each) throws IOException {
    List<byte[]> requests = new ArrayList<>(List.of(FLUSH));
    Fence fence = Fence.TEXT;
    for (byte[] request : each.setup()) {
      if (Fence.of(request) != fence) {
        ask(fence, requests);
        requests.clear();
        fence = Fence.of(request);
      }
      requests.add(request);
    }
    ask(fence, requests);
  }

  private void ask(Fence fence, List<byte[]> requests) throws IOException {
    RawClient client = fence == Fence.TEXT ? text : binary;
    client.send(fence.behind(requests.toArray(byte[][]::new)));
    RawClient.Heard heard = client.hear(fence::ends, RawClient.PATIENCE);
    if (!fence.ends(heard.bytes())) {
      throw new IOException("not prepared: " + Escaped.of(heard.bytes()));
    }
  }

  @Override
  public void close() throws IOException {
    control.close();
    text.close();
    binary.close();
    if (proxy != null) {
      proxy.close();
    }
  }
}
