package sluice.gateway.server.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.codecs.memcached.ServerVersion;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.server.connection.ServerConnection;
import sluice.names.Command;

/** Requests of an owner and its sharer that are carried out in any order. */
class SharingLoopsTest extends SharingTest {
  /** The value of a key: of any length, so that some are copied, some sliced, some held. */
  private static String valueOf(String key) {
    Random dice = new Random(key.hashCode());
    int length = dice.nextInt(8) == 0 ? dice.nextInt(60_000) : dice.nextInt(700);
    return key.repeat(length / key.length() + 1).substring(0, length);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void shouldAnswerEachRequestOnceAndWithItsOwnReply(long block) {
    interleave(block);
  }

  @Tag("long")
  @ParameterizedTest
  @ValueSource(longs = {5, 6, 7, 8})
  void shouldAnswerEachRequestOnceAndWithItsOwnReplyInOtherOrders(long block) {
    interleave(block);
  }

  private void interleave(long block) {
    for (long seed = block * 1000; seed < block * 1000 + 50; seed++) {
      try {
        new Interleaving(seed).play();
        shouldHoldNothing();
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  private final class Interleaving {
    private final Random dice;
    private final boolean dies;
    private final List<String> keysOfOwners = new ArrayList<>();
    private final List<String> keysOfSharers = new ArrayList<>();
    private final StringBuilder lines = new StringBuilder();
    private final StringBuilder answers = new StringBuilder();
    private int keys;

    Interleaving(long seed) {
      dice = new Random(seed);
      dies = dice.nextInt(3) == 0;
      begin(LONG, LONG);
    }

    void play() {
      for (int step = 0; step < 200; step++) {
        step();
      }
      if (dies) {
        socket.close();
      }
      owners.full(false);
      sharers.full(false);
      socket.stuck = false;
      do {
        socket.takes();
        owner.sweep(); // where a sharer that reads again is noticed at the latest
        runBoth();
        serve();
        tell(answers.length());
        runBoth();
      } while (!dies && (!owners.waiting.isEmpty() || !sharers.waiting.isEmpty()) && keys-- > 0);
      check(owners, keysOfOwners);
      check(sharers, keysOfSharers);
    }

    private void step() {
      switch (dice.nextInt(14)) {
        case 0, 1, 2 -> ask(owner, owners, keysOfOwners);
        case 3, 4, 5 -> ask(sharer, sharers, keysOfSharers);
        case 6, 7 -> owner.run();
        case 8, 9 -> sharer.run();
        case 10 -> serve();
        case 11 -> tell(dice.nextInt(answers.length() + 1));
        case 12 -> (dice.nextBoolean() ? owners : sharers).full(dice.nextInt(4) == 0);
        default -> {
          socket.stuck = dice.nextInt(4) == 0;
          if (!socket.stuck) {
            socket.takes();
          }
          (dice.nextBoolean() ? owner : sharer).sweep();
        }
      }
    }

    private void ask(SharingLoop loop, SharingLoop.Client client, List<String> asked) {
      ServerConnection connection = loop == owner ? socket.connection : pipe;
      if (!connection.isOpen()) {
        return;
      }
      for (int i = dice.nextInt(3); i >= 0; i--) {
        String key = (loop == owner ? "h" : "g") + keys++;
        asked.add(key);
        if (loop == owner && dice.nextBoolean()) {
          client.join(socket.connection, key);
        } else if (dice.nextInt(6) > 0) {
          client.get(connection, key);
        } else { // two of them are more than a pipe takes
          String filler = "get " + key + " ".repeat(40_000 + dice.nextInt(60_000)) + "\r\n";
          client.ask(connection, Command.GET, ReplyKind.VALUES, key, filler);
        }
      }
    }

    /** The server reads, and knows what it has to say. */
    private void serve() {
      lines.append(socket.asked());
      for (int end = lines.indexOf("\r\n"); end >= 0; end = lines.indexOf("\r\n")) {
        String wanted = lines.substring("get ".length(), end).strip();
        assertThat(wanted).matches("[gh]\\d+|h\\d+( h\\d+)+");
        lines.delete(0, end + 2);
        for (String key : wanted.split(" ", -1)) {
          answers.append(found(key, valueOf(key)).replaceFirst("END\r\n$", ""));
        }
        answers.append("END\r\n");
      }
    }

    private void tell(int length) {
      if (length > 0 && socket.isOpen() && socket.config().isAutoRead()) {
        String text = answers.substring(0, length);
        answers.delete(0, length);
        socket.answer(text);
      }
    }

    /** Each has its own reply; behind where a connection was lost, if it was, its failure. */
    private void check(SharingLoop.Client client, List<String> asked) {
      assertThat(client.waiting).isEmpty();
      int at = 0;
      int answered = 0;
      for (String key : asked) {
        String reply = found(key, valueOf(key));
        if (!client.got.substring(at).startsWith(reply)) {
          break;
        }
        at += reply.length();
        answered++;
      }
      String rest = client.got.substring(at);
      if (!dies) {
        assertThat(rest).isEmpty();
        assertThat(answered).isEqualTo(asked.size());
        return;
      }
      int lost = asked.size() - answered - client.abandoned;
      if (client.abandoned > 0 && lost >= 0) {
        String begun = found(asked.get(answered), valueOf(asked.get(answered)));
        int failures = rest.indexOf("! ");
        String part = failures < 0 ? rest : rest.substring(0, failures);
        assertThat(begun).startsWith(part);
        rest = rest.substring(part.length());
      }
      assertThat(rest.lines().filter(line -> line.startsWith("! "))).hasSize(lost);
      assertThat(rest.lines().filter(line -> !line.startsWith("! "))).isEmpty();
    }
  }

  /** Other connections may lead to other processes: one that reads lines in another way, say. */
  @Test
  void shouldKnowTheVersionOfTheProcessAtTheEndOfAPipe() {
    begin(LONG, LONG);
    sharer.server.status().version(new ServerVersion(1, 6, 45));
    assertThat(sharer.server.version()).hasToString("1.6.45");
    assertThat(socket.connection.version()).hasToString("1.6.18");
    assertThat(pipe.version()).hasToString("1.6.18");
  }
}
