package sluice.codecs.buffer;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Slices that are used again: by the thread that takes them, and by it alone. */
class SlicesTest {
  private final ByteBuf source =
      Unpooled.directBuffer().writeBytes("0123456789".getBytes(US_ASCII));
  private final Slices slices = new Slices();

  private static void elsewhere(Runnable task) throws InterruptedException {
    Thread other = new Thread(task);
    other.start();
    other.join();
  }

  @Test
  void shouldUseAgainWhatIsReleasedAtHome() {
    ByteBuf first = slices.take(source, 2, 3);
    assertThat(first.toString(US_ASCII)).isEqualTo("234");
    first.release();
    ByteBuf second = slices.take(source, 5, 4);
    assertThat(second).isSameAs(first);
    assertThat(second.toString(US_ASCII)).isEqualTo("5678");
    second.release();
    assertThat(source.release()).isTrue();
  }

  @Test
  void shouldReferToTheRootHoweverOftenItIsCut() {
    ByteBuf first = slices.take(source, 1, 9);
    ByteBuf inner = first;
    for (int i = 0; i < 4; i++) {
      ByteBuf outer = inner;
      inner = slices.take(outer, 1, outer.readableBytes() - 1);
      outer.release();
      assertThat(inner.unwrap()).isSameAs(source);
    }
    assertThat(inner.toString(US_ASCII)).isEqualTo("56789");
    assertThat(slices.takeNext(inner, 2).toString(US_ASCII)).isEqualTo("56");
    assertThat(source.refCnt()).isEqualTo(3);
    inner.release();
    source.release(2);
  }

  @Test
  void shouldKeepFewWhenABurstIsOver() {
    List<ByteBuf> taken = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      taken.add(slices.take(source, 0, 1));
    }
    Set<ByteBuf> made = Collections.newSetFromMap(new IdentityHashMap<>());
    made.addAll(taken);
    taken.forEach(ByteBuf::release);
    for (int i = 0; i < 20; i++) {
      slices.trim();
    }
    int again = 0;
    taken.clear();
    for (int i = 0; i < 500; i++) {
      taken.add(slices.take(source, 0, 1));
      again += made.contains(taken.get(i)) ? 1 : 0;
    }
    assertThat(again).isBetween(1, 64);
    taken.forEach(ByteBuf::release);
    assertThat(source.release()).isTrue();
  }

  /** Netty's NIO transport keeps the views of several slices until it has sent them all. */
  @Test
  void shouldHaveAViewOfItsOwn() {
    ByteBuf first = slices.take(source, 1, 3);
    ByteBuf second = slices.take(source, 5, 4);
    ByteBuffer view = first.internalNioBuffer(0, 3);
    ByteBuffer other = second.internalNioBuffer(1, 2);
    assertThat((CharSequence) US_ASCII.decode(view)).hasToString("123");
    assertThat((CharSequence) US_ASCII.decode(other)).hasToString("67");
    assertThat(source.internalNioBuffer(0, 10)).isNotSameAs(view).isNotSameAs(other);
    first.release();
    second.release();
    assertThat(source.release()).isTrue();
  }

  /** Whoever takes one at the same moment could be given it twice. */
  @Test
  void shouldNotUseAgainWhatIsReleasedElsewhere() throws InterruptedException {
    ByteBuf first = slices.take(source, 2, 3);
    elsewhere(first::release);
    assertThat(source.refCnt()).isEqualTo(1);
    ByteBuf second = slices.take(source, 2, 3);
    assertThat(second).isNotSameAs(first);
    second.release();
    assertThat(source.release()).isTrue();
  }

  @Test
  void shouldLetASliceOfASliceBeReleasedElsewhere() throws InterruptedException {
    ByteBuf first = slices.take(source, 2, 5);
    ByteBuf derived = first.retainedSlice(1, 3);
    first.release();
    assertThat(derived.toString(US_ASCII)).isEqualTo("345");
    elsewhere(derived::release);
    assertThat(source.refCnt()).isEqualTo(1);
    assertThat(slices.take(source, 0, 1).release()).isTrue();
    assertThat(source.release()).isTrue();
  }

  @Test
  void shouldMakeForAnyThreadWhatIsNoneOfItsOwn() throws InterruptedException {
    ByteBuf first = slices.take(source, 2, 5);
    ByteBuf any = Slices.forAnyThread(first, 1, 3);
    first.release();
    assertThat(any.toString(US_ASCII)).isEqualTo("345");
    elsewhere(any::release);
    assertThat(source.release()).isTrue();
  }
}
