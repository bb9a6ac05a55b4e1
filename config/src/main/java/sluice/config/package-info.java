/**
 * The configuration file in, checked records out, positions kept. The packages below hold the steps
 * on the way.
 *
 * <p>Not here: Vert.x, Netty, codecs.
 */
package sluice.config;
