/**
 * Compressing in an event loop's own memory, and the form in which compressed values are stored.
 * Not here: which values are compressed, and the forms that other protocols give to compressed
 * bytes.
 */
package sluice.codecs.compress;
