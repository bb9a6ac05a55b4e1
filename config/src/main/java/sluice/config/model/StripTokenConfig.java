package sluice.config.model;

/** The token that a rule's match asks for is left out on the way. */
public record StripTokenConfig() implements PolicyConfig {}
