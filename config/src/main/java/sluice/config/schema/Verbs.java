package sluice.config.schema;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Collectors;
import sluice.names.Verb;

/** What {@code match: {verbs}} takes: every verb that has a name. */
final class Verbs {
  static final Set<String> NAMES =
      Arrays.stream(Verb.values())
          .filter(verb -> verb != Verb.UNKNOWN)
          .map(Verb::label)
          .collect(
              Collectors.collectingAndThen(
                  Collectors.toCollection(LinkedHashSet::new), Collections::unmodifiableSet));

  private Verbs() {}
}
