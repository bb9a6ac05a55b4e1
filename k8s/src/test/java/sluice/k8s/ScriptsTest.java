package sluice.k8s;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * load.sh and collect.sh, with a kubectl that plays a cluster: tries of the Job that end with the
 * codes a test names. What a real one answers is not shown here.
 */
@Timeout(120)
class ScriptsTest {
  /**
   * Answers from files of its directory: pods, job, POD.code, claim, rendered, secret, measured,
   * waiting, refused; calls.log is what was asked, secret.yaml what was made. With a file silent,
   * drivers leave no verdict.
   */
  private static final String KUBECTL =
      """
      #!/usr/bin/env bash
      cd "$(dirname "$0")"
      echo "$*" >>calls.log
      case "$*" in
        "get serviceaccount default") ;;
        "delete job sluice-load --ignore-not-found --cascade=foreground --wait") ;;
        "delete deployment -l app.kubernetes.io/part-of=sluice-load --cascade=foreground --wait"*) ;;
        "kustomize "*) cat rendered ;;
        "get secret sluice-load-admin --ignore-not-found -o name") cat secret ;;
        "create -f -") cat >secret.yaml ;;
        "apply -k "*) [ -f "$3/kustomization.yaml" ] && cp first pods ;;
        "apply -f "*reader.yaml) ;;
        "wait --for=condition=Ready pod/sluice-load-reader "*) ;;
        "delete pod sluice-load-reader "*) ;;
        "exec sluice-load-reader -- tar -C /artifacts -cf - .") tar -C artifacts -cf - . ;;
        "get job sluice-load "*activeDeadlineSeconds*) echo 60 ;;
        "get job sluice-load "*conditions*) cat job ;;
        "get job sluice-load "*uid*) echo the-uid ;;
        "get events --field-selector involvedObject.uid=the-uid,reason=FailedCreate "*) cat refused ;;
        "get pods -l batch.kubernetes.io/job-name=sluice-load "*) cat pods ;;
        "get pods -l app.kubernetes.io/part-of=sluice-load,app.kubernetes.io/component!=load "*) cat measured ;;
        "get pods -l app.kubernetes.io/name=sluice,app.kubernetes.io/component in "*Unschedulable*) cat waiting ;;
        "get pod "*part-of*) [ ! -s measured ] || echo sluice-load ;;
        "get pod "*claimName*) cat claim ;;
        "get pod "*startedAt*) [ -f "$3.code" ] || echo 2026-11-21T10:00:00Z ;;
        "get pod "*exitCode*) [ ! -f "$3.code" ] || cat "$3.code" ;;
        "get pod "*message*) [ -f silent ] || echo '{"verdict":"of '"$3"'"}' ;;
        "get pod "*" -o yaml") echo "kind: Pod" ;;
        "logs "*" -c driver") [ ! -f silent ] || echo "a file is wrong"; [ -s claim ] || [ -f ends ] || echo "ARTIFACTS READY 127.0.0.1:9902" ;;
        "logs sluice-load-gateway-1 -c sluice --previous") echo "log of one that ended" ;;
        "logs "*" --previous") exit 1 ;;
        "logs "*" -c "*) [ ! -s measured ] || [[ $2 != sluice-load-[0-9] ]] && echo "log of $4" ;;
        "port-forward pod/"*" :9902") echo "Forwarding from 127.0.0.1:PORT -> 9902"; exec sleep 100 ;;
        *) echo "found $*" >&2; exit 1 ;;
      esac
      """;

  /** As {@code sleep}, but the pause between two looks of load.sh at its Job is shorter. */
  private static final String SLEEP =
      """
      #!/bin/sh
      [ "$1" = 2 ] && set -- 0.1
      exec /bin/sleep "$@"
      """;

  private static final Map<String, String> ARTIFACTS =
      Map.of("verdict.json", "{}\n", "profile.jfr", "\\u0000\\r\\n", "env.json", "{}");

  @TempDir Path directory;
  private final Deque<Integer> codes = new ArrayDeque<>();
  private HttpServer driver;
  private int tries = 1;
  private String said;

  @BeforeEach
  void start() throws IOException {
    driver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    driver.createContext("/", this::answer);
    driver.start();
    program("kubectl", KUBECTL.replace("PORT", Integer.toString(driver.getAddress().getPort())));
    program("sleep", SLEEP);
    Files.writeString(directory.resolve("first"), "sluice-load-1\n");
    for (String empty :
        List.of("pods", "job", "claim", "rendered", "secret", "measured", "waiting", "refused")) {
      Files.writeString(directory.resolve(empty), "");
    }
  }

  private void program(String name, String text) throws IOException {
    Path file = Files.writeString(directory.resolve(name), text);
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  @AfterEach
  void end() {
    driver.stop(0);
  }

  /** As a driver that holds its artifacts does. */
  private void answer(HttpExchange pending) throws IOException {
    String name = pending.getRequestURI().getPath().substring(1);
    String body =
        name.isEmpty() ? String.join("\n", ARTIFACTS.keySet()) + "\n" : ARTIFACTS.get(name);
    if (pending.getRequestMethod().equals("POST") && name.equals("done")) {
      tryEnds(codes.remove());
      body = "done\n";
    }
    pending.sendResponseHeaders(body == null ? 404 : 200, 0);
    try (pending) {
      pending.getResponseBody().write((body == null ? "" : body).getBytes(UTF_8));
    }
  }

  /** As the Job does by its podFailurePolicy: another try after 4 alone, two at most. */
  private void tryEnds(int code) throws IOException {
    Files.writeString(directory.resolve("sluice-load-" + tries + ".code"), code + "");
    if (code == 4 && tries < 3) {
      tries++;
      Files.writeString(
          directory.resolve("pods"),
          Files.readString(directory.resolve("pods")) + "sluice-load-" + tries + "\n");
    } else {
      Files.writeString(
          directory.resolve("job"),
          code == 0
              ? "SuccessCriteriaMet CompletionsReached: all;Complete CompletionsReached: all;"
              : "FailureTarget PodFailurePolicy: failed;Failed PodFailurePolicy: failed;");
    }
  }

  private int run(String script, String... arguments) throws Exception {
    List<String> words = new ArrayList<>(List.of(Manifests.ROOT.resolve(script).toString()));
    words.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
    builder.environment().put("KUBECTL", directory.resolve("kubectl").toString());
    builder.environment().put("PATH", directory + ":" + System.getenv("PATH"));
    Process process = builder.start();
    said = new String(process.getInputStream().readAllBytes(), UTF_8);
    return process.waitFor();
  }

  private int load() throws Exception {
    return run("load.sh", "-o", directory.resolve("out").toString());
  }

  private Path collected(int attempt) {
    return directory.resolve("out/sluice-load-" + attempt);
  }

  @Test
  void shouldCollectWhatADriverHoldsAndEndAsItDid() throws Exception {
    codes.add(0);
    assertThat(load()).as("%s", said).isZero();
    for (Map.Entry<String, String> artifact : ARTIFACTS.entrySet()) {
      assertThat(collected(1).resolve(artifact.getKey())).hasContent(artifact.getValue());
    }
    assertThat(collected(1).resolve("sluice.log")).hasContent("log of sluice");
    assertThat(collected(1).resolve("pod.yaml")).hasContent("kind: Pod");
    assertThat(said).contains("{\"verdict\":\"of sluice-load-1\"}");
    assertThat(collected(1).resolve("pod-sluice.yaml")).doesNotExist();
    assertThat(collected(1).resolve("sluice-previous.log")).doesNotExist();
    assertThat(directory.resolve("secret.yaml")).doesNotExist();
  }

  /** Its rendered manifest asks for a login, and what is measured has pods of its own. */
  private void playDistributed() throws IOException {
    Files.copy(
        Manifests.ROOT.resolve("rendered/load-distributed.yaml"),
        directory.resolve("rendered"),
        StandardCopyOption.REPLACE_EXISTING);
    Files.writeString(
        directory.resolve("measured"),
        "sluice-load-gateway-1 sluice\nsluice-load-memcached-1 memcached\n");
    codes.add(0);
  }

  @Test
  void shouldMakeALoginAndCollectWhatIsMeasuredApart() throws Exception {
    playDistributed();
    Files.writeString(
        directory.resolve("waiting"),
        "sluice-load-gateway-1 waits for a node: \nsluice-load-1 waits for a node: 0/2 fit.\n");
    assertThat(load()).as("%s", said).isZero();
    Map<String, Object> secret =
        Manifests.parse(Files.readString(directory.resolve("secret.yaml"))).get(0);
    assertThat(TypedModel.problems(List.of(secret))).isEmpty();
    assertThat(Manifests.title(secret)).isEqualTo("Secret/" + LoadLogin.SECRET);
    String password = Manifests.text(secret, "stringData", "password");
    assertThat(password).matches("[0-9a-f]{48}");
    assertThat(Manifests.text(secret, "stringData", "users"))
        .isEqualTo(LoadLogin.USER + ":" + password);
    assertThat(said)
        .doesNotContain(password)
        .containsOnlyOnce("sluice-load-1 waits for a node: 0/2 fit.")
        .doesNotContain("sluice-load-gateway-1 waits");

    assertThat(collected(1).resolve("sluice.log")).hasContent("log of sluice");
    assertThat(collected(1).resolve("sluice-previous.log")).hasContent("log of one that ended");
    assertThat(collected(1).resolve("memcached.log")).hasContent("log of memcached");
    assertThat(collected(1).resolve("memcached-previous.log")).doesNotExist();
    assertThat(collected(1).resolve("pod-sluice.yaml")).hasContent("kind: Pod");
    assertThat(collected(1).resolve("pod-memcached.yaml")).hasContent("kind: Pod");
    List<String> calls = Files.readAllLines(directory.resolve("calls.log"));
    assertThat(calls).noneMatch(call -> call.contains(password));
    // Measured is what was made for it, and it is gone when the Job has ended.
    assertThat(calls.stream().filter(call -> call.matches("delete deployment .*|apply -k .*")))
        .satisfiesExactly(
            call -> assertThat(call).endsWith(" --wait"),
            call -> assertThat(call).startsWith("apply -k"),
            call -> assertThat(call).endsWith(" --wait=false"));
  }

  @Test
  void shouldKeepALoginThatIsThere() throws Exception {
    playDistributed();
    Files.writeString(directory.resolve("secret"), "secret/sluice-load-admin\n");
    assertThat(load()).as("%s", said).isZero();
    assertThat(directory.resolve("secret.yaml")).doesNotExist();
  }

  @Test
  void shouldCollectEachTryOfAJobThatSaysNothingAtFirst() throws Exception {
    codes.addAll(List.of(4, 4, 3));
    assertThat(load()).as("%s", said).isEqualTo(3);
    for (int attempt = 1; attempt <= 3; attempt++) {
      assertThat(collected(attempt).resolve("verdict.json")).isNotEmptyFile();
    }
  }

  @Test
  void shouldTellOfADriverThatEndedBeforeItHadArtifacts() throws Exception {
    Files.writeString(directory.resolve("ends"), "");
    tryEnds(2);
    assertThat(load()).as("%s", said).isEqualTo(2);
    assertThat(said).contains("has ended, and its artifacts with it");
    assertThat(collected(1).resolve("verdict.json")).isNotEmptyFile();
  }

  @Test
  void shouldTellWhyTheJobCanMakeNoPodAndEnd() throws Exception {
    Files.writeString(directory.resolve("first"), "");
    Files.writeString(
        directory.resolve("refused"),
        "of an earlier moment\npods \"sluice-load-1\" is forbidden: violates PodSecurity\n");
    assertThat(load()).as("%s", said).isOne();
    assertThat(said)
        .containsOnlyOnce("no pod can be made: pods \"sluice-load-1\" is forbidden: violates Pod")
        .contains("the Job made no pod");
  }

  @Test
  void shouldGoOnWhenAPodComesAfterAll() throws Exception {
    codes.add(0);
    Files.writeString(directory.resolve("refused"), "it was refused once\n");
    assertThat(load()).as("%s", said).isZero();
    assertThat(said).doesNotContain("the Job made no pod");
  }

  @Test
  void shouldShowWhatADriverSaidThatLeavesNoVerdict() throws Exception {
    Files.writeString(directory.resolve("ends"), "");
    Files.writeString(directory.resolve("silent"), "");
    tryEnds(2);
    assertThat(load()).as("%s", said).isEqualTo(2);
    assertThat(said).contains("a file is wrong");
  }

  @Test
  void shouldReadAVolumeThatStaysThroughAPodOfItsOwn() throws Exception {
    Files.writeString(directory.resolve("claim"), "sluice-load-artifacts");
    Path artifacts = Files.createDirectory(directory.resolve("artifacts"));
    Files.writeString(artifacts.resolve("verdict.json"), "{}");
    tryEnds(0);
    assertThat(load()).as("%s", said).isZero();
    assertThat(collected(1).resolve("verdict.json")).hasContent("{}");
    assertThat(Files.readAllLines(directory.resolve("calls.log")))
        .anyMatch(call -> call.startsWith("delete pod sluice-load-reader"));
  }

  @Test
  void shouldFailWhereAnArtifactIsMissing() throws Exception {
    codes.add(0);
    driver.removeContext("/");
    driver.createContext(
        "/",
        pending -> {
          if (pending.getRequestURI().getPath().equals("/profile.jfr")) {
            codes.clear();
            tryEnds(0); // nobody said it was done: it ended by itself
            pending.sendResponseHeaders(500, -1);
            pending.close();
          } else {
            answer(pending);
          }
        });
    assertThat(load()).as("%s", said).isOne();
    assertThat(said).contains("does not give profile.jfr");
  }

  @Test
  void shouldRefuseCommandLinesThatAreWrong() throws Exception {
    assertThat(run("load.sh", "-x")).isEqualTo(2);
    assertThat(run("load.sh", "nowhere")).isEqualTo(2);
    assertThat(said).contains("found nowhere, expected a directory with a kustomization.yaml");
    assertThat(run("load.sh", "-n")).isEqualTo(2);
    assertThat(run("collect.sh", "one")).isEqualTo(2);
    assertThat(run("load.sh", "--help")).isZero();
  }
}
