package sluice.codecs.compress;

import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** Codec on the JDK's zlib, with one reused stream per direction. */
final class DeflateStreams implements BlockCodec {
  private final Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);
  private final Inflater inflater = new Inflater(true);

  /** The worst case of zlib's own deflateBound(), for any settings. */
  @Override
  public int bound(int length) {
    return Math.toIntExact((long) length + ((length + 7L) >> 3) + ((length + 63L) >> 6) + 11);
  }

  @Override
  public int compress(Scratch scratch, int from, int length, int to, int room) {
    deflater.reset();
    deflater.setInput(scratch.source(from, length));
    deflater.finish();
    int compressed = deflater.deflate(scratch.target(to, room));
    if (!deflater.finished()) {
      throw new IllegalStateException(length + " bytes do not fit into " + room + " deflated");
    }
    return compressed;
  }

  @Override
  public int decompress(Scratch scratch, int from, int length, int to, int room) {
    inflater.reset();
    inflater.setInput(scratch.source(from, length));
    try {
      int plain = inflater.inflate(scratch.target(to, room));
      return inflater.finished() && inflater.getRemaining() == 0 ? plain : CORRUPT;
    } catch (DataFormatException e) {
      return CORRUPT;
    }
  }

  @Override
  public void close() {
    deflater.end();
    inflater.end();
  }
}
