/** Benchmarks beside Kafka Streams' own classes. */
package sluice.perf.kafka;
