package sluice.testkit.model;

import java.math.BigInteger;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.testkit.hostile.Bytes;

/**
 * Valid flags of a meta request.
 *
 * @param key as it is stored
 */
record MetaFlags(List<String> tokens, String key) {

  boolean has(char letter) {
    return find(letter) != null;
  }

  boolean isBase64() {
    return has('b');
  }

  MetaFlags only(String letters) {
    List<String> left =
        tokens.stream().filter(t -> letters.indexOf(t.charAt(0)) >= 0 || t.equals("b")).toList();
    return new MetaFlags(left, key);
  }

  MetaFlags without(char letter) {
    return new MetaFlags(tokens.stream().filter(t -> t.charAt(0) != letter).toList(), key);
  }

  /** The key as it is in a reply. */
  String echoedKey() {
    return isBase64() ? Base64.getEncoder().encodeToString(Bytes.of(key)) + " b" : key;
  }

  /** The letter after M. */
  String mode(String otherwise) {
    String token = find('M');
    return token == null || token.length() < 2 ? otherwise : token.substring(1, 2);
  }

  BigInteger big(char letter, BigInteger otherwise) {
    String token = find(letter);
    String digits =
        token == null ? "" : token.substring(1).strip().replaceAll("(?s)(?<=.)[^0-9].*|[+]", "");
    return digits.isEmpty() || digits.equals("-") ? otherwise : new BigInteger(digits);
  }

  long number(char letter, long otherwise) {
    return big(letter, BigInteger.valueOf(otherwise)).longValue();
  }

  private @Nullable String find(char letter) {
    return tokens.stream().filter(t -> t.charAt(0) == letter).findFirst().orElse(null);
  }
}
