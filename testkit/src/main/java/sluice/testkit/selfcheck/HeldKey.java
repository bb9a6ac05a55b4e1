package sluice.testkit.selfcheck;

import org.jspecify.annotations.Nullable;

/** Key of a finished {@link SelfCheck}, with its possible values according to all replies. */
public final class HeldKey {
  private final KeyState state;

  HeldKey(KeyState state) {
    this.state = state;
  }

  /** The key as its client named it. */
  public String key() {
    return state.key;
  }

  /**
   * Whether this can be in it.
   *
   * @param flags null where the key was not found
   * @param value borrowed; not looked at where flags is null
   */
  public boolean allows(@Nullable Integer flags, byte[] value) {
    return state.allows(flags, value);
  }

  /** The key and its possible values. */
  @Override
  public String toString() {
    return state.toString();
  }
}
