package sluice.gateway.internode;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.names.Verb;

class ListenerFollowerTest {
  private static final String MAPPED = ", addresses: {from: {127.0.0.13: 127.0.0.23}}";

  private final ScriptedLink link = new ScriptedLink();
  private final LinkListenerView first = link.listenerView();
  private final ListenerFollower follower = new ListenerFollower(first);

  @AfterEach
  void close() {
    link.close();
  }

  @Test
  void shouldStayWhileThereIsNothingNewer() {
    assertThat(follower.follow(Frames.node(13))).isEqualTo(ListenerFollower.Change.NONE);
    assertThat(follower.listenerView()).isSameAs(first);
  }

  @Test
  void shouldFollowToTheNewestOfSeveral() {
    LinkListenerView second = link.listenerView(Verb.TRUNCATE_REQ);
    LinkListenerView third = link.listenerView();
    first.replacedBy(second);
    second.replacedBy(third);
    follower.choose();
    assertThat(follower.follow(Frames.node(13))).isEqualTo(ListenerFollower.Change.FOLLOWED);
    assertThat(follower.listenerView()).isSameAs(third);
    assertThat(follower.follow(Frames.node(13))).isEqualTo(ListenerFollower.Change.NONE);
  }

  @Test
  void shouldMoveWhenTheServerWasToldAnotherName() {
    Upstream chosen = follower.choose();
    first.replacedBy(link.listenerView("", MAPPED));
    assertThat(follower.follow(Frames.node(14))).isEqualTo(ListenerFollower.Change.FOLLOWED);
    follower.listenerView().replacedBy(link.listenerView("", ""));
    assertThat(follower.follow(Frames.node(13))).isEqualTo(ListenerFollower.Change.MOVED);
    assertThat(follower.upstream()).isSameAs(chosen);
  }

  @Test
  void shouldStayMovedWhateverIsSaidLater() {
    follower.choose();
    LinkListenerView mapped = link.listenerView("", MAPPED);
    first.replacedBy(mapped);
    assertThat(follower.follow(Frames.node(13))).isEqualTo(ListenerFollower.Change.MOVED);
    mapped.replacedBy(link.listenerView("", MAPPED, Verb.TRUNCATE_REQ));
    assertThat(follower.follow(Frames.node(13))).isEqualTo(ListenerFollower.Change.MOVED);
    assertThat(follower.hasMoved()).isTrue();
  }

  @Test
  void shouldNotMoveBeforeAServerIsChosen() {
    first.replacedBy(link.listenerView("", MAPPED));
    assertThat(follower.follow(Frames.node(13))).isEqualTo(ListenerFollower.Change.FOLLOWED);
    assertThat(follower.hasMoved()).isFalse();
  }
}
