package sluice.advisories;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

/** The API of osv.dev, version 1: every advisory about some packages, of any version. */
final class Osv {
  static final URI PUBLIC = URI.create("https://api.osv.dev");

  /** More pages than this are an answer that leads in a circle. */
  private static final int MAX_PAGES = 100;

  private final URI base;
  private final Duration timeout;
  private final HttpClient http;

  Osv(URI base, Duration timeout) {
    this.base = base;
    this.timeout = timeout;
    this.http = HttpClient.newBuilder().connectTimeout(timeout).build();
  }

  /**
   * Asks for all of them.
   *
   * @throws IOException if any of the answers is missing or not understood: a part of them is no
   *     snapshot
   */
  Snapshot ask(NavigableSet<String> packages, LocalDate today)
      throws IOException, InterruptedException {
    NavigableSet<String> ids = new TreeSet<>();
    Map<String, String> open =
        new LinkedHashMap<>(); // by package the page to ask for, "" for the first
    packages.forEach(name -> open.put(name, ""));
    for (int page = 0; !open.isEmpty(); page++) {
      if (page == MAX_PAGES) {
        throw new IOException(
            base + ": found more than " + MAX_PAGES + " pages, expected a last one");
      }
      List<String> names = List.copyOf(open.keySet());
      JsonArray queries = new JsonArray();
      for (Map.Entry<String, String> each : open.entrySet()) {
        JsonObject query =
            new JsonObject()
                .put(
                    "package",
                    new JsonObject().put("ecosystem", "Maven").put("name", each.getKey()));
        String token = each.getValue();
        queries.add(token.isEmpty() ? query : query.put("page_token", token));
      }
      URI uri = base.resolve("/v1/querybatch");
      JsonObject answer =
          send(
              HttpRequest.newBuilder(uri)
                  .header("Content-Type", "application/json")
                  .POST(
                      BodyPublishers.ofString(new JsonObject().put("queries", queries).encode())));
      List<JsonObject> results = Advisory.objects(answer.getJsonArray("results")).toList();
      if (results.size() != names.size()) {
        throw new IOException(
            uri + ": found " + results.size() + " results, expected " + names.size());
      }
      open.clear();
      for (int i = 0; i < names.size(); i++) {
        Advisory.objects(results.get(i).getJsonArray("vulns"))
            .forEach(found -> ids.add(found.getString("id")));
        String next = results.get(i).getString("next_page_token", "");
        if (!next.isEmpty()) {
          open.put(names.get(i), next);
        }
      }
    }
    List<Advisory> advisories = new ArrayList<>();
    for (String id : ids) {
      URI uri = base.resolve("/v1/vulns/" + id);
      JsonObject osv = send(HttpRequest.newBuilder(uri).GET());
      if (!id.equals(osv.getString("id"))) {
        throw new IOException(
            uri + ": found the advisory " + osv.getString("id") + ", expected " + id);
      }
      if (!osv.containsKey("withdrawn")) {
        advisories.add(new Advisory(Advisory.factsOf(osv, packages::contains)));
      }
    }
    return new Snapshot(today, base.toString(), packages, advisories);
  }

  private JsonObject send(HttpRequest.Builder request) throws IOException, InterruptedException {
    HttpRequest whole = request.timeout(timeout).build();
    HttpResponse<String> response;
    try {
      response = http.send(whole, BodyHandlers.ofString());
    } catch (IOException unreachable) {
      throw new IOException(
          whole.uri() + " cannot be reached from here: " + unreachable, unreachable);
    }
    if (response.statusCode() != 200) {
      throw new IOException(
          whole.uri() + ": found status " + response.statusCode() + ", expected 200");
    }
    try {
      return new JsonObject(response.body());
    } catch (DecodeException | ClassCastException notJson) {
      throw new IOException(
          whole.uri() + ": found something else, expected a JSON object", notJson);
    }
  }
}
