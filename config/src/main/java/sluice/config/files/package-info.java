/** Files that the configuration names, read once: certificates, keys, users and passwords. */
@NullMarked
package sluice.config.files;

import org.jspecify.annotations.NullMarked;
