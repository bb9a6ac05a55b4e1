package sluice.load;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import sluice.config.model.Address;

/**
 * HTTP server for the artifacts, which runs before the process ends, because files cannot be copied
 * from a finished container. {@code GET /} lists them, {@code GET /NAME} returns one, {@code POST
 * /done} ends it.
 */
final class Hold {
  private static final Pattern NAME = Pattern.compile("/([A-Za-z0-9][A-Za-z0-9_.-]*)");

  private final Path directory;
  private final CountDownLatch done = new CountDownLatch(1);

  Hold(Path directory) {
    this.directory = directory;
  }

  /** Serves until a client posts to {@code /done}, or the given seconds have passed. */
  void serve(Address.Tcp address, long seconds, PrintStream out)
      throws IOException, InterruptedException {
    Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1).setWorkerPoolSize(1));
    try {
      CountDownLatch bound = new CountDownLatch(1);
      HttpServer[] server = new HttpServer[1];
      vertx
          .createHttpServer()
          .requestHandler(this::answer)
          .listen(address.port(), address.host())
          .onSuccess(listening -> server[0] = listening)
          .onComplete(listening -> bound.countDown());
      bound.await();
      if (server[0] == null) {
        throw new IOException("cannot listen on " + address.label());
      }
      out.println("ARTIFACTS READY " + address.host() + ":" + server[0].actualPort());
      if (!done.await(seconds, TimeUnit.SECONDS)) {
        out.println("no client posted /done within " + seconds + " s");
      }
    } finally {
      CountDownLatch closed = new CountDownLatch(1);
      vertx.close().onComplete(gone -> closed.countDown());
      closed.await();
    }
  }

  private void answer(HttpServerRequest request) {
    var name = NAME.matcher(request.path());
    if (request.method().equals(HttpMethod.POST) && request.path().equals("/done")) {
      request.response().end("done\n").onComplete(sent -> done.countDown());
    } else if (!request.method().equals(HttpMethod.GET)) {
      request.response().setStatusCode(405).end();
    } else if (request.path().equals("/")) {
      request.response().end(list());
    } else if (name.matches() && Files.isRegularFile(directory.resolve(name.group(1)))) {
      request.response().sendFile(directory.resolve(name.group(1)).toString());
    } else {
      request.response().setStatusCode(404).end();
    }
  }

  private String list() {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> file.getFileName() + "\n")
          .sorted()
          .collect(Collectors.joining());
    } catch (IOException e) {
      return "";
    }
  }
}
