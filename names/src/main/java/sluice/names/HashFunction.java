package sluice.names;

/**
 * Hash functions of keys by twemproxy's and libmemcached's names, and Java's own. Two functions
 * have two names: libmemcached's {@code default} is {@code one_at_a_time}, and its {@code crc} is
 * {@code crc32}.
 */
public enum HashFunction implements Labelled {
  ONE_AT_A_TIME("one_at_a_time"),
  MD5("md5"),
  CRC16("crc16"),
  CRC32("crc32"),
  CRC32A("crc32a"),
  FNV1_64("fnv1_64"),
  FNV1A_64("fnv1a_64"),
  FNV1_32("fnv1_32"),
  FNV1A_32("fnv1a_32"),
  HSIEH("hsieh"),
  MURMUR("murmur"),
  MURMUR3("murmur3"),
  JENKINS("jenkins"),

  /** libmemcached's name for {@link #ONE_AT_A_TIME}. */
  DEFAULT("default"),

  /** libmemcached's name for {@link #CRC32}. */
  CRC("crc"),

  /** Java's {@code String.hashCode}: spymemcached's {@code NATIVE_HASH}, its default. */
  JAVA("java");

  private final String label;

  HashFunction(String label) {
    this.label = label;
  }

  /** As it is written in the configuration file. */
  @Override
  public String label() {
    return label;
  }
}
