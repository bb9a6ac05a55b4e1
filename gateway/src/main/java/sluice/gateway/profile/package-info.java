/**
 * Profiles of the running process, by async-profiler inside it.
 *
 * <p>Here: what may be asked for, which engine records it, one recording at a time, the artifact.
 * Not here: HTTP, which is the admin package's. Everything that blocks says so.
 */
package sluice.gateway.profile;
