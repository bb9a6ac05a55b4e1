/**
 * A ring of real Cassandra nodes, each a process of its own with the jars of its release, and what
 * stands between them. Nothing of Cassandra is on the class path here: its Netty is another one.
 * The nodes' files are kept under {@code target/ring} until the next run.
 */
package sluice.ring;
