package sluice.config.model;

/** Removal of the token that a rule's match requires. */
public record StripTokenConfig() implements PolicyConfig {}
