package sluice.codecs.compress;

/**
 * One algorithm, from one place of a scratch's buffer to another that does not overlap. It belongs
 * to one event loop, keeps what its library wants to keep, and allocates nothing else.
 */
interface BlockCodec extends AutoCloseable {
  /** Returned for what cannot be decompressed. */
  int CORRUPT = -1;

  /** Room that {@code length} bytes need at most when they are compressed. */
  int bound(int length);

  /**
   * Compresses the bytes [from, from + length).
   *
   * @param room at to, at least {@link #bound}
   * @return how many they became
   */
  int compress(Scratch scratch, int from, int length, int to, int room);

  /**
   * Decompresses the bytes [from, from + length), which anybody may have sent.
   *
   * @param room at to; never is more written
   * @return how many they became, or {@link #CORRUPT} if they are not compressed bytes, or some of
   *     more than room
   */
  int decompress(Scratch scratch, int from, int length, int to, int room);

  /** Gives back what the library keeps. */
  @Override
  void close();
}
