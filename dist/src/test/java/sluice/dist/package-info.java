/**
 * What people install, as they install it: the archives and the Debian package. Not here: how they
 * are made, which is build-tools/dist.
 */
@NullMarked
package sluice.dist;

import org.jspecify.annotations.NullMarked;
