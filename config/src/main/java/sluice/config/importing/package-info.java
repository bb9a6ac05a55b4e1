/** Other proxies' configuration files in, one of Sluice's out. */
package sluice.config.importing;
