package sluice.gateway.route.hash;

import io.netty.buffer.ByteBuf;
import sluice.names.HashFunction;

/**
 * Hash functions of twemproxy and libmemcached, each giving an unsigned 32-bit value.
 *
 * <p>Functions that both projects have give the same result. Only two names differ: {@code default}
 * is libmemcached's for one_at_a_time, {@code crc} its name for crc32. Bytes above 0x7F count as
 * negative where the originals read a plain {@code char}, as on x86-64. Their builds for machines
 * with an unsigned {@code char} place such keys on other servers.
 */
final class KeyHashes {
  private KeyHashes() {}

  /**
   * The function's hash of length bytes at offset. Borrows key, moves no index, allocates nothing.
   */
  static int hash(HashFunction function, ByteBuf key, int offset, int length) {
    return switch (function) {
      case ONE_AT_A_TIME, DEFAULT -> SimpleHashes.oneAtATime(key, offset, length);
      case MD5 -> Md5.word(key, offset, length, 0);
      case CRC16 -> Crc.crc16(key, offset, length);
      case CRC32, CRC -> Crc.crc32(key, offset, length);
      case CRC32A -> Crc.crc32a(key, offset, length);
      case FNV1_64 -> SimpleHashes.fnv1Low64(key, offset, length);
      case FNV1A_64 -> SimpleHashes.fnv1aLow64(key, offset, length);
      case FNV1_32 -> SimpleHashes.fnv1(key, offset, length);
      case FNV1A_32 -> SimpleHashes.fnv1a(key, offset, length);
      case HSIEH -> SimpleHashes.hsieh(key, offset, length);
      case MURMUR -> BlockHashes.murmur(key, offset, length);
      case MURMUR3 -> BlockHashes.murmur3(key, offset, length);
      case JENKINS -> BlockHashes.jenkins(key, offset, length);
      case JAVA -> SimpleHashes.java(key, offset, length);
    };
  }
}
