/** Import of other proxies' configuration files. */
@NullMarked
package sluice.config.importing;

import org.jspecify.annotations.NullMarked;
