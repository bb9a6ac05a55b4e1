package sluice.gateway.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;

/**
 * Web page for people: one document that fetches nothing but answers of this port. It is assembled
 * from several files when the first page is requested.
 */
final class Page {
  /**
   * Scripts and styles come from the page only, data from this port only. A frame may show a flame
   * graph, which can do nothing but draw. No other page may embed this one.
   */
  private static final String POLICY =
      "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src"
          + " 'self'; img-src data:; frame-src blob:; base-uri 'none'; form-action 'none';"
          + " frame-ancestors 'none'";

  private static final Answer ANSWER =
      new Answer(
          200,
          "text/html; charset=utf-8",
          whole().getBytes(UTF_8),
          Map.of("Content-Security-Policy", POLICY, "Referrer-Policy", "no-referrer"));

  private Page() {}

  static Answer answer() {
    return ANSWER;
  }

  private static String whole() {
    String page = part("page.html");
    for (String name :
        new String[] {"page.css", "metrics.js", "charts.js", "graph.js", "page.js"}) {
      page = page.replace("/*" + name + "*/", "\n" + part(name));
    }
    return page;
  }

  private static String part(String name) {
    try (InputStream in = Page.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
