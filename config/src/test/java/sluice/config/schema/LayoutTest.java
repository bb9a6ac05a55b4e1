package sluice.config.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import sluice.config.model.PoolProtocol;

class LayoutTest {
  private static final Key<Long> SIZE =
      Key.optional("size", Quantities.size("1B", "1GiB"), "How large.");
  private static final Key<Long> AGE =
      Key.optional("age", Quantities.durationOrNever("1s", "1d"), "How old.")
          .only(PoolProtocol.IGNITE);

  private record Inside(long size, long age) {}

  private record Outside(PoolProtocol protocol, List<Long> ages, Optional<Inside> inside) {}

  private static final Layout<Inside> INSIDE =
      Layout.of(Inside.class).key(SIZE, Inside::size).key(AGE, Inside::age);
  private static final Key<List<Checked<Long>>> AGES =
      Key.optional("ages", new Type.Items<>("age", AGE.type(), true), "Of each.");
  private static final Key<Fields> SECTION = Key.optional("section", INSIDE.type(), "A section.");
  private static final Layout<Outside> OUTSIDE =
      Layout.of(Outside.class)
          .list(AGES, each -> Optional.of(each.ages()).filter(ages -> !ages.isEmpty()))
          .section(SECTION, INSIDE, Outside::inside)
          .showing((each, key) -> key.isOf(each.protocol()));

  @Test
  void shouldHaveTheKeysInTheirOrder() {
    assertThat(OUTSIDE.type().keys()).isEqualTo(List.of(AGES, SECTION));
    assertThat(INSIDE.type().keys()).isEqualTo(List.of(SIZE, AGE));
  }

  @Test
  void shouldPrintValuesAsTheyAreWritten() {
    Outside record =
        new Outside(
            PoolProtocol.IGNITE, List.of(0L, 90_000L), Optional.of(new Inside(2048, 60_000)));
    assertThat(OUTSIDE.print(record))
        .hasToString("{ages=[never, 90s], section={size=2KiB, age=1m}}");
  }

  @Test
  void shouldLeaveOutWhatIsNotThereAndWhatHasNoMeaningAlsoInside() {
    Outside record =
        new Outside(PoolProtocol.MEMCACHED, List.of(), Optional.of(new Inside(1, 60_000)));
    assertThat(OUTSIDE.print(record)).hasToString("{section={size=1B}}");
    assertThat(OUTSIDE.print(new Outside(PoolProtocol.MEMCACHED, List.of(), Optional.empty())))
        .isEmpty();
  }
}
