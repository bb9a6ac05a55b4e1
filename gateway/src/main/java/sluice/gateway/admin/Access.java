package sluice.gateway.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.config.model.ListenerAuthConfig;
import sluice.gateway.auth.Users;
import sluice.gateway.time.Clocks;

/**
 * Permission to change the state of the process. Allowed are peers on this machine or in this pod,
 * and users that log in by HTTP's Basic authentication (RFC 7617). Requests from pages of other
 * sites are refused, even from an allowed browser.
 */
final class Access {
  private static final Logger LOG = LoggerFactory.getLogger(Access.class);
  private static final String BASIC = "basic";
  private static final long LOGIN_LINES_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Predicate<SocketAddress> isLoopback;
  private volatile @Nullable Users users; // null: no user can log in
  // Of failed logins, on the port's event loop.
  private boolean everLogged;
  private long loggedAt;
  private int unlogged;

  Access(Predicate<SocketAddress> isLoopback) {
    this.isLoopback = isLoopback;
  }

  /** Sets the users who may log in; empty for none. */
  void follow(Optional<ListenerAuthConfig> auth) {
    users = auth.map(a -> new Users(a.users())).orElse(null);
  }

  /** Whether a request that changes state would be allowed to this caller. */
  PermissionToChange permission(HttpServerRequest request) {
    boolean local = isLoopback.test(request.remoteAddress());
    if (Callers.isForeignPage(request)) {
      return PermissionToChange.NO;
    }
    if (local && request.getHeader("Authorization") == null && !Callers.isPageByName(request)) {
      return PermissionToChange.YES;
    }
    return users == null ? PermissionToChange.NO : PermissionToChange.LOGIN;
  }

  /** The refusal of a request that changes state; null if it is allowed, which is logged. */
  @Nullable Answer refusal(HttpServerRequest request) {
    if (Callers.isForeignPage(request)) {
      return Answer.error(403, "not accepted from another site's page");
    }
    Users known = users;
    byte[] login = login(request.getHeader("Authorization"));
    int colon = colon(login);
    boolean local = isLoopback.test(request.remoteAddress());
    if (known == null && !local) {
      return Answer.error(403, "accepted only from a loopback peer");
    }
    if (known != null && (!local || login != null)) {
      if (login == null || colon < 0 || !known.admit(login, 0, colon, colon + 1, login.length)) {
        request
            .response()
            .putHeader("WWW-Authenticate", "Basic realm=\"sluice\", charset=\"UTF-8\"");
        if (login == null) {
          return Answer.error(
              401, "accepted from a loopback peer, or with a user and password of admin.auth");
        }
        loginFailed(request);
        return Answer.error(
            401,
            isBasic(request.getHeader("Authorization"))
                ? "wrong user or password"
                : "only Basic authentication is accepted (Authorization: Basic ...)");
      }
      taken(request, new String(login, 0, colon, UTF_8));
      return null;
    }
    if (Callers.isPageByName(request)) {
      return Answer.error(403, "accepted only from a page at an IP address or localhost");
    }
    taken(request, "a loopback peer");
    return null;
  }

  /** Logs a failed login: at most one line a second, without anything that the caller sent. */
  private void loginFailed(HttpServerRequest request) {
    long now = Clocks.nanos();
    if (everLogged && now - loggedAt < LOGIN_LINES_NANOS) {
      unlogged++;
      return;
    }
    LOG.warn(
        "admin: a login from {} failed{}",
        request.remoteAddress(),
        unlogged == 0 ? "" : ", and " + unlogged + " others before it");
    everLogged = true;
    loggedAt = now;
    unlogged = 0;
  }

  private static void taken(HttpServerRequest request, String who) {
    LOG.info("admin: {} {} by {}", request.method(), request.path(), who);
  }

  /** {@code user:password}; null if there is no such header, and empty if it is malformed. */
  private static byte @Nullable [] login(@Nullable String authorization) {
    if (authorization == null) {
      return null;
    }
    if (!isBasic(authorization)) {
      return new byte[0];
    }
    try {
      return Base64.getDecoder().decode(authorization.substring(BASIC.length()).trim());
    } catch (IllegalArgumentException notBase64) {
      return new byte[0];
    }
  }

  /** Whether a header's authentication scheme is Basic. */
  private static boolean isBasic(@Nullable String authorization) {
    return authorization != null && authorization.split(" ", 2)[0].equalsIgnoreCase(BASIC);
  }

  private static int colon(byte @Nullable [] login) {
    for (int i = 0; login != null && i < login.length; i++) {
      if (login[i] == ':') {
        return i;
      }
    }
    return -1;
  }
}
