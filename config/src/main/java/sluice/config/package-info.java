/**
 * The configuration: a file goes in, checked records with positions come out. The packages below
 * hold the steps in between.
 *
 * <p>Not here: Vert.x, Netty, codecs.
 */
@NullMarked
package sluice.config;

import org.jspecify.annotations.NullMarked;
