package sluice.gateway.internode;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import sluice.gateway.metrics.LinkType;

class LinkRegistrationTest {
  private static final InetSocketAddress FROM = Frames.node(1);
  private static final InetSocketAddress TO = Frames.node(2);
  private static final InetSocketAddress ELSEWHERE = Frames.node(3);

  private final LinkRegistry registry =
      new LinkRegistry(node -> null, (listener, peer) -> false, name -> null);

  private final ReturnLink link = new UnusedReturnLink(LinkType.LARGE);
  private final LinkRegistration registration = new LinkRegistration(registry, link, FROM);

  @Test
  void shouldBeFoundWhereItLeadsOnly() {
    assertThat(registry.find(FROM, TO)).isNull();
    registration.leadTo(TO);
    registration.leadTo(TO);
    assertThat(registry.find(FROM, TO)).isSameAs(link);
    registration.leadTo(ELSEWHERE);
    assertThat(registry.find(FROM, TO)).isNull();
    assertThat(registry.find(FROM, ELSEWHERE)).isSameAs(link);
  }

  @Test
  void shouldLeadNowhereWhenNothingSaysWhere() {
    registration.leadTo(TO);
    registration.leadTo(null);
    assertThat(registry.find(FROM, TO)).isNull();
    registration.leadTo(TO);
    registration.end();
    registration.end();
    assertThat(registry.find(FROM, TO)).isNull();
  }

  /** Counts how often it is looked at. */
  private static final class Counted extends UnusedReturnLink {
    private final AtomicInteger looks;

    Counted(AtomicInteger looks) {
      super(LinkType.SMALL);
      this.looks = looks;
    }

    @Override
    public LinkType type() {
      looks.incrementAndGet();
      return super.type();
    }
  }

  /** A node may open thousands of links, and have thousands of its requests rejected. */
  @Test
  void shouldLookAtALinkWhenItBeginsAndNotForEveryAnswer() {
    AtomicInteger looks = new AtomicInteger();
    List<LinkRegistration> all = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      all.add(new LinkRegistration(registry, new Counted(looks), FROM));
    }
    all.forEach(each -> each.leadTo(TO));
    for (int i = 0; i < 1000; i++) {
      assertThat(registry.find(FROM, TO)).isNotNull();
    }
    all.forEach(LinkRegistration::end);
    assertThat(registry.find(FROM, TO)).isNull();
    assertThat(looks).hasValue(1000);
  }

  @Test
  void shouldLeaveOtherLinksOfTheSameNodes() {
    ReturnLink urgent = new UnusedReturnLink(LinkType.URGENT);
    LinkRegistration other = new LinkRegistration(registry, urgent, FROM);
    registration.leadTo(TO);
    other.leadTo(TO);
    assertThat(registry.find(FROM, TO)).isSameAs(urgent);
    other.end();
    assertThat(registry.find(FROM, TO)).isSameAs(link);
  }
}
