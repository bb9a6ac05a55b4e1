package sluice.config;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.ZstdDictTrainer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.config.model.Configuration;
import sluice.config.model.DictionaryFile;

/** The dictionaries that a configuration names. */
class DictionaryFilesTest {
  private static final byte[] ONE = trained(1);
  private static final byte[] TWO = trained(2);

  @TempDir private Path directory;

  private static byte[] trained(long seed) {
    ZstdDictTrainer trainer = new ZstdDictTrainer(100_000, 1024, 1);
    Random random = new Random(seed);
    while (trainer.addSample(
        ("{id: " + random.nextLong() + ", seed: " + seed + ", name: value}").getBytes(UTF_8))) {}
    return trainer.trainSamples();
  }

  private void write(String name, byte[] content) throws IOException {
    Files.write(directory.resolve(name), content);
  }

  private static String yaml(String dictionaries) {
    return """
    listeners: {a: {bind: "127.0.0.1:1", route: r}}
    routes: {r: [{pool: p}]}
    pools:
      p: {servers: ["127.0.0.1:2"], compression: {dictionaries: %s}}
    """
        .formatted(dictionaries);
  }

  private LoadResult load(String dictionaries) {
    return Loader.parse(directory, yaml(dictionaries));
  }

  private static List<DictionaryFile> dictionaries(Configuration configuration) {
    return configuration.pool("p").compression().orElseThrow().dictionaries();
  }

  private List<String> problems(String dictionaries) {
    return load(dictionaries).problems().stream().map(Object::toString).toList();
  }

  @Test
  void shouldReadThemInTheirOrder() throws IOException {
    write("one.zdict", ONE);
    write("two.zdict", TWO);
    write("sluice.yaml", yaml("[two.zdict, one.zdict]").getBytes(UTF_8));
    LoadResult loaded = Loader.load(directory.resolve("sluice.yaml"));
    assertThat(loaded.files())
        .contains(directory.resolve("one.zdict"), directory.resolve("two.zdict"));
    List<DictionaryFile> files = dictionaries(loaded.configuration());
    assertThat(files).extracting(DictionaryFile::name).containsExactly("two.zdict", "one.zdict");
    assertThat(files.get(0).content()).isEqualTo(TWO);
    assertThat(files.get(1).content()).isEqualTo(ONE);
    assertThat(dictionaries(load("[]").configuration())).isEmpty();
  }

  @Test
  void shouldPrintWhatLoadsToTheSame() throws IOException {
    write("one.zdict", ONE);
    Configuration configuration = load("[one.zdict]").configuration();
    assertThat(Loader.parse(directory, ConfigurationPrinter.toYaml(configuration)).configuration())
        .isEqualTo(configuration);
  }

  @Test
  void shouldDifferWhenTheContentDoes() throws IOException {
    write("one.zdict", ONE);
    Configuration before = load("[one.zdict]").configuration();
    write("one.zdict", TWO);
    assertThat(load("[one.zdict]").configuration()).isNotEqualTo(before);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "[missing.zdict] | f:4:62: pools.p.compression.dictionaries[0]: found missing.zdict: no"
            + " such file, expected a trained Zstandard dictionary",
        "[one.zdict, text.txt] | f:4:73: pools.p.compression.dictionaries[1]: found text.txt: no"
            + " trained dictionary, expected a trained Zstandard dictionary",
        "[empty] | f:4:62: pools.p.compression.dictionaries[0]: found empty: no trained dictionary,"
            + " expected a trained Zstandard dictionary",
        "[damaged.zdict] | f:4:62: pools.p.compression.dictionaries[0]: found damaged.zdict: a"
            + " damaged dictionary, expected a trained Zstandard dictionary",
      })
  void shouldSayWhatIsWrongWhereTheFileIsNamed(String written, String problem) throws IOException {
    write("one.zdict", ONE);
    write("text.txt", "some text".getBytes(UTF_8));
    write("empty", new byte[0]);
    byte[] damaged = ONE.clone();
    Arrays.fill(damaged, 8, 100, (byte) 0xFF);
    write("damaged.zdict", damaged);
    assertThat(problems(written)).containsExactly(problem);
  }

  @Test
  void shouldRefuseTheSameDictionaryTwice() throws IOException {
    write("one.zdict", ONE);
    write("again.zdict", ONE);
    assertThat(problems("[one.zdict, again.zdict]"))
        .containsExactly(
            "f:4:73: pools.p.compression.dictionaries[1]: found again.zdict: the same dictionary as"
                + " pools.p.compression.dictionaries[0], expected another dictionary, or none");
  }

  /** Zstandard finds nothing wrong with most of them. Values must not be mixed up. */
  @Test
  void shouldTellAShortenedFileFromTheWholeOne() throws IOException {
    write("one.zdict", ONE);
    write("cut.zdict", Arrays.copyOf(ONE, ONE.length - 1));
    assertThat(problems("[one.zdict, cut.zdict]")).isEmpty();
  }
}
