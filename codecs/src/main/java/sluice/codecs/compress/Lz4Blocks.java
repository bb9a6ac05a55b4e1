package sluice.codecs.compress;

import io.netty.buffer.ByteBuf;

/** Codec on {@link Lz4}, which holds no resources. */
final class Lz4Blocks implements BlockCodec {
  @Override
  public int bound(int length) {
    return Lz4.maxCompressedLength(length);
  }

  @Override
  public int compress(Scratch scratch, int from, int length, int to, int room) {
    ByteBuf buffer = scratch.buffer(to + room);
    return Lz4.compress(buffer, from, length, buffer, to);
  }

  @Override
  public int decompress(Scratch scratch, int from, int length, int to, int room) {
    ByteBuf buffer = scratch.buffer(to + room);
    return Lz4.decompress(buffer, from, length, buffer, to, room);
  }

  @Override
  public void close() {
    // holds no resources
  }
}
