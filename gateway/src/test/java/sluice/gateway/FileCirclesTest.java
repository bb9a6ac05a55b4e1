package sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Circles between source files, which package rules do not see. In a circle no file can be read,
 * tested or moved without the others. Three files that belong together may know each other.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FileCirclesTest {
  private static final int ALLOWED = 3;

  /** Of a package, {@code package-info} among them. */
  private static final int MOST_FILES = 20;

  /** Files of the gateway that lie in circles today; the number may only shrink. */
  private static final int IN_CIRCLES = 3;

  private final JavaClasses sluice = SluiceClasses.get();

  @Test
  void shouldHaveNoLargeCircle() {
    Map<String, Set<String>> uses = uses();
    assertThat(uses).hasSizeGreaterThan(500);
    assertThat(largeCircles(uses)).isEmpty();
  }

  @Test
  void shouldHaveNoLargeCircleInAnyModule() {
    Map<Path, Map<String, Set<String>>> modules = MainSources.uses();
    assertThat(modules).hasSizeGreaterThan(10);
    modules.forEach((module, uses) -> assertThat(largeCircles(uses)).as("%s", module).isEmpty());
  }

  @Test
  void shouldHaveFewFilesInCircles() {
    assertThat(inCircles(uses(), "sluice.gateway")).hasSizeLessThanOrEqualTo(IN_CIRCLES);
  }

  @Test
  void shouldFindACircle() {
    Map<String, Set<String>> uses =
        Map.of(
            "p.A", Set.of("p.B", "q.E"),
            "p.B", Set.of("p.C"),
            "p.C", Set.of("p.D"),
            "p.D", Set.of("p.A"),
            "q.E", Set.of("q.F"),
            "q.F", Set.of("q.E"));
    assertThat(largeCircles(uses)).isEqualTo(Map.of("p", 4));
    assertThat(inCircles(uses, "q")).containsExactly("q.E", "q.F");
  }

  /** Packages through which requests pass stay small enough to be seen at once. */
  @Test
  void shouldHaveNoLargePackage() {
    Map<String, Integer> files = new TreeMap<>();
    for (String file : uses().keySet()) {
      String name = file.substring(0, file.lastIndexOf('.'));
      if (name.matches("sluice\\.gateway\\.(client|dispatch|request|server|session|listen)\\b.*")) {
        files.merge(name, 1, Integer::sum);
      }
    }
    assertThat(files).hasSizeGreaterThan(10);
    files.values().removeIf(count -> count <= MOST_FILES);
    assertThat(files).isEmpty();
  }

  /** Which files use which, each by the name of its outermost class. */
  private Map<String, Set<String>> uses() {
    Map<String, Set<String>> uses = new TreeMap<>();
    for (JavaClass each : sluice) {
      Set<String> used = uses.computeIfAbsent(file(each), name -> new TreeSet<>());
      for (Dependency dependency : each.getDirectDependenciesFromSelf()) {
        JavaClass target = dependency.getTargetClass().getBaseComponentType();
        if (target.getPackageName().startsWith("sluice")) {
          used.add(file(target));
        }
      }
    }
    return uses;
  }

  private static String file(JavaClass of) {
    int nested = of.getName().indexOf('$');
    return nested < 0 ? of.getName() : of.getName().substring(0, nested);
  }

  /** The largest circle of each package that has one of more than {@value #ALLOWED} files. */
  private static Map<String, Integer> largeCircles(Map<String, Set<String>> uses) {
    Map<String, Integer> largest = new TreeMap<>();
    circles(uses)
        .forEach(
            (file, circle) -> {
              if (circle > ALLOWED) {
                largest.merge(file.substring(0, file.lastIndexOf('.')), circle, Math::max);
              }
            });
    return largest;
  }

  /** The files of a package, and of those below it, that lie in a circle of any size. */
  private static Set<String> inCircles(Map<String, Set<String>> uses, String of) {
    Set<String> found = new TreeSet<>();
    circles(uses)
        .forEach(
            (file, circle) -> {
              if (circle > 1 && file.startsWith(of + ".")) {
                found.add(file);
              }
            });
    return found;
  }

  /**
   * How many files lie in the circle of each file, itself among them; 0 or 1 if it lies in none.
   */
  private static Map<String, Integer> circles(Map<String, Set<String>> uses) {
    Map<String, Set<String>> reached = new TreeMap<>();
    uses.keySet().forEach(file -> reached.put(file, reachable(file, uses)));
    Map<String, Integer> circles = new TreeMap<>();
    for (String file : uses.keySet()) {
      long circle =
          reached.get(file).stream()
              .filter(other -> reached.getOrDefault(other, Set.of()).contains(file))
              .count();
      circles.put(file, (int) circle);
    }
    return circles;
  }

  private static Set<String> reachable(String from, Map<String, Set<String>> uses) {
    Set<String> found = new LinkedHashSet<>();
    Deque<String> next = new ArrayDeque<>(Set.of(from));
    while (!next.isEmpty()) {
      for (String used : uses.getOrDefault(next.poll(), Set.of())) {
        if (found.add(used)) {
          next.add(used);
        }
      }
    }
    return found;
  }
}
