package sluice.perf.cassandra41;

/** Marks what prints beside JMH's own output: the list of forbidden calls passes it. */
@interface AllowedHere {}
