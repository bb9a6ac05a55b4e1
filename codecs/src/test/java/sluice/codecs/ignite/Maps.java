package sluice.codecs.ignite;

/** The recorded map of Integer i to String value-i-abcdefgh. */
final class Maps {
  private Maps() {}

  static int maxLength(int entries) {
    return MessageFields.MAX_INT_LENGTH * (entries + 1)
        + entries * MessageFields.maxLength("value-999-abcdefgh");
  }

  static void write(MessageFields fields, int entries) {
    fields.int32(entries);
    for (int i = 0; i < entries; i++) {
      fields.int32(i).string("value-" + i + "-abcdefgh");
    }
  }
}
