/**
 * Descriptions of routes: a rule, its match, and each kind of policy in its own file. A new kind
 * needs such a file, its record in {@code model}, and a line in {@link
 * sluice.config.routing.Policies}.
 */
@NullMarked
package sluice.config.routing;

import org.jspecify.annotations.NullMarked;
