/** JMH benchmark of the layouts of message headers, before 4.0 and since, in Cassandra itself. */
package sluice.perf.cassandra41;
