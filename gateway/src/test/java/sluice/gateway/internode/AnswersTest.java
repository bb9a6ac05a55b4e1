package sluice.gateway.internode;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Answers of one event loop, without a socket. */
class AnswersTest {
  private final ScriptedLink link = new ScriptedLink();
  private int lookUps;
  private final Answers answers =
      new Answers(
          link.links(),
          new LinkRegistry(
              node -> {
                lookUps++;
                return null;
              },
              (listener, peer) -> false,
              name -> null));

  @AfterEach
  void close() {
    answers.close();
    link.close();
  }

  /** To a request that names a node with this number as its sender. */
  private void answer(int number) {
    InetSocketAddress node = new InetSocketAddress(Frames.node(13).getAddress(), 7000 + number);
    answers.send(
        new Rejected("ring", Frames.node(12), node, Frames.node(12), node, 1, 0, 10_000, 12));
    link.runTasks();
  }

  /** A peer can state any address, and each is compared with all listeners. */
  @Test
  void shouldLookUpOnlySoManyAddressesUntilItLooksAgain() {
    for (int i = 0; i < 2 * Answers.MAX_LOOK_UPS; i++) {
      answer(i);
    }
    assertThat(lookUps).isEqualTo(Answers.MAX_LOOK_UPS);
    link.pass(2_000);
    answers.sweep();
    answer(1);
    assertThat(lookUps).isEqualTo(Answers.MAX_LOOK_UPS + 1);
  }

  /** Else one unknown node with many removed requests would leave others without answers. */
  @Test
  void shouldLookUpAStrangerOnceUntilItLooksAgain() {
    for (int i = 0; i < 2 * Answers.MAX_LOOK_UPS; i++) {
      answer(1);
    }
    assertThat(lookUps).isEqualTo(1);
    answer(2);
    assertThat(lookUps).isEqualTo(2);
    link.pass(2_000);
    answers.sweep();
    answer(1);
    assertThat(lookUps).isEqualTo(3);
  }
}
