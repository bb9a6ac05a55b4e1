package sluice.config.model;

/**
 * Who the gateway is to servers, as it was when the configuration was loaded.
 *
 * @param passwordFile as written
 * @param login what servers are told
 */
public record PoolAuthConfig(String passwordFile, Credentials login) {}
