package sluice.config.model;

import java.util.List;

/**
 * Who may use a listener, as it was when the configuration was loaded.
 *
 * @param usersFile as written
 * @param users each line of it; never empty. A user with two passwords has two lines
 */
public record ListenerAuthConfig(String usersFile, List<Credentials> users) {
  /** Takes a copy of the list. */
  public ListenerAuthConfig {
    users = List.copyOf(users);
  }
}
