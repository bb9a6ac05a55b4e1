/**
 * Values of Kafka Streams' state stores that carry record headers (KIP-1271): the offset of the
 * plain value in them. Not here: the content of the headers.
 */
package sluice.codecs.kafka;
