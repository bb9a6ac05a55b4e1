/**
 * Load that checks itself: {@link sluice.testkit.selfcheck.SelfCheck} sends random requests and
 * checks every reply. It uses plain sockets on purpose, so that it shares no code with the product.
 */
@NullMarked
package sluice.testkit.selfcheck;

import org.jspecify.annotations.NullMarked;
