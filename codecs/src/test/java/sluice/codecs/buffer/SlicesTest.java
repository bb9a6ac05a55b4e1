package sluice.codecs.buffer;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
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
