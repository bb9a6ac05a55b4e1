package sluice.gateway.differential;

import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** What becomes of an operation behind the gateway, where it is not simply executed. */
sealed interface Outcome {

  /** Not executed; this is the answer. To the other server goes a fence in its place. */
  record Refused(Function<Operation, List<Unit>> reply) implements Outcome {}

  /** Executed as memcached would execute this other operation: something of it is lost. */
  record As(UnaryOperator<Operation> other) implements Outcome {}

  /** Executed, and answered like this where memcached answers otherwise. */
  record Told(BiFunction<Operation, List<Unit>, List<Unit>> reply) implements Outcome {}
}
