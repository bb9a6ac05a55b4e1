package sluice.config.yaml;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;

/**
 * Syntax error in plain words, at the place of the mistake. The parser reports tokens, and the
 * place where it could not continue, which may be some lines below the mistake.
 *
 * @param line from 1
 * @param column from 1
 * @param found the actual text
 * @param expected a description of valid text
 */
record SyntaxError(int line, int column, String found, String expected) {
  private static final int SHOWN = 60;

  /** The parser's wording of what it expected. */
  private static final Pattern EXPECTED =
      Pattern.compile("expected (.*?),? but (?:got|found) (.*)");

  private static final Pattern NO_TOKEN =
      Pattern.compile("found character '(.)' that cannot start any token.*");

  /** A key and its value, with nothing between the colon and the value. */
  private static final Pattern NO_SPACE =
      Pattern.compile("(\\s*(?:- +)?)([A-Za-z][\\w.-]*):(?!//)(\\S.*)");

  private static final Pattern NO_COLON = Pattern.compile("([A-Za-z]\\w*) +(\\S.*)");

  /** An IPv6 address, perhaps with a port. */
  private static final Pattern BRACKETS =
      Pattern.compile("\\[[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*](?::[0-9]+)?");

  private static final Pattern ENDS_WITH_COLON =
      Pattern.compile("[^\\s,:\\[\\]{}\"']+:(?= *[,}\\]])");

  private static final String TAB = "(TAB)";
  private static final String IN_FLOW = "while parsing a flow";

  /** The error of an exception of the parser. */
  static SyntaxError of(String text, MarkedYamlEngineException e) {
    List<String> lines = text.lines().toList();
    Optional<Mark> mark = e.getProblemMark().or(e::getContextMark);
    Reader reader =
        new Reader(
            lines,
            oneLine(e.getProblem()),
            mark.map(m -> m.getLine() + 1).orElse(1),
            mark.map(m -> m.getColumn() + 1).orElse(1));
    String context = e.getContext() == null ? "" : e.getContext();
    return reader.error(context, e.getContextMark());
  }

  /** A message of the parser on one line. */
  static String oneLine(@Nullable String message) {
    return message == null ? "a syntax error" : message.strip().replaceAll("\\s+", " ");
  }

  /** The lines, and the parser's words and place. */
  private record Reader(List<String> lines, String problem, int line, int column) {
    SyntaxError error(String context, Optional<Mark> begin) {
      Optional<SyntaxError> known = Optional.empty();
      if (problem.contains(TAB)) {
        known = Optional.of(tab(line, column));
      } else if (begin.isPresent() && context.startsWith("while scanning a quoted scalar")) {
        known = Optional.of(quote(begin.get().getLine() + 1, begin.get().getColumn() + 1));
      } else if (begin.isPresent() && problem.startsWith("could not find expected ':'")) {
        known = Optional.of(noColon(begin.get().getLine() + 1));
      } else if (begin.isPresent() && context.startsWith(IN_FLOW)) {
        known = flow(begin.get().getLine() + 1, begin.get().getColumn() + 1);
      } else if (problem.startsWith("mapping values are not allowed")) {
        known = Optional.of(secondColon());
      } else if (problem.startsWith("expected <block end>") && beginsLine()) {
        known = Optional.of(indentation());
      }
      return known.orElseGet(this::other);
    }

    private String text(int number) {
      return number <= lines.size() ? lines.get(number - 1) : "";
    }

    private static int indent(String text) {
      return text.length() - text.stripLeading().length();
    }

    private boolean beginsLine() {
      return indent(text(line)) == column - 1;
    }

    private static SyntaxError tab(int line, int column) {
      return new SyntaxError(line, column, "a tab", "spaces: YAML allows no tabs here");
    }

    private SyntaxError quote(int at, int from) {
      String mark = text(at).substring(from - 1, from);
      return new SyntaxError(
          at, from, "a quote that is not closed", "another " + mark + " at the end of the value");
    }

    /** An error between brackets: one that is not closed, or a reference without quotes. */
    private Optional<SyntaxError> flow(int at, int from) {
      String here = text(line);
      if (here.startsWith("${", Math.max(0, column - 2)) && here.startsWith("{", column - 1)) {
        int end = here.indexOf('}', column);
        String reference = here.substring(column - 2, end < 0 ? here.length() : end + 1);
        return Optional.of(
            new SyntaxError(
                line,
                column - 1,
                reference + " without quotes",
                "quotes around a value with ${...} between [ ] or { }"));
      }
      Optional<SyntaxError> unquoted = unquoted(here);
      if (unquoted.isPresent() || line == at) {
        return unquoted;
      }
      String begin = text(at);
      int quotes = (int) begin.chars().filter(c -> c == '"').count();
      if (quotes % 2 == 1) {
        return Optional.of(quote(at, begin.lastIndexOf('"') + 1));
      }
      String open = begin.substring(from - 1, from);
      String close = open.equals("[") ? "]" : "}";
      boolean nextKey = problem.endsWith(" :") || problem.endsWith("':'");
      return nextKey || problem.contains("<stream end>") || problem.contains("<document")
          ? Optional.of(
              new SyntaxError(
                  at, from, open + " that is not closed", close + " after the last element"))
          : Optional.empty();
    }

    /** An address in brackets, or a value that ends with a colon, without quotes. */
    private Optional<SyntaxError> unquoted(String here) {
      for (Pattern pattern : List.of(BRACKETS, ENDS_WITH_COLON)) {
        Matcher matcher = pattern.matcher(here);
        while (matcher.find()) {
          if (matcher.start() < column && column <= matcher.end()) {
            String value = shown(matcher.group());
            return Optional.of(
                new SyntaxError(
                    line,
                    matcher.start() + 1,
                    value + " without quotes",
                    "quotes around it (did you mean \"" + value + "\"?)"));
          }
        }
      }
      return Optional.empty();
    }

    /** A colon where there cannot be one: the mistake may be on the line before. */
    private SyntaxError secondColon() {
      String here = text(line);
      int indent = indent(here);
      int tab = here.substring(0, indent).indexOf('\t');
      if (tab >= 0) {
        return tab(line, tab + 1);
      }
      if (here.substring(0, column - 1).contains(": ")) {
        return new SyntaxError(
            line, column, "a second colon", "quotes around a value with a colon and a space");
      }
      int before = line - 1;
      while (before > 1 && (text(before).isBlank() || text(before).strip().startsWith("#"))) {
        before--;
      }
      String earlier = before < 1 ? "" : text(before);
      Matcher joined = NO_SPACE.matcher(earlier);
      if (joined.matches()) {
        return new SyntaxError(
            before,
            joined.end(2) + 1,
            shown(earlier.strip()),
            "a space after the colon (did you mean "
                + shown(joined.group(2) + ": " + joined.group(3))
                + "?)");
      }
      if (!earlier.isBlank() && !earlier.contains(": ")) {
        return noColon(before);
      }
      return indentation();
    }

    private SyntaxError noColon(int at) {
      String key = text(at).strip();
      Matcher parts = NO_COLON.matcher(key.replaceFirst("^- +", ""));
      String suggestion = parts.matches() ? parts.group(1) + ": " + parts.group(2) : key + ":";
      return new SyntaxError(
          at,
          indent(text(at)) + 1,
          shown(key),
          "a colon after the key (did you mean " + shown(suggestion) + "?)");
    }

    /** A line that begins at none of the columns at which lines above it begin. */
    private SyntaxError indentation() {
      int actual = indent(text(line));
      boolean item = text(line).startsWith("- ", actual);
      StringBuilder expected = new StringBuilder();
      int open = Integer.MAX_VALUE;
      int nearest = Integer.MAX_VALUE;
      for (int at = line - 1; at >= 1 && open > 0; at--) {
        String above = text(at);
        int indent = indent(above);
        boolean skipped = above.isBlank() || above.startsWith("#", indent);
        boolean itemAbove = above.startsWith("- ", indent);
        int content = itemAbove ? indent(" ".repeat(indent + 1) + above.substring(indent + 1)) : 0;
        int begin = itemAbove && !item && content < open ? content : indent;
        if (skipped || begin >= open) {
          continue;
        }
        open = indent;
        int distance = Math.abs(begin - actual);
        if (item == itemAbove || !item) {
          if (distance < nearest) {
            nearest = distance;
            expected.setLength(0);
          }
          if (distance == nearest) {
            expected.append(expected.isEmpty() ? "" : ", or ").append(spaces(begin, at));
          }
        }
      }
      return new SyntaxError(
          line,
          actual + 1,
          "a line indented by " + actual + " spaces",
          expected.isEmpty() ? "none" : expected.toString());
    }

    private static String spaces(int count, int as) {
      return (count == 0 ? "none" : count == 1 ? "1 space" : count + " spaces")
          + " as on line "
          + as;
    }

    private SyntaxError other() {
      Matcher none = NO_TOKEN.matcher(problem);
      if (none.matches()) {
        return new SyntaxError(
            line,
            column,
            "a value that begins with " + none.group(1),
            "quotes around such a value");
      }
      Matcher parts = EXPECTED.matcher(problem);
      boolean reference = text(line).contains("${");
      return new SyntaxError(
          line,
          column,
          plain(parts.matches() ? parts.group(2) : problem.replaceFirst("^found ", "")),
          plain(parts.matches() ? parts.group(1) : "YAML 1.2")
              + (reference ? " (between [ ] or { }, put a value with ${...} in quotes)" : ""));
    }

    /** Plain words for the parser's names of tokens. */
    private static String plain(String words) {
      return words
          .replaceAll("'?<block mapping start>'?", "a key")
          .replaceAll("'?<block sequence start>'?", "a list")
          .replaceAll("'?<block end>'?", "the end of the section")
          .replaceAll("'?<scalar>'?", "a value")
          .replaceAll("^the node content$", "a value")
          .replaceAll("'?<stream end>'?|unexpected end of stream", "the end of the file");
    }

    private static String shown(String words) {
      String cut = words.length() > SHOWN ? words.substring(0, SHOWN) + "..." : words;
      return cut.replaceAll("\\p{Cntrl}", "?");
    }
  }
}
