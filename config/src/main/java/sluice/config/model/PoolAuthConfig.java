package sluice.config.model;

/**
 * Login of the gateway to servers, as it was when the configuration was loaded.
 *
 * @param passwordFile as written
 * @param login user and password
 */
public record PoolAuthConfig(String passwordFile, Credentials login) {}
