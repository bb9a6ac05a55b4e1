package sluice.gateway.exchange;

import java.util.ArrayDeque;

/** Exchanges that are used again and again: one pool an event loop, not thread-safe. */
public final class ExchangePool {
  private static final int MAX_KEPT = 64 * 1024;

  private final ArrayDeque<Exchange> free = new ArrayDeque<>();
  private final ArrayDeque<Bridged> freeBridged = new ArrayDeque<>();

  /** An exchange whose fields are as new. */
  public Exchange take() {
    Exchange exchange = free.pollLast();
    if (exchange == null) {
      exchange = new Exchange();
    }
    exchange.reset();
    return exchange;
  }

  /** Gives an exchange back that nobody refers to any more; what it holds is released. */
  public void give(Exchange exchange) {
    exchange.forget();
    exchange.unguard();
    if (exchange.bridged() != null) {
      give(exchange.bridged());
    }
    exchange.letGo();
    if (free.size() < MAX_KEPT) {
      free.addLast(exchange);
    }
  }

  /** What bridges an exchange, until that is given back, or this is. */
  public Bridged takeBridged() {
    Bridged bridged = freeBridged.pollLast();
    return bridged == null ? new Bridged() : bridged;
  }

  /** Gives back what no exchange was bridged with. */
  public void give(Bridged bridged) {
    bridged.between(null, null, null);
    if (freeBridged.size() < MAX_KEPT) {
      freeBridged.addLast(bridged);
    }
  }
}
