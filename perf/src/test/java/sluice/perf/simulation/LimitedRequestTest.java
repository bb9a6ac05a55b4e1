package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import sluice.perf.simulation.system.SimulatedNetwork;
import sluice.perf.simulation.system.Simulator;

class LimitedRequestTest {
  private final Simulator simulator = new Simulator(1);
  private final World world = new World(simulator, new SimulatedNetwork(simulator), 60);
  private final OrderedKey key = new OrderedKey(world, Rule.PLAIN, "a:1:k1");
  private final Bucket bucket = new Bucket(new Limit(Limit.CACHE, 1, "a:", 1, 1));
  private final Bucket other = new Bucket(new Limit(Limit.CACHE, 2, "b:", 2, 1));

  private String judge(LimitedRequest request, String reply) {
    request.begins(this, List.of(bucket, other), false, 0);
    Replies replies = new Replies();
    replies.add(reply.getBytes(ISO_8859_1));
    return request.judge(replies, 0);
  }

  private void holdsAValue() {
    LimitedRequest set = LimitedRequest.set(key, 30, false);
    world.journal().stored(key.name(), key.flags());
    assertThat(judge(set, "STORED\r\n")).isEmpty();
  }

  @Test
  void shouldKeepWhatIsThereIfAWriteIsRejected() {
    holdsAValue();
    LimitedRequest set = LimitedRequest.set(key, 30, true);
    assertThat(judge(set, bucket.limit().error() + "\r\n")).isEmpty();
    bucket.restart(0);
    assertThat(judge(LimitedRequest.get(List.of(key)), "END\r\n")).contains("found nothing");
  }

  @Test
  void shouldFindARejectedWriteThatAServerHas() {
    holdsAValue();
    LimitedRequest set = LimitedRequest.set(key, 30, false);
    world.journal().stored(key.name(), key.flags());
    assertThat(judge(set, bucket.limit().error() + "\r\n")).contains("carried out");
  }

  @Test
  void shouldAllowTheErrorsOfItsLimitsAlone() {
    LimitedRequest get = LimitedRequest.get(List.of(key));
    assertThat(judge(get, other.limit().error() + "\r\n")).contains("found SERVER_ERROR over");
    assertThat(judge(LimitedRequest.metaGet(key), bucket.limit().error() + "\r\n"))
        .contains("were rejected");
  }

  @Test
  void shouldAllowAnErrorWithoutAReasonWhereThereIsALimit() {
    LimitedRequest limited = LimitedRequest.metaGet(key);
    assertThat(judge(limited, "SERVER_ERROR the server failed\r\n")).isEmpty();
    assertThat(limited.mayBeRejected()).isTrue();
    OrderedKey free = new OrderedKey(world, Rule.PLAIN, "1:k1");
    LimitedRequest get = LimitedRequest.metaGet(free);
    assertThat(judge(get, "SERVER_ERROR the server failed\r\n")).isEmpty();
    assertThat(get.mayBeRejected()).isFalse();
  }

  @Test
  void shouldAllowBothAfterAWriteWithoutAReply() {
    holdsAValue();
    OrderedKey.Item before = key.item();
    LimitedRequest.setSilently(key, 30).passesSilently();
    assertThat(key.isKnown()).isFalse();
    assertThat(key.judge(before)).isNull();
    assertThat(key.isKnown()).isTrue();
    assertThat(key.judge((OrderedKey.Item) null)).contains("found nothing");
  }
}
