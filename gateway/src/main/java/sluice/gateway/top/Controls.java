package sluice.gateway.top;

import java.util.Locale;

/** Choices of the user: order, filter and the first server shown. */
final class Controls {
  private static final int LONGEST_FILTER = 40;
  private static final int INTERRUPT = 3;
  private static final int END_OF_TRANSMISSION = 4;
  private static final int ESCAPE = 27;
  private static final int DELETE = 127;

  /** Keys that have more than one character, as {@link #key} takes them. */
  static final int UP = -10;

  static final int DOWN = -11;
  static final int PAGE_UP = -12;
  static final int PAGE_DOWN = -13;

  private static final int PAGE = 10;

  private Order order = Order.CONFIGURED;
  private String filter = "";
  private boolean typing;
  private int first;

  Order order() {
    return order;
  }

  /** Text that a row must contain; empty for every row. */
  String filter() {
    return filter;
  }

  /** Whether keys are added to the filter. */
  boolean isTyping() {
    return typing;
  }

  boolean shows(String row) {
    return row.toLowerCase(Locale.ROOT).contains(filter.toLowerCase(Locale.ROOT));
  }

  /** The first row shown, if that many are shown of that many. */
  int first(int shown, int rows) {
    first = Math.max(0, Math.min(first, rows - shown));
    return first;
  }

  /** Obeys a key; returns false if it ends the program. */
  boolean key(int key) {
    if (key == INTERRUPT || key == END_OF_TRANSMISSION) {
      return false;
    }
    if (key <= UP) {
      scroll(key);
    } else if (typing) {
      type(key);
    } else if (key == '/') {
      typing = true;
    } else if (key == ESCAPE) {
      filter = "";
    } else {
      for (Order each : Order.values()) {
        order = each.key() == key ? each : order;
      }
      return key != 'q';
    }
    return true;
  }

  private void scroll(int key) {
    first +=
        switch (key) {
          case UP -> -1;
          case DOWN -> 1;
          case PAGE_UP -> -PAGE;
          default -> PAGE;
        };
    first = Math.max(0, first);
  }

  private void type(int key) {
    if (key == ESCAPE) {
      filter = "";
      typing = false;
    } else if (key == '\r' || key == '\n') {
      typing = false;
    } else if (key == DELETE || key == '\b') {
      filter = filter.isEmpty() ? filter : filter.substring(0, filter.length() - 1);
    } else if (key >= ' ' && key < DELETE && filter.length() < LONGEST_FILTER) {
      filter += (char) key;
    }
  }
}
