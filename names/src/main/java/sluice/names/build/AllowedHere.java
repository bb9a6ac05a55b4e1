package sluice.names.build;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Permission to make calls that the build forbids elsewhere ({@code
 * build-tools/forbidden-calls.txt}), with the reason.
 */
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface AllowedHere {
  /** Why the calls are right in this place. */
  String value();
}
