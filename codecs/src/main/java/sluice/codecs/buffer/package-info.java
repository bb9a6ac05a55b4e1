/**
 * What every protocol needs of a buffer: decimal numbers and fingerprints of keys, read where they
 * lie; reads joined without copying them; strings of bytes found and replaced in such.
 *
 * <p>Not here: anything that knows a protocol, and how keys are placed on servers.
 */
package sluice.codecs.buffer;
