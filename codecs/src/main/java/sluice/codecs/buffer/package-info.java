/**
 * What every protocol needs of a buffer: decimal numbers and fingerprints of keys, read where they
 * lie; reads joined without copying them.
 *
 * <p>Not here: anything that knows a protocol, and how keys are placed on servers.
 */
package sluice.codecs.buffer;
