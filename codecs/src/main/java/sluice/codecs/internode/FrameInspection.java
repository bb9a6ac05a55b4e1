package sluice.codecs.internode;

import sluice.codecs.ProtocolException;

/**
 * Inspection of the messages in one frame after another. It shows their headers to the walk's
 * filter, and finds out whether the frame passes unchanged, or else which of its bytes pass.
 *
 * <p>One instance for each {@link Reframer}, used again and again. It borrows the frame's bytes.
 */
final class FrameInspection {
  private final Frame frame;
  private final PlainPayload payload;
  private final Ranges plain;
  private final MessageWalk walk;
  private final Replacements replacements; // NONE: none is replaced
  private final boolean changes; // whether messages may be left out or replaced
  private final Ranges passed = new Ranges();

  private boolean corrupt; // whether the current self-contained frame is corrupt
  private boolean lost; // a first partial frame was corrupt: its successors cannot be followed

  /**
   * An inspection of frames.
   *
   * @param payload of the frame
   * @param plain destination of the payload's plain bytes
   * @param changes whether messages may be left out or replaced
   */
  FrameInspection(
      Frame frame, PlainPayload payload, Ranges plain, MessageWalk walk, boolean changes) {
    this.frame = frame;
    this.payload = payload;
    this.plain = plain;
    this.walk = walk;
    this.changes = changes;
    replacements = walk.replacements();
  }

  // ---- frames that leave in the same framing

  /**
   * Whether the whole frame passes unchanged. If not, there are three cases: it {@link #isCorrupt};
   * or {@link #passed} are the bytes that pass; or it is partial, and is held or does not pass.
   */
  boolean isUnchanged() {
    corrupt = false;
    if (!changes) {
      observe();
      return true;
    }
    return frame.isSelfContained() ? isFilteredWhole() : isPartialPassed();
  }

  /**
   * Shows the frame's messages to the filter. A corrupt payload is no error: the receiving node
   * detects it.
   */
  private void observe() {
    if (!frame.isSelfContained() && walk.isOpen()) {
      laterPartial();
    } else if (frame.isSelfContained() || !lost) {
      try {
        payload.load(plain);
        inspect();
      } catch (ProtocolException e) {
        if (payload.isIntact()) {
          throw e;
        }
        lost |= !frame.isSelfContained();
      }
    }
  }

  /** Whether a self-contained frame stays unchanged. */
  private boolean isFilteredWhole() {
    corrupt = !payload.isIntact();
    if (corrupt) {
      // its reader drops it; it is dropped here if some of its messages might be replaced
      return replacements == Replacements.NONE;
    }
    payload.load(plain);
    return inspect();
  }

  /** Whether a partial frame stays unchanged: its message's first frame decides. */
  private boolean isPartialPassed() {
    if (walk.isOpen()) {
      boolean passes = laterPartial();
      if (!walk.isHeld()) {
        if (passes && frame.isEmptyIfCorrupt()) {
          payload.requireIntact(); // or a node would see the next message begin elsewhere
        }
        return passes;
      }
      payload.requireIntact();
      payload.load(plain);
    } else {
      payload.requireIntact();
      payload.load(plain);
      boolean passes = inspect();
      if (!walk.isHeld()) {
        return passes;
      }
    }
    hold();
    return false;
  }

  // ---- frames whose plain bytes are there

  /**
   * Walks through the plain bytes; returns whether all of them pass unchanged. If not, {@link
   * #passed} are those that pass.
   */
  boolean inspect() {
    boolean all;
    if (frame.isSelfContained()) {
      passed.clear();
      all = walk.selfContained(plain, passed);
    } else {
      all = walk.firstPartial(plain);
    }
    return all || !changes;
  }

  /** Walks through the rest that did not fit into one frame; returns whether there was a rest. */
  boolean goOn() {
    if (!walk.hasMore()) {
      return false;
    }
    passed.clear();
    walk.goOn(plain, passed);
    return true;
  }

  /** Continues the open message with a partial frame; returns whether the frame passes. */
  boolean laterPartial() {
    return walk.laterPartial(frame.plainLength()) || !changes;
  }

  /** Keeps the plain bytes of a partial frame until its message is complete. */
  void hold() {
    replacements.hold(plain, walk.openLength());
  }

  /** The bytes of the frame that pass, borrowed until {@link #clear}. */
  Ranges passed() {
    return passed;
  }

  /** Whether the frame is self-contained and corrupt. */
  boolean isCorrupt() {
    return corrupt;
  }

  /** Whether a first partial frame was corrupt, so that its successors cannot be followed. */
  boolean isLost() {
    return lost;
  }

  /** Forgets the frame's bytes. */
  void clear() {
    passed.clear();
    walk.clear();
  }
}
