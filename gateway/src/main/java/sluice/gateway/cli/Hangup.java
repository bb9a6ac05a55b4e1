package sluice.gateway.cli;

import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Handler of SIGHUP, on which daemons reload their configuration. */
final class Hangup {
  private static final Logger LOG = LoggerFactory.getLogger(Hangup.class);

  private Hangup() {}

  /**
   * Installs action, which each SIGHUP calls on a thread of its own. SIGHUP no longer ends the
   * process.
   *
   * <p>By reflection: {@code sun.misc.Signal} exists in every JDK (module {@code jdk.unsupported}),
   * but compilers warn of any direct use.
   */
  static void calls(Runnable action) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object calling =
          Proxy.newProxyInstance(
              Hangup.class.getClassLoader(),
              new Class<?>[] {handler},
              (proxy, method, arguments) -> {
                switch (method.getName()) {
                  case "handle" -> action.run();
                  case "hashCode" -> {
                    return System.identityHashCode(proxy);
                  }
                  case "equals" -> {
                    return proxy == arguments[0];
                  }
                  default -> {
                    return "Hangup";
                  }
                }
                return null;
              });
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, signal.getConstructor(String.class).newInstance("HUP"), calling);
    } catch (ReflectiveOperationException | IllegalArgumentException e) {
      LOG.warn("cannot handle SIGHUP, so a SIGHUP will end the process: {}", e.toString());
    }
  }
}
