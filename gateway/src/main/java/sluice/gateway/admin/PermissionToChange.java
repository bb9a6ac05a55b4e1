package sluice.gateway.admin;

import java.util.Locale;

/** Whether a caller may change the state of the process, so that a page can offer it. */
enum PermissionToChange {
  /** It may. */
  YES,
  /** It may once it logs in. */
  LOGIN,
  /** It may not. */
  NO;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** As it is written in answers. */
  String label() {
    return label;
  }
}
