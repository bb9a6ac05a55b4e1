package sluice.ring;

import java.util.Locale;
import java.util.Random;

/** Values as applications write them: records as text, which share names of fields and words. */
final class Texts {

  private static final String[] WORDS =
      ("the of and to in is that for it was on are as with they be at one have this from by hot"
           + " word but what some we can out other were all there when up use your how said an each"
           + " she which do their time if will way about many then them write would like so these"
           + " her long make thing see him two has look more day could go come did number sound no"
           + " most people my over know water than call first who may down side been now find any"
           + " new work part take get place made live where after back little only round man year"
           + " came show every good me give our under name very through just form sentence great"
           + " think say help low line differ turn cause much mean before move right boy old too"
           + " same")
          .split(" ");

  private Texts() {}

  /** The value of a key: so many characters, each one byte. */
  static String of(long key, int length) {
    Random random = new Random(key * 0x9E3779B97F4A7C15L + length);
    StringBuilder text = new StringBuilder(length + 200);
    while (text.length() < length) {
      text.append(
          String.format(
              Locale.ROOT,
              "{\"id\":\"%016x\",\"user\":%d,\"at\":\"2026-11-21T%02d:%02d:%02d.%03dZ\",\"note\":\"",
              random.nextLong(),
              random.nextInt(1_000_000),
              random.nextInt(24),
              random.nextInt(60),
              random.nextInt(60),
              random.nextInt(1000)));
      for (int words = 5 + random.nextInt(20); words > 0; words--) {
        // The smaller of two: some words are used much more than others.
        int word = Math.min(random.nextInt(WORDS.length), random.nextInt(WORDS.length));
        text.append(WORDS[word]).append(' ');
      }
      text.append("\"},");
    }
    text.setLength(length);
    return text.toString();
  }
}
