package sluice.gateway.differential;

import java.util.function.Predicate;

/** One row of what a pair of dialects cannot map: which operations, and what becomes of them. */
record Rule(String what, Predicate<Operation> applies, Outcome outcome) {}
