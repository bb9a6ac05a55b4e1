/**
 * Checks the shipped dependencies for known security advisories.
 *
 * <p>What is known is a file of the repository, so that a build needs no service and a commit is
 * judged alike today and tomorrow; {@link sluice.advisories.Osv} renews it. Nothing of this is
 * shipped.
 */
@NullMarked
package sluice.advisories;

import org.jspecify.annotations.NullMarked;
