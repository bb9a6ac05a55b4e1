/**
 * The configuration file in, checked records out, positions kept.
 *
 * <p>Not here: Vert.x, Netty, codecs.
 */
package sluice.config;
