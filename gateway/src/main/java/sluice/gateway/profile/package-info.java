/**
 * Profiles of the running process, taken by async-profiler inside it.
 *
 * <p>Here: the parameters of a profile, the engine that records it, one recording at a time, the
 * artifact. Not here: HTTP, which is in the admin package. Blocking methods say so.
 */
@NullMarked
package sluice.gateway.profile;

import org.jspecify.annotations.NullMarked;
