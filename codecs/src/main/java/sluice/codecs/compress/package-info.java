/**
 * What compressing needs beside an algorithm. Not here: which values are compressed, and the forms
 * that protocols give to compressed bytes.
 */
package sluice.codecs.compress;
