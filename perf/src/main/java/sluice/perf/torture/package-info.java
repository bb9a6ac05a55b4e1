/**
 * {@code ./sluice torture}: clients that check every reply, before a gateway and servers that are
 * made to fail, and a recorder before each server that says what it acknowledged. What clients send
 * and judge is {@code sluice.testkit.selfcheck.SelfCheck}; here is what happens around it.
 */
@NullMarked
package sluice.perf.torture;

import org.jspecify.annotations.NullMarked;
