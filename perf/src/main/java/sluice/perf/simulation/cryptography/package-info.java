/** TLS's cryptography without its cost, for simulations. */
@NullMarked
package sluice.perf.simulation.cryptography;

import org.jspecify.annotations.NullMarked;
