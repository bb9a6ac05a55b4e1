package sluice.perf.torture;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import sluice.load.process.Ports;

/** One run: starts everything, lets happen what the plan says, compares, and tells. */
final class Run {
  private static final int HEAP_MAY_GROW_KIB = 12 * 1024;
  private static final int SOCKETS_UNTOLD = 16; // of listeners, and of who asks
  private static final int WEIGH_EVERY_SECONDS = 20;

  private final Options options;
  private final Findings findings;
  private final History history = new History();
  private final MachinePauses pauses = new MachinePauses();

  Run(Options options, PrintStream out) {
    this.options = options;
    this.findings = new Findings(out);
  }

  /** Whether all was well. */
  boolean run() throws Exception {
    findings.say("torture: seed " + options.seed() + " (--seed replays faults and requests)");
    Path under = options.directory();
    Path directory =
        under == null
            ? Files.createTempDirectory("sluice-torture")
            : Files.createTempDirectory(Files.createDirectories(under), "run");
    findings.say("torture: logs and configuration in " + directory);
    var group = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
    Authority authority = new Authority();
    Ports ports = new Ports();
    Thread clock = new Thread(pauses, "clock");
    clock.setDaemon(true);
    clock.start();
    try (Servers servers = new Servers(group.next(), ports, authority, findings)) {
      Tormentor.Address address = new Tormentor.Address(ports.next(), ports.next(), ports.next());
      Setting first = new Setting(0, new Random(options.seed()), servers, options);
      history.mayFollow(first);
      Pipe secure = Pipe.tls(group.next(), address.secure(), authority.client());
      LiveFiles files =
          new LiveFiles(
              directory.resolve("live"),
              authority,
              first.yaml(address.plain(), address.secure(), address.admin()));
      try (GatewayProcess gateway =
              new GatewayProcess(
                  files.configuration(),
                  directory.resolve("gateway.log"),
                  address.admin(),
                  options.paranoid(),
                  findings);
          Tormentor tormentor =
              new Tormentor(
                  options, servers, authority, files, gateway, history, address, secure,
                  findings)) {
        gateway.start();
        Ledger ledger = new Ledger(history, servers, findings);
        Clients clients = clients(address, group.next(), secure, ledger);
        try (Strangers strangers = new Strangers(options, pauses, findings, address.plain())) {
          strangers.start();
          torment(clients, tormentor, gateway, new Sweeper(ledger, history, servers));
          strangers.stop();
          findings.say("");
          strangers.judge();
        }
        settle(gateway);
        new Contents(history.last(), servers, findings).compare(clients.held());
        clients.judge();
        summarize(clients, ledger, tormentor, gateway);
      }
    } finally {
      pauses.stop();
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
    return findings.count() == 0;
  }

  private Clients clients(Tormentor.Address address, EventLoop loop, Pipe secure, Ledger ledger)
      throws Exception {
    InetSocketAddress plain =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), address.plain());
    Map<Setting.Keys, InetSocketAddress> wrong = new EnumMap<>(Setting.Keys.class);
    for (Options.Wrong deed : options.wrong()) {
      if (!deed.isConfigured()) {
        Pipe pipe = new Pipe(loop, address.plain(), new WrongProxy(deed));
        wrong.put(deed.keys(), pipe.address());
      }
    }
    return new Clients(options, pauses, ledger, findings, plain, wrong, secure.address());
  }

  private void torment(
      Clients clients, Tormentor tormentor, GatewayProcess gateway, Sweeper sweeper)
      throws Exception {
    ScheduledExecutorService housekeeping = Executors.newSingleThreadScheduledExecutor();
    long sweep = options.limitMillis() + 1000;
    housekeeping.scheduleWithFixedDelay(sweeper, sweep, sweep, TimeUnit.MILLISECONDS);
    Plan plan = new Plan(options);
    long end = System.nanoTime() + options.minutes().toNanos();
    long nextWeighing = System.nanoTime() + TimeUnit.SECONDS.toNanos(WEIGH_EVERY_SECONDS / 4);
    clients.start();
    try {
      while (clients.areRunning()
          && System.nanoTime() - end < 0
          && (options.steps() == 0 || plan.steps() < options.steps())) {
        if (!gateway.isAlive()) {
          findings.wrong("the gateway has ended by itself");
          break;
        }
        if (System.nanoTime() - nextWeighing > 0) {
          gateway.weigh();
          nextWeighing = System.nanoTime() + TimeUnit.SECONDS.toNanos(WEIGH_EVERY_SECONDS);
        }
        if (plan.isEmpty()) {
          TimeUnit.MILLISECONDS.sleep(20);
        } else {
          tormentor.perform(plan.next());
        }
      }
    } finally {
      tormentor.healAll();
      clients.stop();
      housekeeping.shutdownNow();
    }
  }

  /** What was under way comes to its end; nothing may be left. */
  private void settle(GatewayProcess gateway) throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(2 * options.limitMillis());
    while (gateway.isAlive()
        && (gateway.metric("sluice_in_flight", "") > 0
            || gateway.metric("sluice_buffered_bytes", "") > 0)) {
      if (System.nanoTime() - end > 0) {
        findings.wrong(
            "left in the gateway: %.0f requests, %.0f bytes"
                .formatted(
                    gateway.metric("sluice_in_flight", ""),
                    gateway.metric("sluice_buffered_bytes", "")));
        findings.say("the gateway's heap: " + gateway.dumpHeap());
        return;
      }
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  private void summarize(
      Clients clients, Ledger ledger, Tormentor tormentor, GatewayProcess gateway)
      throws IOException, InterruptedException {
    findings.say(
        "writes: %d acknowledged, by the server that the route names too; %d not"
            .formatted(ledger.matched(), ledger.unmatched()));
    findings.say("  of keys: " + ledger.byKeys());
    StringBuilder faults = new StringBuilder("faults:");
    tormentor
        .done()
        .forEach(
            (fault, count) -> faults.append(' ').append(fault.label()).append(' ').append(count));
    findings.say(faults.toString());
    if (gateway.isAlive()) {
      gateway.weigh();
      long untold = gateway.socketsUntold();
      findings.say(
          "gateway: %d sockets open that are of no server it has (%d allowed)"
              .formatted(untold, SOCKETS_UNTOLD));
      if (untold > SOCKETS_UNTOLD) {
        findings.wrong("the gateway has " + untold + " sockets open that are of no server it has");
      }
      // those of a gateway that was restarted are errors in its log
      double overdue = gateway.metric("sluice_overdue_requests_total", "");
      findings.say("gateway: %.0f requests overdue (0 allowed)".formatted(overdue));
      if (overdue > 0) {
        findings.wrong("%.0f requests were ended by no timeout".formatted(overdue));
      }
      double refused = gateway.metric("sluice_reloads_total", "result=\"refused\"");
      if (refused > 0) {
        findings.wrong("%.0f changed configurations were refused".formatted(refused));
      }
      gateway.stop();
    }
    findings.say(
        "gateway: %d starts; live heap %d KiB when all clients have gone, grown by %d KiB (%d allowed); %d MiB resident"
            .formatted(
                gateway.starts(),
                gateway.heapNowKiB(),
                gateway.growthKiB(),
                HEAP_MAY_GROW_KIB,
                gateway.mostResidentKiB() / 1024));
    if (gateway.growthKiB() > HEAP_MAY_GROW_KIB) {
      findings.wrong("the gateway's live heap grew by " + gateway.growthKiB() + " KiB");
    }
    gateway
        .badLines(pauses.turnMillis())
        .forEach(line -> findings.wrong("the gateway's log: " + line));
    findings.say(
        "%s: %d requests in %.0f s, seed %d"
            .formatted(
                findings.count() == 0 ? "PASSED" : "FAILED with " + findings.count() + " findings",
                clients.requests(),
                findings.seconds(),
                options.seed()));
    findings.all().forEach(line -> findings.say("  " + line));
    if (findings.count() > 0) {
      // A test deletes the log. Clients learn no more than a stable reason.
      gateway.lastLines("is unreachable", 20).forEach(line -> findings.say("  log: " + line));
    }
  }
}
