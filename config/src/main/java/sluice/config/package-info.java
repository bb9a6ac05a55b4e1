/**
 * The configuration: turns a file into checked records with positions. The subpackages contain the
 * steps.
 *
 * <p>Not here: Vert.x, Netty, codecs.
 */
@NullMarked
package sluice.config;

import org.jspecify.annotations.NullMarked;
