package sluice.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoaderFuzzTest {
  private static final String PIECES = "{}[]:,-&*!|>'\"%@`#?$ \n\t\\~<=.0x9_\0\u0085\u2028\uD800";
  private static final int MUTANTS = 8_000;

  @TempDir Path directory;

  private static void check(LoadResult result, String input, long seed) {
    assertThat(result.isValid())
        .as("seed %d, file <%s>", seed, input)
        .isEqualTo(result.problems().isEmpty());
    assertThat(result.problems())
        .as("seed %d, file <%s>", seed, input)
        .allSatisfy(p -> assertThat(p.toString()).doesNotContain("\n"));
  }

  private static LoadResult load(String input, long seed) {
    try {
      return Loader.parse("f", input);
    } catch (RuntimeException | StackOverflowError e) {
      throw new AssertionError("seed " + seed + ", file <" + input + ">", e);
    }
  }

  @Test
  void shouldFindNothingButProblemsInBentFiles() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    int valid = 0;
    for (int i = 0; i < MUTANTS; i++) {
      StringBuilder file =
          new StringBuilder(Samples.VALID.get(random.nextInt(Samples.VALID.size())));
      for (int edits = 1 + random.nextInt(4); edits > 0; edits--) {
        int at = random.nextInt(file.length());
        switch (random.nextInt(4)) {
          case 0 -> file.insert(at, PIECES.charAt(random.nextInt(PIECES.length())));
          case 1 -> file.setCharAt(at, PIECES.charAt(random.nextInt(PIECES.length())));
          case 2 -> file.delete(at, Math.min(file.length() - 1, at + 1 + random.nextInt(20)));
          default -> file.insert(at, file.substring(at, Math.min(file.length(), at + 30)));
        }
      }
      LoadResult result = load(file.toString(), seed);
      check(result, file.toString(), seed);
      valid += result.isValid() ? 1 : 0;
    }
    assertThat(valid).as("mutants that stay valid, seed %d", seed).isBetween(1, MUTANTS - 1);
  }

  @Test
  void shouldFindNothingButProblemsInRandomBytes() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    Path file = directory.resolve("random.yaml");
    for (int i = 0; i < 500; i++) {
      byte[] bytes = new byte[random.nextInt(200)];
      random.nextBytes(bytes);
      Files.write(file, bytes);
      check(Loader.load(file), "random bytes", seed);
      String ascii =
          new String(bytes, StandardCharsets.ISO_8859_1).replaceAll("[^ -~\n]", "\"\\\\U");
      check(load(ascii, seed), ascii, seed);
    }
  }
}
