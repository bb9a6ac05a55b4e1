package sluice.perf.torture;

import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.security.cert.X509Certificate;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocket;

/** Makes happen what the plan says, one after the other; what lasts goes on meanwhile. */
final class Tormentor implements AutoCloseable {
  private static final long SECONDS_TO_FOLLOW = 300;

  /** Where nothing fails, timeouts are long and never needed. */
  private static final long MOST_GRACE_MILLIS = 4000;

  private static final int LARGEST_CUT = 400_000;

  /** An action of a plan. */
  private interface Action {
    void run() throws Exception;
  }

  private final Options options;
  private final Servers servers;
  private final Authority authority;
  private final LiveFiles files;
  private final GatewayProcess gateway;
  private final History history;
  private final Address address;
  private final Pipe pipe;
  private final Findings findings;
  private final ScheduledExecutorService healer = Executors.newSingleThreadScheduledExecutor();
  private final ScheduledFuture<?>[] healing = new ScheduledFuture<?>[Servers.COUNT];
  private final Map<Fault, Integer> done = new EnumMap<>(Fault.class);
  private int settings;

  /** The ports of the gateway. */
  record Address(int plain, int secure, int admin) {}

  Tormentor(
      Options options,
      Servers servers,
      Authority authority,
      LiveFiles files,
      GatewayProcess gateway,
      History history,
      Address address,
      Pipe pipe,
      Findings findings) {
    this.options = options;
    this.servers = servers;
    this.authority = authority;
    this.files = files;
    this.gateway = gateway;
    this.history = history;
    this.address = address;
    this.pipe = pipe;
    this.findings = findings;
  }

  /** How often each has happened. */
  Map<Fault, Integer> done() {
    return done;
  }

  /** Does one step; returns when the next may come. */
  void perform(Plan.Step step) throws Exception {
    findings.tell(step.toString());
    heal(step);
    Recorder recorder = servers.get(step.server());
    Random random = new Random(step.seed());
    switch (step.fault()) {
      // Most cuts fall into small requests and replies, some into large values.
      case CUT_REQUEST -> recorder.cutRequestsBehind(cut(random));
      case CUT_REPLY -> recorder.cutRepliesBehind(cut(random));
      case CUT_CLIENT -> pipe.cutBehind(cut(random));
      case STALL -> lasts(step, recorder.server()::pause, recorder.server()::resume);
      case DELAY -> {
        int millis = 1 + random.nextInt(options.timeoutMillis() / 2);
        lasts(step, () -> recorder.delay(millis), () -> recorder.delay(0));
      }
      case PARTITION -> lasts(step, recorder::partition, recorder::heal);
      case REFUSE -> lasts(step, recorder::refuse, recorder::listen);
      case RESTART_SERVER -> recorder.server().restart();
      case RELOAD -> {
        Setting setting = new Setting(++settings, random, servers, options);
        change(
            random,
            () -> {
              history.mayFollow(setting);
              files.configuration(setting.yaml(address.plain(), address.secure(), address.admin()));
            });
        history.follows(
            TimeUnit.MILLISECONDS.toNanos(Math.min(options.limitMillis(), MOST_GRACE_MILLIS)));
      }
      case RENEW_CERTIFICATES -> {
        for (Recorder each : servers.all()) {
          each.certificate(authority.server("server"));
        }
        X509Bundle[] renewed = new X509Bundle[1];
        change(random, () -> renewed[0] = files.renew());
        check(renewed[0].getCertificate());
      }
      case RESTART_GATEWAY -> {
        gateway.weigh();
        gateway.stop();
        gateway.start();
      }
    }
    done.merge(step.fault(), 1, Integer::sum);
    TimeUnit.MILLISECONDS.sleep(step.pauseMillis());
  }

  private static int cut(Random random) {
    return random.nextInt(random.nextInt(4) == 0 ? LARGEST_CUT : 2000);
  }

  private void lasts(Plan.Step step, Action begin, Action end) throws Exception {
    begin.run();
    healing[step.server()] =
        healer.schedule(
            () -> {
              try {
                end.run();
              } catch (Exception e) {
                findings.wrong("this run itself failed at " + step + ": " + e);
              }
            },
            step.millis(),
            TimeUnit.MILLISECONDS);
  }

  /** One thing at a time happens to a server; a gateway is started when its servers are well. */
  private void heal(Plan.Step step) throws Exception {
    if (step.fault() == Fault.RESTART_GATEWAY) {
      healAll();
    } else if (step.fault().lasts() || step.fault() == Fault.RESTART_SERVER) {
      heal(step.server());
    }
  }

  private void heal(int server) throws Exception {
    if (healing[server] != null) {
      healing[server].get(5, TimeUnit.MINUTES);
      healing[server] = null;
    }
  }

  /** Waits until nothing lasts any more. */
  void healAll() throws Exception {
    for (int i = 0; i < healing.length; i++) {
      heal(i);
    }
  }

  /** Changes files and lets the gateway know in one of three ways; it must follow. */
  private void change(Random random, Action files) throws Exception {
    double before = gateway.reloads();
    files.run();
    int way = random.nextInt(20);
    if (way < 12) {
      gateway.reload();
    } else if (way < 18) {
      gateway.hangUp();
    } // else it looks itself
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_TO_FOLLOW);
    while (gateway.reloads() == before) {
      if (System.nanoTime() - end > 0) {
        findings.wrong("the gateway did not follow a change of its files");
        return;
      }
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }

  private void check(X509Certificate expected) throws Exception {
    try (SSLSocket socket =
        (SSLSocket) authority.sockets().createSocket("127.0.0.1", address.secure())) {
      socket.setSoTimeout(60_000);
      socket.startHandshake();
      X509Certificate shown = (X509Certificate) socket.getSession().getPeerCertificates()[0];
      if (!shown.equals(expected)) {
        findings.wrong("the gateway shows a certificate that was replaced");
      }
    } catch (IOException e) {
      findings.wrong("no TLS with the gateway: " + e);
    }
  }

  @Override
  public void close() {
    healer.shutdownNow();
  }
}
