/**
 * Holds what is shipped against the advisories known for it.
 *
 * <p>What is known is a file of the repository, so that a build needs no service and a commit is
 * judged alike today and tomorrow; {@link sluice.advisories.Osv} renews it. Nothing of this is
 * shipped.
 */
@NullMarked
package sluice.advisories;

import org.jspecify.annotations.NullMarked;
