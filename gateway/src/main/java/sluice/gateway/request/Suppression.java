package sluice.gateway.request;

/** Replies that a request does not want: what a quiet or noreply request suppresses. */
public enum Suppression {
  /** Every reply is wanted. */
  NOTHING,
  /** No reply is wanted: noreply. */
  ALL,
  /** The miss is not wanted: meta {@code EN}, binary status 1. */
  MISS,
  /** Success is not wanted: meta {@code HD}, binary status 0. */
  SUCCESS
}
