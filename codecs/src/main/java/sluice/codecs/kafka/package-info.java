/**
 * Values of Kafka Streams' state stores that carry record headers (KIP-1271): the offset of the
 * plain value in them. Not here: the content of the headers.
 */
@NullMarked
package sluice.codecs.kafka;

import org.jspecify.annotations.NullMarked;
