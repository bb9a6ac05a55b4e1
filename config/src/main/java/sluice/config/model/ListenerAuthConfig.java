package sluice.config.model;

import java.util.List;

/**
 * Users of a listener, as they were when the configuration was loaded.
 *
 * @param usersFile as written
 * @param users each line of the file; never empty. A user with two passwords has two lines
 */
public record ListenerAuthConfig(String usersFile, List<Credentials> users) {
  /** Takes a copy of the list. */
  public ListenerAuthConfig {
    users = List.copyOf(users);
  }
}
