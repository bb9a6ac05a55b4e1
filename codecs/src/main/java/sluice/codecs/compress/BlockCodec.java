package sluice.codecs.compress;

/**
 * Codec of one algorithm. It works between two areas of a scratch buffer that do not overlap. It
 * belongs to one event loop, and allocates only memory that its library keeps.
 */
interface BlockCodec extends AutoCloseable {
  /** Returned for bytes that cannot be decompressed. */
  int CORRUPT = -1;

  /** The largest compressed length of {@code length} bytes. */
  int bound(int length);

  /**
   * Compresses the bytes [from, from + length).
   *
   * @param room bytes available at to, at least {@link #bound}
   * @return the compressed length
   */
  int compress(Scratch scratch, int from, int length, int to, int room);

  /**
   * Decompresses the bytes [from, from + length), which come from an untrusted source.
   *
   * @param room bytes available at to; never more are written
   * @return the decompressed length, or {@link #CORRUPT} if the bytes are not valid or decompress
   *     to more than room
   */
  int decompress(Scratch scratch, int from, int length, int to, int room);

  /** Releases the library's resources. */
  @Override
  void close();
}
