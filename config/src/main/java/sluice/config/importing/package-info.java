/** Import of other proxies' configuration files. */
package sluice.config.importing;
