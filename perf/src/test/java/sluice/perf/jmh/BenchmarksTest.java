package sluice.perf.jmh;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Every benchmark is set up, which compares its results, and its measured methods are called a few
 * times; nothing is timed. What is asked of them besides is checked of all, those beside other
 * systems too, as far as their sources say it.
 */
class BenchmarksTest {
  private static final int CALLS = 3; // more than one: what a call uses up, the next has again

  /** The classes with benchmarks that JMH's processor has listed. */
  private static List<Class<?>> benchmarks() throws ClassNotFoundException {
    TreeSet<String> names = new TreeSet<>();
    BenchmarkList.defaultList()
        .getAll(
            OutputFormatFactory.createFormatInstance(
                new PrintStream(OutputStream.nullOutputStream(), false, UTF_8), VerboseMode.SILENT),
            List.of())
        .forEach(entry -> names.add(entry.getUserClassQName()));
    List<Class<?>> classes = new ArrayList<>();
    for (String name : names) {
      classes.add(Class.forName(name));
    }
    return classes;
  }

  @TestFactory
  Stream<DynamicTest> shouldAgreeBeforeAnythingIsTimed() throws Exception {
    List<DynamicTest> tests = new ArrayList<>();
    for (Class<?> benchmark : benchmarks()) {
      for (Map<String, String> values : combinations(benchmark)) {
        tests.add(
            DynamicTest.dynamicTest(
                benchmark.getSimpleName() + " " + values, () -> run(benchmark, values)));
      }
    }
    assertThat(tests).isNotEmpty();
    return tests.stream();
  }

  /** Each value of each param at least once; not each with each other. */
  private static List<Map<String, String>> combinations(Class<?> benchmark) {
    List<Field> params =
        Arrays.stream(benchmark.getFields())
            .filter(field -> field.isAnnotationPresent(Param.class))
            .toList();
    int most = params.stream().mapToInt(field -> values(field).length).max().orElse(1);
    List<Map<String, String>> all = new ArrayList<>();
    for (int i = 0; i < most; i++) {
      Map<String, String> values = new LinkedHashMap<>();
      for (int p = 0; p < params.size(); p++) {
        String[] possible = values(params.get(p));
        // two params with as many values each do not walk in step
        values.put(
            params.get(p).getName(), possible[(i + p * (possible.length / 2)) % possible.length]);
      }
      all.add(values);
    }
    return all;
  }

  private static String[] values(Field param) {
    return param.getAnnotation(Param.class).value();
  }

  private static void run(Class<?> type, Map<String, String> values) throws Exception {
    Object benchmark = type.getConstructor().newInstance();
    for (Map.Entry<String, String> value : values.entrySet()) {
      Field field = type.getField(value.getKey());
      field.set(benchmark, converted(field.getType(), value.getValue()));
    }
    try {
      callAll(benchmark, Setup.class);
      for (Method method : annotated(type, Benchmark.class)) {
        Object[] arguments = new Object[method.getParameterCount()];
        for (int i = 0; i < arguments.length; i++) {
          arguments[i] = method.getParameterTypes()[i].getConstructor().newInstance();
        }
        for (int i = 0; i < CALLS; i++) {
          assertThat(call(method, benchmark, arguments)).as(method.getName()).isNotNull();
        }
      }
    } finally {
      callAll(benchmark, TearDown.class);
    }
  }

  private static Object converted(Class<?> type, String value) {
    if (type.isEnum()) {
      return Arrays.stream(type.getEnumConstants())
          .filter(constant -> ((Enum<?>) constant).name().equals(value))
          .findFirst()
          .orElseThrow();
    }
    return type == int.class ? (Object) Integer.parseInt(value) : value;
  }

  private static void callAll(Object benchmark, Class<? extends Annotation> annotation)
      throws Exception {
    for (Method method : annotated(benchmark.getClass(), annotation)) {
      call(method, benchmark);
    }
  }

  private static List<Method> annotated(Class<?> type, Class<? extends Annotation> annotation) {
    return Arrays.stream(type.getMethods())
        .filter(method -> method.isAnnotationPresent(annotation))
        .toList();
  }

  private static Object call(Method method, Object on, Object... arguments) throws Exception {
    try {
      return method.invoke(on, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  @Test
  void shouldConsumeResultsAndMakeNothingReadyForSingleCalls() throws Exception {
    for (Class<?> benchmark : benchmarks()) {
      assertThat(annotated(benchmark, Setup.class)).as(benchmark + " compares").isNotEmpty();
      for (Method method : annotated(benchmark, Setup.class)) {
        assertThat(method.getAnnotation(Setup.class).value())
            .as(method.toString())
            .isEqualTo(Level.Trial);
      }
      for (Method method : annotated(benchmark, TearDown.class)) {
        assertThat(method.getAnnotation(TearDown.class).value())
            .as(method.toString())
            .isEqualTo(Level.Trial);
      }
      for (Method method : annotated(benchmark, Benchmark.class)) {
        assertThat(method.getReturnType()).as(method.toString()).isNotEqualTo(void.class);
      }
    }
  }

  /** Those beside Cassandra, Ignite and Kafka are of modules that no build makes by itself. */
  @Test
  void shouldMakeNothingReadyForSingleCallsBesideOtherSystemsEither() throws IOException {
    List<Path> sources;
    try (Stream<Path> files = Files.walk(Path.of("."))) {
      sources = files.filter(file -> file.toString().endsWith("Benchmark.java")).toList();
    }
    assertThat(sources).hasSizeGreaterThan(benchmarkSources());
    for (Path source : sources) {
      assertThat(Files.readString(source))
          .as(source.toString())
          .doesNotContain("Level.Invocation", "Level.Iteration");
    }
  }

  private static int benchmarkSources() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("src/main/java/sluice/perf/jmh"))) {
      return (int) files.filter(file -> file.toString().endsWith("Benchmark.java")).count();
    }
  }
}
