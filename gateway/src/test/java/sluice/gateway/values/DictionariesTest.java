package sluice.gateway.values;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static sluice.gateway.values.Talk.found;
import static sluice.gateway.values.Talk.int32;
import static sluice.gateway.values.Talk.packet;
import static sluice.gateway.values.Talk.reply;
import static sluice.gateway.values.Talk.set;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.config.Loader;
import sluice.gateway.fixtures.Admin;
import sluice.gateway.fixtures.Gateways;
import sluice.gateway.fixtures.RealMemcached;
import sluice.gateway.process.Gateway;

/** Dictionaries that a gateway trains from what its clients store, and compresses with. */
class DictionariesTest {
  private static final int FLAG = 0x10000;

  /** Requests in one write: many samples come in a short time, on a slow machine too. */
  private static final int BATCH = 50;

  private static final String NO_DICTIONARY = "dictionary %s of compressed value is not configured";

  /** Text in which hardly anything repeats. */
  private static final String LONG =
      new Random(4)
          .ints(1500, 'a', 'z' + 1)
          .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
          .toString();

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final RealMemcached memcached = RealMemcached.start();
  @TempDir private Path directory;
  private Path file;
  private Gateway gateway;
  private InetSocketAddress address;
  private Talk client;
  private Talk server;

  @BeforeEach
  void start() throws Exception {
    file = directory.resolve("sluice.yaml");
    write("[]", "");
    gateway = Gateways.start(Loader.load(file).configuration(), file).await(20, TimeUnit.SECONDS);
    String bound = gateway.address("cache");
    int colon = bound.lastIndexOf(':');
    address =
        new InetSocketAddress(
            bound.substring(0, colon), Integer.parseInt(bound.substring(colon + 1)));
    client = new Talk(address);
    server = new Talk(memcached.address());
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    server.close();
    gateway.close().await(20, TimeUnit.SECONDS);
    memcached.close();
  }

  private void write(String dictionaries, String more) throws IOException {
    Files.writeString(
        file,
        """
        admin: {bind: 127.0.0.1:0}
        process: {eventLoops: 2}
        listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
        routes: {cache: [{pool: cache}]}
        pools:
          cache:
            timeout: 5s
            servers: ["127.0.0.1:%d"]
            compression: {above: 32B, dictionaries: %s%s}
          plain: {servers: ["127.0.0.1:%d"]}
        """
            .formatted(
                memcached.address().getPort(), dictionaries, more, memcached.address().getPort()));
  }

  private List<String> reload(String dictionaries, String more) throws Exception {
    write(dictionaries, more);
    return gateway.reload().await(20, TimeUnit.SECONDS);
  }

  private static String json(Random random) {
    return String.format(
        Locale.ROOT,
        "{\"id\":%d,\"name\":\"user%d\",\"role\":\"%s\",\"visits\":%d,\"active\":%b}",
        random.nextInt(10_000_000),
        random.nextInt(1_000_000),
        random.nextBoolean() ? "editor" : "viewer",
        random.nextInt(1000),
        random.nextBoolean());
  }

  private HttpRequest training(String question) {
    return HttpRequest.newBuilder(
            URI.create("http://" + gateway.adminAddress() + "/dictionary" + question))
        .POST(HttpRequest.BodyPublishers.noBody())
        .build();
  }

  /** Trains a dictionary while the client stores values. */
  private HttpResponse<byte[]> train(int size, Random random) throws Exception {
    CompletableFuture<HttpResponse<byte[]>> trained =
        http.sendAsync(
            training("?pool=cache&seconds=2&size=" + size),
            HttpResponse.BodyHandlers.ofByteArray());
    while (!trained.isDone()) {
      StringBuilder batch = new StringBuilder();
      for (int i = 0; i < BATCH; i++) {
        batch.append(set("sample", 1, json(random)));
      }
      client.expect(batch.toString(), "STORED\r\n".repeat(BATCH));
    }
    HttpResponse<byte[]> answer = trained.get(60, TimeUnit.SECONDS);
    assertThat(answer.statusCode()).as(new String(answer.body(), UTF_8)).isEqualTo(200);
    return answer;
  }

  @Test
  void shouldCompressWithWhatItWasTrainedOnUntilTheDictionaryIsGone() throws Exception {
    Random random = new Random(1);
    HttpResponse<byte[]> one = train(1024, random);
    String id = one.headers().firstValue("Sluice-Dictionary-Id").orElseThrow();
    assertThat(one.headers().firstValue("Content-Disposition"))
        .contains("attachment; filename=\"cache-" + id + ".zdict\"");
    assertThat(Integer.parseInt(one.headers().firstValue("Sluice-Samples").orElseThrow()))
        .isGreaterThanOrEqualTo(100);
    Files.write(directory.resolve("one.zdict"), one.body());

    String before = json(random);
    client.expect(set("before", 5, before), "STORED\r\n");
    assertThat(reload("[one.zdict]", "")).isEmpty();
    String after = json(random);
    client.expect(set("after", FLAG | 5, after), "STORED\r\n");
    assertThat(server.value("after").length()).isLessThan(after.length() * 7 / 10);
    client.expect("get before\r\n", found("before", 5, before));
    client.expect("get after\r\n", found("after", FLAG | 5, after));
    client.expect(
        "mg after s v\r\n", "VA %d s%d\r\n%s\r\n".formatted(after.length(), after.length(), after));

    Files.write(directory.resolve("two.zdict"), train(2048, random).body());
    assertThat(reload("[two.zdict, one.zdict]", "")).isEmpty();
    String latest = json(random);
    client.expect(set("latest", 0, latest), "STORED\r\n");
    client.expect("append latest 0 0 3\r\nabc\r\n", "STORED\r\n");
    client.expect("get latest\r\n", found("latest", 0, latest + "abc"));
    client.expect("get after\r\n", found("after", FLAG | 5, after));
    assertThat(server.value("latest").substring(15, 19))
        .isNotEqualTo(server.value("after").substring(15, 19));

    assertThat(reload("[two.zdict]", "")).isEmpty();
    String missing = NO_DICTIONARY.formatted(id);
    client.expect("get after\r\n", "SERVER_ERROR " + missing + "\r\n");
    client.expect("get latest\r\n", found("latest", 0, latest + "abc"));
    try (Talk binary = new Talk(address)) {
      binary.expectPacket(
          packet(0x00, "", "after", ""), reply(0x00, 0x84, "", "SERVER_ERROR " + missing));
      binary.expectPacket(packet(0x00, "", "latest", ""), reply(0x00, 0, int32(0), latest + "abc"));
    }

    assertThat(reload("[two.zdict]", ", onCorrupt: pass")).isEmpty();
    assertThat(client.value("after")).startsWith("\u00f8SLz");
  }

  @Test
  void shouldKeepTheDictionariesInUseIfTheFileIsInvalid() throws Exception {
    Random random = new Random(2);
    Files.write(directory.resolve("one.zdict"), train(1024, random).body());
    assertThat(reload("[one.zdict]", "")).isEmpty();
    String value = json(random);
    client.expect(set("k", 1, value), "STORED\r\n");
    assertThat(reload("[sluice.yaml]", ""))
        .singleElement()
        .asString()
        .contains("sluice.yaml: no trained dictionary, expected a trained Zstandard dictionary");
    client.expect("get k\r\n", found("k", 1, value));
  }

  @Test
  void shouldSayWhyThereIsNoDictionary() {
    assertThat(Admin.post(gateway, "/dictionary?pool=cache&seconds=1").body())
        .contains("pool cache in 1 seconds: 0 samples, expected at least 100");
    assertThat(Admin.post(gateway, "/dictionary?pool=cache&seconds=1").statusCode()).isEqualTo(503);
    assertThat(Admin.post(gateway, "/dictionary?pool=plain").body())
        .contains("pool plain compresses no values: it has no 'compression'");
    assertThat(Admin.post(gateway, "/dictionary?pool=none").statusCode()).isEqualTo(404);
  }

  /** As many long values as short ones: short ones would fit into a budget more often. */
  @Test
  void shouldSampleValuesOfAllLengths() throws Exception {
    Random random = new Random(3);
    CompletableFuture<HttpResponse<byte[]>> trained =
        http.sendAsync(
            training("?pool=cache&seconds=2&size=4096"), HttpResponse.BodyHandlers.ofByteArray());
    while (!trained.isDone()) {
      StringBuilder batch = new StringBuilder();
      for (int i = 0; i < BATCH; i++) {
        batch.append(set("short", 1, json(random)));
        batch.append(set("long", 1, "<user><id>" + random.nextInt(1_000_000) + "</id>" + LONG));
      }
      client.expect(batch.toString(), "STORED\r\n".repeat(2 * BATCH));
    }
    Files.write(directory.resolve("both.zdict"), trained.get(60, TimeUnit.SECONDS).body());
    assertThat(reload("[both.zdict]", "")).isEmpty();
    String value = "<user><id>" + random.nextInt(1_000_000) + "</id>" + LONG;
    client.expect(set("k", 1, value), "STORED\r\n");
    assertThat(server.value("k").length()).isLessThan(value.length() / 10);
  }

  @Test
  void shouldTakeOneTrainingAtATime() throws Exception {
    CompletableFuture<Integer> first = status("?pool=cache&seconds=2");
    CompletableFuture<Integer> second = status("?pool=cache&seconds=2");
    assertThat(List.of(first.get(60, TimeUnit.SECONDS), second.get(60, TimeUnit.SECONDS)))
        .containsExactlyInAnyOrder(503, 409);
    assertThat(status("?pool=cache&seconds=1").get(60, TimeUnit.SECONDS)).isEqualTo(503);
  }

  private CompletableFuture<Integer> status(String question) {
    return http.sendAsync(training(question), HttpResponse.BodyHandlers.discarding())
        .thenApply(HttpResponse::statusCode);
  }
}
