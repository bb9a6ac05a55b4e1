/** Load between two nodes through a proxy, and the relay that looks at nothing beside it. */
@NullMarked
package sluice.perf.internode;

import org.jspecify.annotations.NullMarked;
