package sluice.config.yaml;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.common.Anchor;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import sluice.config.problems.Problems;

/**
 * Reader of one YAML 1.2 document into nodes. It uses the parser's events: nothing is resolved or
 * constructed beyond the file's text. Merge keys are applied. Depth and size are limited, and every
 * node knows its place.
 */
public final class YamlReader {
  private static final int MAX_DEPTH = 32;

  /** The key of mappings that are merged; YAML 1.1 has it, and its users expect it. */
  private static final String MERGE = "<<";

  /**
   * The limit on nodes after aliases are expanded. Without it, a few lines of anchors could become
   * billions of nodes.
   */
  private static final int MAX_NODES = 100_000;

  private final String text;
  private final Problems problems;
  private final int before;
  private final Map<Anchor, Optional<Sized>> anchors = new HashMap<>();
  private Iterator<Event> events = Collections.emptyIterator();

  /** The path of the node being read. */
  private String path = "";

  /** A node and the number of nodes in it, itself included. */
  private record Sized(Node node, int size) {}

  /** Exception for a file of which the rest cannot be parsed. */
  private static final class Unreadable extends Exception {
    private static final long serialVersionUID = 1;
  }

  private YamlReader(String text, Problems problems, int before) {
    this.text = text;
    this.problems = problems;
    this.before = before;
  }

  /** Reads a document; empty if the text is none, with the reasons in problems. */
  public static Optional<Node> read(String text, Problems problems) {
    return read(text, problems, 0);
  }

  /**
   * The same, for one of several texts.
   *
   * @param before what is added to the numbers of lines in nodes, but not in problems
   */
  static Optional<Node> read(String text, Problems problems, int before) {
    return new YamlReader(text, problems, before).document();
  }

  private Optional<Node> document() {
    try {
      // The whole text at once: a surrogate pair across the reader's buffers makes it read out of
      // bounds.
      LoadSettings settings = LoadSettings.builder().setBufferSize(text.length() + 16).build();
      events = new Parse(settings).parseString(text).iterator();
      Optional<Node> root = Optional.empty();
      while (events.hasNext()) {
        Event event = events.next();
        switch (event.getEventId()) {
          case DocumentStart -> {
            if (root.isPresent()) {
              throw refuse(event, "a second document", "one document");
            }
          }
          case Alias, Scalar, SequenceStart, MappingStart ->
              root = Optional.of(node(event, 1).node());
          default -> {}
        }
      }
      return root;
    } catch (Unreadable e) {
      return Optional.empty();
    } catch (MarkedYamlEngineException e) {
      SyntaxError error = SyntaxError.of(text, e);
      problems.add(
          error.line(), error.column(), Problems.DOCUMENT, error.found(), error.expected());
      return Optional.empty();
    } catch (ReaderException e) {
      long[] place = placeOf(text, e.getPosition());
      problems.add(
          (int) place[0],
          (int) place[1],
          Problems.DOCUMENT,
          String.format("the character U+%04X", e.getCodePoint()),
          "the printable characters of YAML 1.2");
      return Optional.empty();
    } catch (YamlEngineException | IllegalArgumentException e) {
      // The parser checks most of its input, but lets the JDK refuse escapes beyond Unicode.
      problems.add(1, 1, Problems.DOCUMENT, SyntaxError.oneLine(e.getMessage()), "YAML 1.2");
      return Optional.empty();
    }
  }

  /** Line and column, from 1, of the code point with that index. */
  private static long[] placeOf(String text, int index) {
    long line = 1;
    long column = 1;
    int[] before = text.codePoints().limit(Math.max(0, index)).toArray();
    for (int c : before) {
      if (c == '\n') {
        line++;
        column = 1;
      } else {
        column++;
      }
    }
    return new long[] {line, column};
  }

  private Unreadable refuse(Event at, String found, String expected) {
    problems.add(line(at), column(at), Problems.DOCUMENT, found, expected);
    return new Unreadable();
  }

  private static int line(Event event) {
    return event.getStartMark().map(Mark::getLine).orElse(0) + 1;
  }

  private static int column(Event event) {
    return event.getStartMark().map(Mark::getColumn).orElse(0) + 1;
  }

  private Sized node(Event event, int depth) throws Unreadable {
    if (event instanceof AliasEvent alias) {
      return anchored(alias);
    }
    if (depth > MAX_DEPTH) {
      throw refuse(event, "nesting deeper than " + MAX_DEPTH, "less");
    }
    Optional<Anchor> anchor = ((NodeEvent) event).getAnchor();
    anchor.ifPresent(a -> anchors.put(a, Optional.empty()));
    Sized read =
        switch (event.getEventId()) {
          case Scalar -> new Sized(scalar((ScalarEvent) event), 1);
          case SequenceStart -> sequence(event, depth);
          case MappingStart -> mapping(event, depth);
          default -> throw new IllegalStateException("no node begins with " + event);
        };
    if (read.size() > MAX_NODES) {
      throw refuse(event, "more than " + MAX_NODES + " nodes", "less");
    }
    anchor.ifPresent(a -> anchors.put(a, Optional.of(read)));
    return read;
  }

  private Sized anchored(AliasEvent alias) throws Unreadable {
    Optional<Sized> read = anchors.get(alias.getAlias());
    if (read == null) {
      throw refuse(alias, "*" + alias.getAlias(), "an alias of an anchor that is defined above it");
    }
    return read.orElseThrow(
        () -> refuse(alias, "*" + alias.getAlias() + " inside itself", "an alias elsewhere"));
  }

  private Node.Scalar scalar(ScalarEvent event) throws Unreadable {
    refuseTag(event, event.getTag());
    return new Node.Scalar(before + line(event), column(event), event.getValue(), !event.isPlain());
  }

  private void refuseTag(Event event, Optional<String> tag) throws Unreadable {
    if (tag.isPresent()) {
      throw refuse(event, "the tag " + tag.get().replace("tag:yaml.org,2002:", "!!"), "no tags");
    }
  }

  private Sized sequence(Event start, int depth) throws Unreadable {
    refuseTag(start, ((CollectionStartEvent) start).getTag());
    List<Node> items = new ArrayList<>();
    int size = 1;
    for (Event e = events.next(); e.getEventId() != Event.ID.SequenceEnd; e = events.next()) {
      String outer = path;
      path = outer + "[" + items.size() + "]";
      Sized item = node(e, depth + 1);
      path = outer;
      size = Math.min(size + item.size(), MAX_NODES + 1);
      items.add(item.node());
    }
    return new Sized(new Node.Sequence(before + line(start), column(start), items), size);
  }

  /** Notes the mappings of a merge key. The keys next to it take precedence. */
  private void merge(Event at, Node value, List<Node.Mapping> merged) throws Unreadable {
    List<Node> all = value instanceof Node.Sequence several ? several.items() : List.of(value);
    for (Node each : all) {
      if (!(each instanceof Node.Mapping mapping)) {
        throw refuse(at, MERGE + " with " + each.describe(), "a mapping, or a list of mappings");
      }
      merged.add(mapping);
    }
  }

  private Sized mapping(Event start, int depth) throws Unreadable {
    refuseTag(start, ((CollectionStartEvent) start).getTag());
    Map<String, Node.Entry> entries = new LinkedHashMap<>();
    List<Node.Mapping> merged = new ArrayList<>();
    int size = 1;
    for (Event e = events.next(); e.getEventId() != Event.ID.MappingEnd; e = events.next()) {
      Node key = node(e, depth + 1).node();
      if (!(key instanceof Node.Scalar name)) {
        throw refuse(e, key.describe() + " as a key", "a name");
      }
      String outer = path;
      path = outer.isEmpty() ? name.text() : outer + "." + name.text();
      Sized value = node(events.next(), depth + 1);
      size = Math.min(size + 1 + value.size(), MAX_NODES + 1);
      if (!name.quoted() && name.text().equals(MERGE)) {
        merge(e, value.node(), merged);
        path = outer;
        continue;
      }
      Node.Entry earlier = entries.putIfAbsent(name.text(), new Node.Entry(name, value.node()));
      if (earlier != null) {
        problems.add(
            line(e),
            column(e),
            path,
            "the key " + name.describe() + " again, as on line " + (earlier.key().line() - before),
            "every key once");
      }
      path = outer;
    }
    for (Node.Mapping other : merged) {
      other.entries().forEach(each -> entries.putIfAbsent(each.key().text(), each));
    }
    List<Node.Entry> inOrder = List.copyOf(entries.values());
    return new Sized(new Node.Mapping(before + line(start), column(start), inOrder), size);
  }
}
