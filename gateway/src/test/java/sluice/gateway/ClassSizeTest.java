package sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.JavaFileObject.Kind;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/**
 * Size of the classes of all modules of the product, as their sources say: mutable fields, levels
 * of inheritance, lines. What is larger today stands in a list, which may only shrink.
 */
class ClassSizeTest {
  private static final int MOST_FIELDS = 12;
  private static final int MOST_LEVELS = 2;
  private static final int MOST_LINES = 400;
  private static final String REASON = "Longer than 400 lines because";

  private static final List<String> MODULES =
      List.of("names", "codecs", "config", "embedded", "gateway", "load");

  /** Fields that are neither final nor static, of classes with too many. */
  private static final Map<String, Integer> KNOWN_FIELDS = Map.of();

  /** Classes of ours from the top of the inheritance down, of classes with too many above. */
  private static final Map<String, Integer> KNOWN_LEVELS = Map.of();

  /**
   * Lines, rounded up to fifty, of files with too many, and without a reason in the Javadoc of
   * their class.
   */
  private static final Map<String, Integer> KNOWN_LINES = Map.of();

  /** What was measured, by the names of classes; lines by those of outermost ones. */
  private record Sizes(
      Map<String, Integer> fields, Map<String, Integer> levels, Map<String, Integer> lines) {
    Sizes() {
      this(new TreeMap<>(), new TreeMap<>(), new TreeMap<>());
    }
  }

  @Test
  void shouldHaveNoClassThatIsTooLarge() throws IOException {
    Sizes sizes = measure(sources());
    assertThat(sizes.lines()).hasSizeGreaterThan(500);
    assertThat(offenders(sizes.fields(), MOST_FIELDS, KNOWN_FIELDS)).isEmpty();
    assertThat(offenders(sizes.levels(), MOST_LEVELS, KNOWN_LEVELS)).isEmpty();
    assertThat(offenders(sizes.lines(), MOST_LINES, KNOWN_LINES)).isEmpty();
  }

  @Test
  void shouldListNoClassThatIsSmallEnoughByNow() throws IOException {
    Sizes sizes = measure(sources());
    assertThat(mended(sizes.fields(), MOST_FIELDS, KNOWN_FIELDS)).isEmpty();
    assertThat(mended(sizes.levels(), MOST_LEVELS, KNOWN_LEVELS)).isEmpty();
    assertThat(mended(sizes.lines(), MOST_LINES, KNOWN_LINES)).isEmpty();
  }

  @Test
  void shouldMeasureFieldsAndLevels() throws IOException {
    Sizes sizes =
        measure(
            List.of(
                source("p.A", "class A { int x; static int y; final int z = 1; volatile int v; }"),
                source("p.B", "class B extends A { final class In { String s; } }"),
                source("q.C", "import p.B; class C extends B {}"),
                source("q.D", "class D extends A { }"),
                source("q.E", "interface E { int X = 1; }"),
                source("q.F", "record F(int x) {}"),
                source("q.G", "enum G { ONE; int x; }")));
    assertThat(sizes.fields())
        .containsEntry("p.A", 2)
        .containsEntry("p.B", 0)
        .containsEntry("p.B.In", 1)
        .containsEntry("q.E", 0)
        .containsEntry("q.F", 0)
        .containsEntry("q.G", 1);
    assertThat(sizes.levels())
        .containsEntry("p.A", 1)
        .containsEntry("p.B", 2)
        .containsEntry("q.C", 3)
        .containsEntry("q.D", 1);
    assertThat(offenders(sizes.levels(), 2, Map.of())).containsOnlyKeys("q.C");
    assertThat(offenders(sizes.levels(), 2, Map.of("q.C", 3))).isEmpty();
    assertThat(mended(sizes.levels(), 2, Map.of("q.C", 3, "p.B", 3))).containsExactly("p.B");
  }

  @Test
  void shouldCountLinesUnlessThereIsAReason() throws IOException {
    String body = "{" + "\n".repeat(450) + "}";
    String reason = "/**\n * A class. Longer than 400\n * lines because it says so.\n */\n";
    Sizes sizes =
        measure(
            List.of(
                source("p.Long", "class Long " + body),
                source("p.Reason", reason + "class Reason " + body),
                source("p.Late", "class Late {\n" + reason + "int x;" + body + "}")));
    assertThat(offenders(sizes.lines(), MOST_LINES, Map.of())).containsOnlyKeys("p.Long", "p.Late");
  }

  /** Those that are larger than allowed, and than is known of them. */
  private static Map<String, Integer> offenders(
      Map<String, Integer> found, int allowed, Map<String, Integer> known) {
    Map<String, Integer> offenders = new TreeMap<>(found);
    offenders
        .entrySet()
        .removeIf(one -> one.getValue() <= known.getOrDefault(one.getKey(), allowed));
    return offenders;
  }

  /** Those that are listed, and need not be. */
  private static List<String> mended(
      Map<String, Integer> found, int allowed, Map<String, Integer> known) {
    return known.keySet().stream()
        .filter(name -> found.getOrDefault(name, 0) <= allowed)
        .sorted()
        .toList();
  }

  // --- sources ------------------------------------------------------------------------------

  private static List<JavaFileObject> sources() throws IOException {
    List<JavaFileObject> sources = new ArrayList<>();
    for (String module : MODULES) {
      Path root = Path.of("..", module, "src", "main", "java");
      assertThat(root).isDirectory();
      try (Stream<Path> files = Files.walk(root)) {
        for (Path file : files.filter(ClassSizeTest::isOfClass).sorted().toList()) {
          sources.add(source(file.toUri(), Files.readString(file)));
        }
      }
    }
    return sources;
  }

  private static boolean isOfClass(Path file) {
    String name = file.getFileName().toString();
    return name.endsWith(".java") && !name.endsWith("-info.java");
  }

  private static JavaFileObject source(String name, String text) {
    int dot = name.lastIndexOf('.');
    return source(
        URI.create("string:///" + name.replace('.', '/') + Kind.SOURCE.extension),
        "package " + name.substring(0, dot) + ";\n" + text);
  }

  private static JavaFileObject source(URI uri, String text) {
    return new SimpleJavaFileObject(uri, Kind.SOURCE) {
      @Override
      public CharSequence getCharContent(boolean ignoreEncodingErrors) {
        return text;
      }
    };
  }

  // --- measuring ----------------------------------------------------------------------------

  private static Sizes measure(List<JavaFileObject> sources) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask) compiler.getTask(null, files, null, List.of("-proc:none"), null, sources);
      SourcePositions positions = Trees.instance(task).getSourcePositions();
      Sizes sizes = new Sizes();
      Map<String, List<String>> above = new HashMap<>();
      for (CompilationUnitTree unit : task.parse()) {
        new Measuring(unit, sizes, above).scan(unit, null);
        Tree first = unit.getTypeDecls().get(0);
        String text = unit.getSourceFile().getCharContent(true).toString();
        String comment =
            text.substring(0, (int) positions.getStartPosition(unit, first))
                .replaceAll("\\s+\\*\\s+", " ");
        if (!comment.contains(REASON)) {
          String name = unit.getPackageName() + "." + ((ClassTree) first).getSimpleName();
          sizes.lines().put(name, (int) text.lines().count());
        }
      }
      above.keySet().forEach(name -> sizes.levels().put(name, levels(name, above)));
      return sizes;
    }
  }

  /** Counts classes of ours from name upwards. */
  private static int levels(String name, Map<String, List<String>> above) {
    return above.get(name).stream()
        .filter(above::containsKey)
        .findFirst()
        .map(parent -> 1 + levels(parent, above))
        .orElse(1);
  }

  /** Visitor of one source file. */
  private static final class Measuring extends TreeScanner<Void, Void> {
    private final String file;
    private final Map<String, String> imports = new HashMap<>();
    private final Sizes sizes;
    private final Map<String, List<String>> above;
    private final Deque<String> names = new ArrayDeque<>();

    /**
     * A visitor.
     *
     * @param above which names the super class of each class may stand for, the likeliest first
     */
    Measuring(CompilationUnitTree unit, Sizes sizes, Map<String, List<String>> above) {
      this.file = unit.getPackageName().toString();
      this.sizes = sizes;
      this.above = above;
      for (ImportTree each : unit.getImports()) {
        String name = each.getQualifiedIdentifier().toString();
        imports.put(name.substring(name.lastIndexOf('.') + 1), name);
      }
    }

    @Override
    public Void visitClass(ClassTree tree, Void unused) {
      if (tree.getSimpleName().isEmpty()) {
        return super.visitClass(tree, null); // anonymous: it has no name to be listed by
      }
      String outer = names.isEmpty() ? file : names.peek();
      names.push(outer + "." + tree.getSimpleName());
      sizes.fields().put(names.peek(), mutableFields(tree));
      above.put(names.peek(), candidates(tree.getExtendsClause()));
      super.visitClass(tree, null);
      names.pop();
      return null;
    }

    private static int mutableFields(ClassTree tree) {
      if (tree.getKind() != Tree.Kind.CLASS && tree.getKind() != Tree.Kind.ENUM) {
        return 0;
      }
      int count = 0;
      for (Tree member : tree.getMembers()) {
        if (member instanceof VariableTree field) {
          Set<Modifier> flags = field.getModifiers().getFlags();
          count += flags.contains(Modifier.FINAL) || flags.contains(Modifier.STATIC) ? 0 : 1;
        }
      }
      return count;
    }

    private List<String> candidates(Tree superClass) {
      List<String> candidates = new ArrayList<>();
      if (superClass != null) {
        String name = superClass.toString().replaceAll("<.*", "");
        int dot = name.indexOf('.');
        String first = dot < 0 ? name : name.substring(0, dot);
        String rest = dot < 0 ? "" : name.substring(dot);
        names.forEach(outer -> candidates.add(outer + "." + name));
        candidates.add(imports.getOrDefault(first, file + "." + first) + rest);
      }
      return candidates;
    }
  }
}
