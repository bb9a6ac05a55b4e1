package sluice.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Words that the glossary replaces, in identifiers and comments of all modules' main code. Only
 * words that are never right are listed here; the glossary has the others, too.
 */
class WordsTest {
  /** Old words, each with the term that replaces it (docs/reference/glossary.md). */
  private static final Map<String, String> TERMS =
      Map.ofEntries(
          Map.entry("anybody", "the role that is meant"),
          Map.entry("borrower", "the client that acquires an exclusive connection"),
          Map.entry("congest", "pause"),
          Map.entry("congested", "paused, stalled"),
          Map.entry("congestion", "back-pressure"),
          Map.entry("congests", "pauses"),
          Map.entry("departs", "begins a single flight"),
          Map.entry("door", "listener"),
          Map.entry("errand", "task"),
          Map.entry("errands", "tasks"),
          Map.entry("everyone", "broadcast"),
          Map.entry("give back", "release"),
          Map.entry("gives back", "releases"),
          Map.entry("given back", "released"),
          Map.entry("go by", "are discarded"),
          Map.entry("goes by", "is discarded"),
          Map.entry("grammar", "reply kind"),
          Map.entry("guest", "event loop that uses a shared connection"),
          Map.entry("guests", "event loops that use a shared connection"),
          Map.entry("hides", "reply suppression"),
          Map.entry("hoards", "buffers too much"),
          Map.entry("hurry", "share of the additional time"),
          Map.entry("inbox", "mailbox"),
          Map.entry("landed", "ended"),
          Map.entry("last words", "input of a closed client"),
          Map.entry("lend", "acquire an exclusive connection"),
          Map.entry("lending", "exclusive connections"),
          Map.entry("lends", "acquires an exclusive connection"),
          Map.entry("lent", "acquired, exclusive"),
          Map.entry("loan", "exclusive connection"),
          Map.entry("neutral", "canonical"),
          Map.entry("nobody", "the role that is meant"),
          Map.entry("of late", "recently"),
          Map.entry("own time", "gateway latency"),
          Map.entry("parcel", "batch"),
          Map.entry("piece", "slice, chunk"),
          Map.entry("pieces", "slices, chunks"),
          Map.entry("reception", "shared connection pool"),
          Map.entry("relieve", "resume"),
          Map.entry("somebody", "the role that is meant"),
          Map.entry("starve", "await memory"),
          Map.entry("starved", "awaiting memory"),
          Map.entry("starves", "awaits memory"),
          Map.entry("swallow", "discard"),
          Map.entry("spreading", "policy"),
          Map.entry("tombstone", "timeout placeholder"),
          Map.entry("warming", "fill on miss"),
          Map.entry("whatever", "the cases that are meant"),
          Map.entry("whoever", "the role that is meant"));

  /**
   * Most lines that may still have an old word: about a sixth more than there are, because code
   * that moves repeats some. A number may only become smaller; it is removed with the last line.
   */
  private static final Map<String, Integer> STILL_USED =
      Map.of("own time", 4); // in the names of two metrics, which dashboards use

  private static final Pattern PART = Pattern.compile("[A-Z]?[a-z]+|[A-Z]+(?![a-z])");

  @Test
  void shouldUseTheTermsOfTheGlossary() {
    Map<String, List<String>> found = new TreeMap<>();
    List<Path> files = MainSources.files();
    assertThat(files).hasSizeGreaterThan(500);
    for (Path file : files) {
      List<String> lines = lines(file);
      for (int i = 0; i < lines.size(); i++) {
        for (String word : oldWords(lines.get(i))) {
          found
              .computeIfAbsent(word, unused -> new ArrayList<>())
              .add(file + ":" + (i + 1) + ": \"" + word + "\" is " + TERMS.get(word));
        }
      }
    }
    List<String> problems = new ArrayList<>();
    found.forEach(
        (word, lines) -> {
          int allowed = STILL_USED.getOrDefault(word, 0);
          if (lines.size() > allowed) {
            problems.add(lines.size() + " lines, " + allowed + " allowed:");
            problems.addAll(lines);
          }
        });
    STILL_USED.keySet().stream()
        .filter(word -> !found.containsKey(word))
        .forEach(word -> problems.add("\"" + word + "\" is used no more: remove its number"));
    assertThat(problems).isEmpty();
  }

  @Test
  void shouldFindOldWordsInIdentifiersAndComments() {
    assertThat(oldWords("  private Inbox inboxOfLoop; // somebody puts errands in"))
        .containsExactlyInAnyOrder("inbox", "somebody", "errands");
    assertThat(oldWords("    loop.giveBack(GUEST_LIMIT);"))
        .containsExactlyInAnyOrder("give back", "guest");
    assertThat(oldWords("  // indoors, a silent client calendar is excellent")).isEmpty();
  }

  /** Old words in a line; identifiers are taken apart into their words. */
  private static List<String> oldWords(String line) {
    StringBuilder text = new StringBuilder(" ");
    Matcher parts = PART.matcher(line);
    while (parts.find()) {
      text.append(parts.group().toLowerCase(Locale.ROOT)).append(' ');
    }
    String words = text.toString();
    return TERMS.keySet().stream().filter(word -> words.contains(" " + word + " ")).toList();
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file, UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
